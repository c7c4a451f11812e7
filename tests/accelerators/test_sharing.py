import pytest

from accelerators import instance_types, sharing
from accelerators.sharing import EXCLUSIVE, Sharing

FOUR = Sharing("timeSlicing", 4)
RENAMED = Sharing("timeSlicing", 4, renamed=True)


@pytest.mark.parametrize(
    ("instance_type", "kind", "efa_interfaces", "expected"),
    [
        pytest.param("g6.2xlarge", EXCLUSIVE, 0, {"nvidia.com/gpu": 1}, id="one-gpu"),
        pytest.param("g6.2xlarge", FOUR, 0, {"nvidia.com/gpu": 4}, id="one-gpu-in-four-shares"),
        pytest.param("g6.12xlarge", FOUR, 0, {"nvidia.com/gpu": 16}, id="four-gpus-in-four-shares-each"),
        pytest.param("g6.2xlarge", RENAMED, 0, {"nvidia.com/gpu.shared": 4}, id="renamed"),
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
