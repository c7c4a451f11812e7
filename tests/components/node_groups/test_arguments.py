"""Arguments that cannot work are refused with every problem, before anything is registered."""

import pytest

from eks_accelerators.settings.problems import SettingsError
from tests.components.node_groups.example import BOTTLEROCKET, CUSTOM_IMAGE, ONE_ZONE, P5_WITH_EFA, block, group, tried

BAD = [
    pytest.param({"instance_type": "g6.2xlarg"}, {"unknown-instance-type"}, id="misspelt-type"),
    pytest.param({"size": {}}, {"missing-key"}, id="no-size"),
    pytest.param({"size": {"max": "2"}}, {"wrong-type"}, id="text-for-a-number"),
    pytest.param({"size": {"max": 2, "maximum": 2}}, {"unknown-key"}, id="unknown-key"),
    pytest.param({"capacity_type": "reserved"}, {"not-allowed"}, id="unknown-word"),
    pytest.param({"size": {"min": 3, "max": 2}}, {"size-order"}, id="more-at-least-than-at-most"),
    pytest.param({"capacity_type": "capacityBlock"}, {"capacity-block-not-named"}, id="no-block"),
    pytest.param({**block(), "capacity_type": "spot"}, {"capacity-type-exclusive"}, id="block-and-spot"),
    pytest.param({**block(), "capacity_type": "onDemand"}, {"capacity-type-exclusive"}, id="block-and-on-demand"),
    pytest.param(
        {**block(), "instance_type": "g6.2xlarge"}, {"capacity-block-type-not-sold"}, id="type-not-sold-as-block"
    ),
    pytest.param({"instance_type": "g6.xlarge", "efa": {"enabled": True}}, {"efa-not-supported"}, id="no-efa"),
    pytest.param({**P5_WITH_EFA, "zones": ["us-east-2a", "us-east-2b"]}, {"efa-several-zones"}, id="efa-in-two-zones"),
    pytest.param({"zones": ["us-east-2c"]}, {"zone-not-in-network"}, id="zone-without-subnet"),
    pytest.param({"ami": {"type": "AL2023_x86_64_STANDARD"}}, {"ami-without-nvidia-driver"}, id="no-driver"),
    pytest.param({"labels": {"nvidia.com/gpu.present": "no"}}, {"own-label-changed"}, id="our-label"),
    pytest.param({"sharing": {"strategy": "mps", "replicas": 49}}, {"mps-clients"}, id="mps"),
    pytest.param({**BOTTLEROCKET, "local_nvme": "raid0"}, {"no-local-nvme"}, id="nodeadm-on-bottlerocket"),
]


@pytest.mark.parametrize(("changes", "codes"), BAD)
def test_bad_arguments(changes, codes):
    deployment = tried(changes)

    assert isinstance(deployment.error, SettingsError)
    assert codes <= {problem.code for problem in deployment.error.problems}
    assert deployment.of("AcceleratorNodeGroup") == []
    assert {resource.name for resource in deployment.resources} <= {"in-cluster"}


def test_every_problem_is_named_at_once():
    deployment = tried({"size": {"min": 3, "max": 2}, **BOTTLEROCKET, "local_nvme": "raid0", "zones": ["us-east-2c"]})

    assert len(deployment.error.problems) >= 3
    for problem in deployment.error.problems:
        assert problem.message in str(deployment.error)


@pytest.mark.parametrize("key", ["cluster_endpoint", "cluster_certificate_authority", "cluster_service_cidr"])
def test_a_custom_image_needs_to_be_told_of_the_cluster(key):
    deployment = tried({name: value for name, value in CUSTOM_IMAGE.items() if name != key})

    (problem,) = deployment.error.problems
    assert (problem.code, problem.path) == ("missing-key", key)
    assert deployment.of("AcceleratorNodeGroup") == []


def test_a_warning_stops_nothing():
    """One interruption of a Spot node stops a whole training job: worth a word, not a refusal."""
    assert group({**P5_WITH_EFA, "capacity_type": "spot", **ONE_ZONE}).one("NodeGroup")
