"""What discovery writes on nodes."""

import re

import pytest

from eks_accelerators.accelerators import instance_types
from eks_accelerators.accelerators.device_plugin import Node
from eks_accelerators.settings.described_types import described_types
from eks_accelerators.simulator.kubernetes.feature_labels import from_gfd, from_nfd, is_discovered, product
from eks_accelerators.simulator.kubernetes.plugin_configuration import PluginConfiguration, parse
from tests.settings.example import check
from tests.settings.rules.instance_types import described

GPUS = [kind for kind in instance_types.every() if kind.has_nvidia_gpu]
LABEL_VALUE = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")


@pytest.mark.parametrize("kind", GPUS, ids=lambda kind: kind.name)
def test_every_gpu_has_labels_that_kubernetes_takes(kind):
    labels = from_gfd(Node.of(kind), PluginConfiguration("time-slicing", 2))

    assert labels["nvidia.com/gpu.count"] == str(kind.accelerator.count)
    assert labels["nvidia.com/gpu.product"].endswith("-SHARED")
    assert all(LABEL_VALUE.fullmatch(value) for value in labels.values())


@pytest.mark.parametrize(
    ("configuration", "product", "replicas", "strategy", "mps"),
    [
        pytest.param(PluginConfiguration(), "NVIDIA-L4", "1", "none", "false", id="exclusive"),
        pytest.param(
            PluginConfiguration("time-slicing", 4), "NVIDIA-L4-SHARED", "4", "time-slicing", "false", id="time-sliced"
        ),
        pytest.param(
            PluginConfiguration("time-slicing", 4, renamed=True),
            "NVIDIA-L4",
            "4",
            "time-slicing",
            "false",
            id="renamed",
        ),
        pytest.param(PluginConfiguration("mps", 4), "NVIDIA-L4-SHARED", "4", "mps", "true", id="mps"),
    ],
)
def test_labels_of_sharing(configuration, product, replicas, strategy, mps):
    labels = from_gfd(Node.of(instance_types.get("g6.12xlarge")), configuration)

    assert (
        labels.items()
        >= {
            "nvidia.com/gpu.count": "4",
            "nvidia.com/gpu.product": product,
            "nvidia.com/gpu.replicas": replicas,
            "nvidia.com/gpu.sharing-strategy": strategy,
            "nvidia.com/mps.capable": mps,
        }.items()
    )


@pytest.mark.parametrize(
    ("instance_type", "product", "family"),
    [
        pytest.param("g4dn.xlarge", "Tesla-T4", "turing", id="T4"),
        pytest.param("p4d.24xlarge", "NVIDIA-A100-SXM4-40GB", "ampere", id="A100-40"),
        pytest.param("p4de.24xlarge", "NVIDIA-A100-SXM4-80GB", "ampere", id="A100-80"),
        pytest.param("g6.xlarge", "NVIDIA-L4", "ada-lovelace", id="L4"),
        pytest.param("p5.48xlarge", "NVIDIA-H100-80GB-HBM3", "hopper", id="H100"),
        pytest.param("p6-b200.48xlarge", "NVIDIA-B200", "blackwell", id="B200"),
    ],
)
def test_products_and_families(instance_type, product, family):
    labels = from_gfd(Node.of(instance_types.get(instance_type)), PluginConfiguration())

    assert (labels["nvidia.com/gpu.product"], labels["nvidia.com/gpu.family"]) == (product, family)


def test_vendors_of_cards():
    """What the chart's affinity waits for, where values do not replace it."""
    assert "feature.node.kubernetes.io/pci-10de.present" in from_nfd(instance_types.get("g6.xlarge"))
    for kind in (instance_types.get("trn1.2xlarge"), None):
        assert from_nfd(kind) == {"feature.node.kubernetes.io/pci-1d0f.present": "true"}


@pytest.mark.parametrize(
    ("layouts", "text"),
    [((None,), ""), (({"3g.40gb": 2},), "{version: v1, flags: {migStrategy: mixed}}")],
    ids=["whole", "divided"],
)
def test_its_labels_are_known_for_discovery_s(layouts, text):
    kind = instance_types.get("p5.4xlarge")
    made = from_gfd(Node.of(kind, layouts), parse(text)) | from_nfd(kind)

    assert ("nvidia.com/mig-3g.40gb.count" in made) == bool(text)
    assert [key for key in made if not is_discovered(key)] == []
    assert not any(
        map(is_discovered, ("nvidia.com/gpu.present", "nvidia.com/gpu.deploy.dcgm", "nvidia.com/mig.config"))
    )


def test_a_gpu_that_nobody_has_seen_is_called_by_its_name():
    settings = check(described()).settings
    (kind,) = described_types(settings)

    assert product(kind) == "NVIDIA-R100"
