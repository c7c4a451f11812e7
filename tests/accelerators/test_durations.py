import re

import pytest

from eks_accelerators.accelerators import durations, resource_types

FIGURES = [
    pytest.param(known, figure, id=f"{kind}-{detail or 'any'}-{action}")
    for kind, known in resource_types.every().items()
    for detail, part in [("", known.durations), *known.durations.get("details", {}).items()]
    for action, figure in part.items()
    if action in ("create", "update", "delete")
]
NODE_GROUP, ADDON = "aws:eks/nodeGroup:NodeGroup", "aws:eks/addon:Addon"


@pytest.mark.parametrize(("known", "figure"), FIGURES)
def test_every_figure_has_a_source(known, figure):
    source = known.sources[figure["source"]]

    assert 0 < figure["seconds"] < 3600
    assert re.search(r"2026-11-2[0-2]", source)


@pytest.mark.parametrize(
    ("kind", "action", "detail", "seconds"),
    [
        pytest.param("aws:eks/cluster:Cluster", "create", None, 562, id="by-type"),
        pytest.param(ADDON, "create", "coredns", 14, id="by-detail"),
        pytest.param(ADDON, "create", "unheard-of", 40, id="other-detail"),
        pytest.param(ADDON, "delete", "coredns", 9, id="detail-without-this-action"),
        pytest.param(NODE_GROUP, "create", "m7i.large", 130, id="ordinary-nodes"),
        pytest.param(NODE_GROUP, "create", "g6.2xlarge", 180, id="gpu-nodes"),
        pytest.param(NODE_GROUP, "create", "p5.48xlarge", 480, id="large-nodes"),
        pytest.param(NODE_GROUP, "create", "m7i.metal-24xl", 480, id="bare-metal"),
        pytest.param(NODE_GROUP, "create", "g4dn.metal", 480, id="bare-metal-with-gpus"),
        pytest.param(NODE_GROUP, "create", "0 nodes", 58, id="no-nodes"),
        pytest.param("pulumi:providers:kubernetes", "create", None, 1, id="any-provider"),
        pytest.param("kubernetes:apps/v1:Deployment", "create", "vllm/vllm-openai:v0.28.0", 360, id="by-image"),
    ],
)
def test_usual_seconds(kind, action, detail, seconds):
    assert durations.seconds(kind, action, detail).seconds == seconds


@pytest.mark.parametrize(
    ("instance_type", "seconds"),
    [
        pytest.param("m7i.large", 72, id="ordinary"),
        pytest.param("g6.2xlarge", 122, id="gpu"),
        pytest.param("p5.48xlarge", 422, id="large"),
    ],
)
def test_a_node_takes_what_a_group_takes_longer_with_nodes(instance_type, seconds):
    assert durations.node_seconds(instance_type) == seconds


@pytest.mark.parametrize(
    ("kind", "detail"),
    [
        pytest.param("aws:s3/bucket:Bucket", None, id="unknown-type"),
        pytest.param("aws:ec2/vpcEndpoint:VpcEndpoint", None, id="kind-of-endpoint-not-given"),
        pytest.param("kubernetes:apps/v1:Deployment", "nginx:1.29", id="image-that-nobody-measured"),
    ],
)
def test_the_unknown_is_said(kind, detail):
    assert durations.seconds(kind, "create", detail) is None


def test_estimates_are_told_apart():
    assert durations.seconds(NODE_GROUP, "create", "p5.48xlarge").estimate
    assert not durations.seconds(NODE_GROUP, "create").estimate


@pytest.mark.parametrize(
    ("kind", "name", "called"),
    [
        pytest.param("aws:ec2/subnet:Subnet", "a", "VPC", id="part-of-something"),
        pytest.param("kubernetes:apps/v1:Deployment", "llama", "Llama", id="by-its-own-name"),
        pytest.param("aws:s3/bucket:Bucket", "a", "Bucket", id="unknown-type"),
    ],
)
def test_names_of_resources(kind, name, called):
    assert durations.name(kind, name) == called


def test_names_of_components():
    assert durations.component_name("eks-accelerators:index:AcceleratorNodeGroup", "h100") == "Nodes h100"
    assert durations.component_name("other:index:Bastion", "b") == "Bastion b"
    assert durations.component_name("eks-accelerators:index:MadeUp", "made-up") == "Made up"
    assert durations.component_name("eks-accelerators:index:MadeUp", "llama") == "Made up llama"
