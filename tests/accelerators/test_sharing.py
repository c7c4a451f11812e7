import pytest
from hypothesis import given
from hypothesis import strategies as st

from eks_accelerators.accelerators import instance_types, sharing
from eks_accelerators.accelerators.sharing import EXCLUSIVE, Partitioning, Sharing
from eks_accelerators.accelerators.sharing_effects import effects

FOUR = Sharing("timeSlicing", 4)
RENAMED = Sharing("timeSlicing", 4, renamed=True)


@pytest.mark.parametrize(
    ("instance_type", "kind", "efa_interfaces", "expected"),
    [
        pytest.param("g6.2xlarge", EXCLUSIVE, 0, {"nvidia.com/gpu": 1}, id="one-gpu"),
        pytest.param("g6.2xlarge", FOUR, 0, {"nvidia.com/gpu": 4}, id="one-gpu-in-four-shares"),
        pytest.param("g6.12xlarge", FOUR, 0, {"nvidia.com/gpu": 16}, id="four-gpus-in-four-shares-each"),
        pytest.param("g6.2xlarge", RENAMED, 0, {"nvidia.com/gpu.shared": 4}, id="renamed"),
        pytest.param("g6e.12xlarge", Sharing("mps", 8), 0, {"nvidia.com/gpu": 32}, id="mps"),
        pytest.param("g6e.xlarge", Sharing("mps", 8, renamed=True), 0, {"nvidia.com/gpu.shared": 8}, id="mps-renamed"),
        pytest.param(
            "p5.48xlarge",
            Sharing("mig", mig=Partitioning.of("mixed", [{"3g.40gb": 1, "1g.10gb": 4}] * 7 + [{}])),
            0,
            {"nvidia.com/gpu": 1, "nvidia.com/mig-3g.40gb": 7, "nvidia.com/mig-1g.10gb": 28},
            id="mig-mixed",
        ),
        pytest.param(
            "p4d.24xlarge",
            Sharing("mig", mig=Partitioning.of("single", [{"1g.5gb": 7}])),
            0,
            {"nvidia.com/gpu": 56},
            id="mig-single",
        ),
        pytest.param("g6f.xlarge", EXCLUSIVE, 0, {"nvidia.com/gpu": 1}, id="fractional-gpu-is-one"),
        pytest.param("p5.48xlarge", EXCLUSIVE, 32, {"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32}, id="with-efa"),
        pytest.param(
            "trn1.32xlarge", EXCLUSIVE, 0, {"aws.amazon.com/neuron": 16, "aws.amazon.com/neuroncore": 32}, id="trn1"
        ),
        pytest.param(
            "trn2.48xlarge",
            EXCLUSIVE,
            0,
            {"aws.amazon.com/neuron": 16, "aws.amazon.com/neuroncore": 64},
            id="trn2-joins-two-cores-into-one",
        ),
    ],
)
def test_what_a_node_advertises(instance_type, kind, efa_interfaces, expected):
    assert sharing.advertised(instance_types.get(instance_type), kind, efa_interfaces) == expected


@pytest.mark.parametrize("kind", instance_types.every(), ids=lambda kind: kind.name)
def test_the_resource_that_pods_ask_for_is_advertised(kind):
    assert sharing.advertised(kind)[sharing.resource_name(kind)] == kind.accelerator.count


@pytest.mark.parametrize(
    ("memory_mib", "wanted_gib", "replicas"),
    [
        pytest.param(22888, 4, 5, id="rounded-down"),
        pytest.param(16384, 4, 4, id="exactly"),
        pytest.param(16384, 4.001, 3, id="a-little-more"),
        pytest.param(2861, 4, 0, id="not-once"),
    ],
)
def test_how_many_replicas_a_wish_for_memory_allows(memory_mib, wanted_gib, replicas):
    assert sharing.replicas_of_memory(memory_mib, wanted_gib) == replicas


@given(memory_mib=st.integers(1, 300_000), wanted_gib=st.floats(0.1, 300))
def test_the_most_replicas_whose_share_is_at_least_the_wish(memory_mib, wanted_gib):
    found = sharing.replicas_of_memory(memory_mib, wanted_gib)

    assert found == 0 or memory_mib / 1024 / found >= wanted_gib * (1 - 1e-9)
    assert memory_mib / 1024 / (found + 1) < wanted_gib * (1 + 1e-9)


@pytest.mark.parametrize(
    ("instance_type", "kind"),
    [
        pytest.param("g6.2xlarge", EXCLUSIVE, id="exclusive"),
        pytest.param("g6.2xlarge", FOUR, id="time-slicing"),
        pytest.param("g6e.2xlarge", Sharing("mps", 8), id="mps"),
        pytest.param(
            "p5.48xlarge", Sharing("mig", mig=Partitioning.of("mixed", [{"3g.40gb": 1, "1g.10gb": 4}])), id="mig"
        ),
    ],
)
def test_what_sharing_does_to_pods(instance_type, kind, snapshot):
    assert effects(instance_types.get(instance_type), kind) == snapshot
