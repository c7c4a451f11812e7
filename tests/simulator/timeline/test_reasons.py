import pytest

from eks_accelerators.simulator.timeline import Edge, reason, schedule
from tests.simulator.timeline.operations import op

ADDON, GROUP = "aws:eks/addon:Addon", "aws:eks/nodeGroup:NodeGroup"
RELEASE, JOB = "kubernetes:helm.sh/v3:Release", "kubernetes:batch/v1:Job"


def edge(before, after, of=None, **second):
    """The edge between two operations, given by their types, of which the second waits for the first."""
    operations = [op("a", 1, type=before, detail=of), op("b", 1, **{"needs": "a", "type": after, **second})]
    (only,) = schedule(operations, None).edges
    return only


@pytest.mark.parametrize(
    ("made", "part"),
    [
        pytest.param(edge(ADDON, GROUP, "vpc-cni"), "not Ready without the CNI", id="cni-before-nodes"),
        pytest.param(edge(ADDON, GROUP, "kube-proxy"), "reaches no Service", id="kube-proxy-before-nodes"),
        pytest.param(edge("aws:ec2/natGateway:NatGateway", GROUP), "must reach EKS and ECR", id="way-out-before-nodes"),
        pytest.param(edge(GROUP, ADDON), "stay Pending", id="nodes-before-add-ons"),
        pytest.param(edge(RELEASE, JOB), "before a device plugin is there", id="plugin-before-tests"),
        pytest.param(
            edge("kubernetes:apps/v1:Deployment", "kubernetes:keda.sh/v1alpha1:ScaledObject"),
            "target is missing",
            id="servers-before-what-scales-them",
        ),
        pytest.param(
            edge(ADDON, ADDON, "eks-pod-identity-agent", detail="vpc-cni"), "Pod Identity", id="agent-before-cni"
        ),
        pytest.param(
            edge("aws:ec2/vpc:Vpc", "aws:ec2/subnet:Subnet", needs="", property_dependencies={"vpcId": ("a",)}),
            "Subnet b needs vpcId from Vpc a",
            id="value",
        ),
        pytest.param(edge(GROUP, GROUP, needs="", parent="a"), "is a child of", id="parent"),
        pytest.param(edge(GROUP, GROUP, needs="", action="delete"), "in waves", id="deletion-at-the-end"),
    ],
)
def test_edges_have_a_reason(made, part):
    assert part in reason(made)


def test_of_deletions_and_replacements():
    gone = [op("a", 1, action="delete"), op("b", 1, "a", action="delete")]
    in_place = op("a", 1, action="replace", delete_seconds=1, delete_before_replace=True)

    assert "Thing b depends on Thing a" in reason(schedule(gone).edges[0])
    assert "goes before its replacement" in reason(schedule([in_place]).edges[0])


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(edge(ADDON, GROUP, "coredns"), id="add-on-that-nodes-do-not-need"),
        pytest.param(edge("aws:ec2/natGateway:NatGateway", "aws:eks/cluster:Cluster"), id="way-out-before-the-cluster"),
        pytest.param(edge(GROUP, "aws:sns/topic:Topic"), id="nothing-to-do-with-each-other"),
    ],
)
def test_others_have_none(made):
    assert isinstance(made, Edge)
    assert reason(made) is None
