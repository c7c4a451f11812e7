"""What the nodes of a group are, once every default is applied."""

import pytest

from eks_accelerators.settings.gpu_servers import GpuServer
from eks_accelerators.settings.model.node_groups import PlacementGroupChoice, UpdateStrategy
from eks_accelerators.settings.resolved_stack import resolve_stack
from tests.settings.example import RESERVED, TAINT, TRAINIUM, WITH_EFA, check


def resolved(patch):
    return resolve_stack(check(patch).settings).groups["gpu"]


def test_a_plain_gpu_group():
    group = resolved({})

    assert group.ami_type == "AL2023_x86_64_NVIDIA"
    assert group.interfaces == ()
    assert group.resources == {"nvidia.com/gpu": 1}
    assert [str(taint) for taint in group.taints] == ["nvidia.com/gpu=true:NoSchedule"]
    assert group.labels == {
        "eks-accelerators/node-group": "gpu",
        "nvidia.com/gpu.present": "true",
        "nvidia.com/device-plugin.config": "exclusive",
        "nvidia.com/gpu.deploy.operands": "false",
    }
    assert group.zones == ("us-east-2a", "us-east-2b")
    assert group.node_selector == {"eks-accelerators/node-group": "gpu"}
    assert group.served_by is GpuServer.DEVICE_PLUGIN


def test_a_shared_group():
    sharing = {"strategy": "timeSlicing", "replicas": 4, "renameByDefault": True, "allocationPolicy": "packed"}
    group = resolved({"nodeGroups.gpu.sharing": sharing})

    assert group.resource == "nvidia.com/gpu.shared"
    assert group.resources == {"nvidia.com/gpu.shared": 4}
    assert group.labels["nvidia.com/device-plugin.config"] == "time-slicing-4-renamed-packed"
    assert group.sharing.fail_requests_greater_than_one


@pytest.mark.parametrize(
    ("sharing", "key", "replicas"),
    [
        pytest.param({"strategy": "mps", "replicas": 4}, "mps-4", 4, id="mps"),
        pytest.param({"strategy": "mps", "memoryGib": 4}, "mps-5", 5, id="mps-by-memory"),
        pytest.param({"strategy": "mps", "memoryGib": 0.1}, "mps-48", 48, id="mps-as-many-as-its-daemon-takes"),
        pytest.param({"strategy": "timeSlicing", "memoryGib": 0.1}, "time-slicing-223", 223, id="as-many-as-fit"),
    ],
)
def test_shares_by_number_and_by_memory(sharing, key, replicas):
    group = resolved({"nodeGroups.gpu.sharing": sharing, "workloads": {}})

    assert group.labels["nvidia.com/device-plugin.config"] == key
    assert group.resources == {"nvidia.com/gpu": replicas}


def test_bottlerocket_runs_a_plugin_of_its_own():
    group = resolved({"nodeGroups.gpu.ami.type": "BOTTLEROCKET_x86_64_NVIDIA"})

    assert group.served_by is GpuServer.NODE_IMAGE
    assert "nvidia.com/device-plugin.config" not in group.labels


def test_pods_claim_gpus_where_the_group_says_so():
    group = resolved({"nodeGroups.gpu.dynamicResourceAllocation": True, "workloads": {}})

    assert group.served_by is GpuServer.DRA_DRIVER
    assert group.resources == {}
    assert group.claimable == {"gpu.nvidia.com": 1}
    assert resolved({}).claimable == {}


BOTTLEROCKET = {"nodeGroups.gpu.ami.type": "BOTTLEROCKET_x86_64_NVIDIA"}
BY_CLAIM = {"nodeGroups.gpu.dynamicResourceAllocation": True, "workloads": {}}
OPERATOR = {"nvidia.stack": "operator"}
CLOSED = {"nvidia.com/gpu.deploy.operands": "false"}


@pytest.mark.parametrize(
    ("patch", "server", "labels"),
    [
        ({}, GpuServer.DEVICE_PLUGIN, {"nvidia.com/device-plugin.config": "exclusive", **CLOSED}),
        (OPERATOR, GpuServer.GPU_OPERATOR, {"nvidia.com/device-plugin.config": "exclusive"}),
        (BOTTLEROCKET, GpuServer.NODE_IMAGE, CLOSED),
        (BOTTLEROCKET | OPERATOR, GpuServer.NODE_IMAGE, CLOSED),
        (BY_CLAIM, GpuServer.DRA_DRIVER, {"eks-accelerators/dynamic-resource-allocation": "true", **CLOSED}),
        (BY_CLAIM | OPERATOR, GpuServer.DRA_DRIVER, {"eks-accelerators/dynamic-resource-allocation": "true", **CLOSED}),
    ],
    ids=["charts", "operator", "image", "image beside the operator", "claims", "claims beside the operator"],
)
def test_each_gpu_node_has_one_server_and_labels_keep_the_others_off(patch, server, labels):
    group = resolved(patch)
    ours = {"eks-accelerators/node-group": "gpu", "nvidia.com/gpu.present": "true"}

    assert group.served_by is server
    assert group.labels == ours | labels


