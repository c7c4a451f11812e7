"""What the GPU Operator writes on nodes. A node of which discovery says nothing has no GPU, whoever says so."""

import pytest

from eks_accelerators.simulator.kubernetes.operator_labels import changes

SEEN = {"feature.node.kubernetes.io/pci-10de.present": "true"}
OURS = {"nvidia.com/gpu.present": "true"}
OFF = {"nvidia.com/gpu.deploy.operands": "false"}
CAPABLE = {"nvidia.com/mig.capable": "true"}
OPERANDS = {
    f"nvidia.com/gpu.deploy.{part}": "true"
    for part in (
        "container-toolkit",
        "dcgm",
        "dcgm-exporter",
        "device-plugin",
        "driver",
        "gpu-feature-discovery",
        "node-status-exporter",
        "operator-validator",
    )
}
MANAGED = {"nvidia.com/gpu.deploy.mig-manager": "true"}
WHOLE = {"nvidia.com/mig.config": "all-disabled"}


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        pytest.param({}, {}, id="no-gpu"),
        pytest.param(SEEN, {**OURS, **OPERANDS}, id="discovered"),
        pytest.param(SEEN | OURS, OPERANDS, id="discovered-and-said"),
        pytest.param(SEEN | OURS | OPERANDS, {}, id="all-done"),
        pytest.param(OURS, {"nvidia.com/gpu.present": "false"}, id="said-and-not-discovered"),
        pytest.param(OURS | OPERANDS, {"nvidia.com/gpu.present": "false", **dict.fromkeys(OPERANDS)}, id="gone"),
        pytest.param(SEEN | OURS | OFF, {}, id="left-alone"),
        pytest.param(SEEN | OURS | OFF | OPERANDS | MANAGED, dict.fromkeys(OPERANDS | MANAGED), id="left-alone-later"),
        pytest.param(SEEN | OURS | OPERANDS | CAPABLE, MANAGED | WHOLE, id="mig-capable"),
        pytest.param(
            SEEN | OURS | OPERANDS | CAPABLE | {"nvidia.com/mig.config": "all-1g.10gb"}, MANAGED, id="mig-wanted"
        ),
        pytest.param(
            SEEN | OURS | OPERANDS | {"nvidia.com/gpu.deploy.dcgm-exporter": "false"}, {}, id="one-part-switched-off"
        ),
    ],
)
def test_changes(labels, expected):
    assert changes(labels) == expected
