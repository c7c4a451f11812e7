import re

import pytest

from eks_accelerators.accelerators import autoscaler, instance_types, kubernetes_versions
from eks_accelerators.accelerators.autoscaler import label_of, node_template_tags, spot_priorities, template_resources
from eks_accelerators.accelerators.scheduling import Taint

L4, TRN1 = instance_types.get("g6.2xlarge"), instance_types.get("trn1.32xlarge")

PUBLISHED = {
    "autoscaling:DescribeAutoScalingGroups",
    "autoscaling:DescribeAutoScalingInstances",
    "autoscaling:DescribeLaunchConfigurations",
    "autoscaling:DescribeScalingActivities",
    "ec2:DescribeImages",
    "ec2:DescribeInstanceTypes",
    "ec2:DescribeLaunchTemplateVersions",
    "ec2:GetInstanceTypesFromInstanceRequirements",
    "eks:DescribeNodegroup",
    "autoscaling:SetDesiredCapacity",
    "autoscaling:TerminateInstanceInAutoScalingGroup",
}
"""The full policy of kubernetes/autoscaler 55c37cd, `cluster-autoscaler/cloudprovider/aws/README.md`."""


def test_tags_describe_a_node_that_is_not_there_yet():
    tags = node_template_tags({"team": "ml"}, [Taint("nvidia.com/gpu", "true", "NoSchedule")], {"nvidia.com/gpu": 4})

    assert tags == {
        "k8s.io/cluster-autoscaler/node-template/label/team": "ml",
        "k8s.io/cluster-autoscaler/node-template/taint/nvidia.com/gpu": "true:NoSchedule",
        "k8s.io/cluster-autoscaler/node-template/resources/nvidia.com/gpu": "4",
    }


def test_a_group_without_anything_has_no_tags():
    assert node_template_tags({}, [], {}) == {}


@pytest.mark.parametrize(
    ("kind", "advertised", "expected"),
    [
        (L4, {"nvidia.com/gpu": 4}, {"nvidia.com/gpu": 4}),
        (L4, {"nvidia.com/gpu.shared": 4}, {"nvidia.com/gpu": 0, "nvidia.com/gpu.shared": 4}),
        (L4, {}, {"nvidia.com/gpu": 0}),
        (TRN1, {"aws.amazon.com/neuron": 16}, {"aws.amazon.com/neuron": 16}),
    ],
    ids=["whole or shared under its own name", "renamed", "claimed", "neuron"],
)
def test_a_node_to_be_has_no_whole_gpu_that_nobody_can_ask_for(kind, advertised, expected):
    assert template_resources(kind, advertised) == expected


@pytest.mark.parametrize(
    ("kind", "advertised", "expected"),
    [
        (L4, {"nvidia.com/gpu": 1}, {"k8s.amazonaws.com/accelerator": "nvidia-l4"}),
        (L4, {"nvidia.com/gpu.shared": 4}, {}),
        (L4, {}, {}),
        (TRN1, {"aws.amazon.com/neuron": 16}, {}),
    ],
    ids=["plugin says nvidia.com/gpu", "renamed", "claimed", "neuron"],
)
def test_a_node_waits_for_the_resource_that_its_plugin_advertises(kind, advertised, expected):
    assert label_of(kind, advertised) == expected


def test_the_label_is_valid_for_every_type():
    for kind in instance_types.every():
        for value in label_of(kind, {"nvidia.com/gpu": 1}).values():
            assert re.fullmatch(r"[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?", value), kind.name


def test_spot_comes_before_all_others_and_no_name_is_taken_for_another():
    priorities = spot_priorities(["l4", "l4-spot"])
    uuid = "8ec8b3e9-6b3d-4b3f-8b7d-0f1e2d3c4b5a"

    def priority(node_group):
        name = f"eks-{node_group}-{uuid}"
        return max(each for each, found in priorities.items() if any(re.search(pattern, name) for pattern in found))

    assert [priority(name) for name in ("l4-1a2b3c4", "l4-spot-1a2b3c4", "l4-on-demand-1a2b3c4")] == [20, 20, 10]


def test_without_spot_groups_all_are_alike():
    assert spot_priorities([]) == {10: [".*"]}


def test_its_rights_are_the_published_ones_and_writes_are_held_to_what_is_tagged():
    look, scale = autoscaler.policy("ml")["Statement"]

    assert {*look["Action"], *scale["Action"]} == PUBLISHED
    assert scale["Condition"] == {
        "StringEquals": {
            "aws:ResourceTag/k8s.io/cluster-autoscaler/ml": "owned",
            "aws:ResourceTag/eks-accelerators/autoscaled": "true",
        }
    }


def test_versions_go_with_those_of_kubernetes():
    for name in kubernetes_versions.every():
        version = autoscaler.image_version(name)
        assert version is None or version.startswith(f"{name}.")
    assert autoscaler.image_version(kubernetes_versions.default())
