"""What the GPU Operator writes on nodes: which of its parts run there, and what mig-manager is to do.

Source: NVIDIA/gpu-operator near v26.7.0, `controllers/nodelabeling_controller.go` (at 098229f) and
`controllers/state_manager.go`, read 2026-11-21. Left out: the label of the allocation mode, which only a cluster with
the operator's own Dynamic Resource Allocation tells apart.
"""

from collections.abc import Mapping

from eks_accelerators.accelerators.mig.manager import ALL_DISABLED, CONFIG_LABEL
from eks_accelerators.accelerators.scheduling import NVIDIA, OPERATOR_OPERANDS_LABEL

_DISCOVERED = tuple(f"feature.node.kubernetes.io/pci-{card}.present" for card in ("10de", "0302_10de", "0300_10de"))
_MIG_CAPABLE = "nvidia.com/mig.capable"
_MIG_MANAGER = "nvidia.com/gpu.deploy.mig-manager"
_OPERANDS = tuple(
    f"nvidia.com/gpu.deploy.{part}"
    for part in (
        *("driver", "gpu-feature-discovery", "container-toolkit", "device-plugin", "dcgm", "dcgm-exporter"),
        *("node-status-exporter", "operator-validator"),
    )
)


def changes(labels: Mapping[str, str]) -> dict[str, str | None]:
    """What the operator changes on a node with ``labels``; None removes a label.

    A node of which Node Feature Discovery does not say that it has a GPU has none for the operator, whoever says
    otherwise. A label that is there already is left alone.
    """
    discovered = any(labels.get(key) == "true" for key in _DISCOVERED)
    made: dict[str, str | None] = {}
    if discovered != (labels.get(NVIDIA.label_key) == NVIDIA.label_value) and (
        discovered or NVIDIA.label_key in labels
    ):
        made[NVIDIA.label_key] = NVIDIA.label_value if discovered else "false"
    if not discovered or labels.get(OPERATOR_OPERANDS_LABEL) == "false":
        made |= {key: None for key in (*_OPERANDS, _MIG_MANAGER) if key in labels}
    else:
        made |= {key: "true" for key in _OPERANDS if key not in labels}
        if labels.get(_MIG_CAPABLE) == "true":
            made |= {key: value for key, value in _FOR_MIG.items() if key not in labels}
    return {key: value for key, value in made.items() if labels.get(key) != value}


_FOR_MIG = {_MIG_MANAGER: "true", CONFIG_LABEL: ALL_DISABLED}