P5 = {"nodeGroups.gpu.instanceType": "p5.48xlarge", "workloads": {}}


@pytest.mark.parametrize(
    ("patch", "name"),
    [
        (OPERATOR, None),
        (OPERATOR | P5, "all-disabled"),
        (OPERATOR | P5 | {"nodeGroups.gpu.sharing": {"strategy": "timeSlicing", "replicas": 4}}, "all-disabled"),
        (
            OPERATOR | P5 | {"nodeGroups.gpu.sharing": {"strategy": "mig", "mig": {"layout": {"1g.10gb": 7}}}},
            "all-1g.10gb",
        ),
        (P5 | {"nodeGroups.gpu.sharing": {"strategy": "mig", "mig": {"layout": {"1g.10gb": 7}}}}, None),
        (OPERATOR | P5 | BY_CLAIM, None),
    ],
    ids=["no MIG", "whole", "whole and shared", "divided", "divided at boot", "claims"],
)
def test_the_gpu_operator_is_told_how_to_divide_gpus_that_mig_could_divide(patch, name):
    """Where it is told nothing it leaves the GPUs as they are, and so as they once were."""
    assert resolved(patch).labels.get("nvidia.com/mig.config") == name


def test_a_neuron_group():
    group = resolved(TRAINIUM)

    assert group.ami_type == "AL2023_x86_64_NEURON"
    assert group.resources == {"aws.amazon.com/neuron": 16, "aws.amazon.com/neuroncore": 32}
    assert [taint.toleration for taint in group.taints] == [
        {"key": "aws.amazon.com/neuron", "operator": "Equal", "value": "true", "effect": "NoSchedule"},
    ]
    assert group.served_by is None


def test_efa_adds_interfaces_a_label_and_a_resource():
    group = resolved(WITH_EFA)

    assert group.has_efa
    assert len(group.interfaces) == 33
    assert group.resources == {"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32}
    assert group.labels["vpc.amazonaws.com/efa.present"] == "true"


def test_a_layout_of_one_s_own_is_taken_as_it_is():
    own = [{"card": 0, "device": 0, "type": "efa"}]
    group = resolved({**WITH_EFA, "nodeGroups.gpu.efa.interfaces": own})

    assert group.resources["vpc.amazonaws.com/efa"] == 1


def test_own_labels_and_taints_come_beside_ours():
    group = resolved({"nodeGroups.gpu.labels": {"team": "ml"}, "nodeGroups.gpu.taints": [TAINT]})

    assert group.labels["team"] == "ml"
    assert [str(taint) for taint in group.taints] == ["nvidia.com/gpu=true:NoSchedule", "team=ml:NoSchedule"]


@pytest.mark.parametrize(
    ("patch", "placement", "update"),
    [
        pytest.param({}, PlacementGroupChoice.NONE, UpdateStrategy.DEFAULT, id="plain"),
        pytest.param(WITH_EFA, PlacementGroupChoice.CLUSTER, UpdateStrategy.DEFAULT, id="efa-in-one-zone"),
        pytest.param(
            {**WITH_EFA, "nodeGroups.gpu.capacityType": "spot"},
            PlacementGroupChoice.NONE,
            UpdateStrategy.DEFAULT,
            id="efa-on-spot",
        ),
        pytest.param(
            {**WITH_EFA, "nodeGroups.gpu.capacityReservationId": "cr-0123456789abcdef0"},
            PlacementGroupChoice.NONE,
            UpdateStrategy.MINIMAL,
            id="reservation",
        ),
        pytest.param(
            {**RESERVED, "nodeGroups.gpu.efa.enabled": True},
            PlacementGroupChoice.NONE,
            UpdateStrategy.MINIMAL,
            id="block",
        ),
        pytest.param(
            {"nodeGroups.gpu.update.strategy": "minimal"},
            PlacementGroupChoice.NONE,
            UpdateStrategy.MINIMAL,
            id="written",
        ),
    ],
)
def test_placement_and_updates_follow_from_how_nodes_are_bought(patch, placement, update):
    group = resolved(patch)

    assert (group.placement_group, group.update_strategy) == (placement, update)


def test_the_zone_of_a_block_is_not_known_beforehand():
    assert resolved(RESERVED).zones == ()


@pytest.mark.parametrize(
    ("patch", "ami_type"),
    [
        pytest.param({"nodeGroups.gpu.ami.imageId": "ami-0123456789abcdef0"}, "CUSTOM", id="own-image"),
        pytest.param({"nodeGroups.gpu.instanceType": "g7.2xlarge"}, "CUSTOM", id="no-image-published"),
    ],
)
def test_custom_images(patch, ami_type):
    assert resolved(patch).ami_type == ami_type


def test_groups_that_cannot_be_resolved_are_left_out():
    patch = {**WITH_EFA, "nodeGroups.gpu.instanceType": "g6.xlarge"}

    assert resolve_stack(check(patch).settings).groups == {}
