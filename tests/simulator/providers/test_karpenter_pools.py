"""Nodes of a pool that goes end with it, as Karpenter ends them; those of others stay."""

import pytest

from eks_accelerators.simulator.providers.karpenter_pools import end_nodes_of
from tests.simulator.aws.accounts import furnish, opened
from tests.simulator.aws.test_fleets import fleet


@pytest.fixture
def account(tmp_path):
    """An instance of each of two pools."""
    with opened(tmp_path) as aws:
        made = furnish(aws)
        aws.call("ec2", "create_launch_template", LaunchTemplateName="nodes", LaunchTemplateData={"ImageId": "ami-1"})
        for pool in ("gpu", "training"):
            tags = [{"Key": "karpenter.sh/nodepool", "Value": pool}]
            launched = {"TagSpecifications": [{"ResourceType": "instance", "Tags": tags}]}
            aws.call("ec2", "create_fleet", **{**fleet(made, "g6.xlarge"), **launched})
        yield aws


@pytest.mark.parametrize(
    ("deleted", "left"),
    [
        pytest.param(("karpenter.sh/v1", "NodePool", "gpu"), {"training"}, id="its-nodes"),
        pytest.param(("karpenter.sh/v1", "NodePool", "empty"), {"gpu", "training"}, id="a-pool-without-nodes"),
        pytest.param(("karpenter.k8s.aws/v1", "EC2NodeClass", "gpu"), {"gpu", "training"}, id="no-pool"),
    ],
)
def test_nodes_go_with_their_pool(account, deleted, left):
    api_version, kind, name = deleted

    end_nodes_of({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}}, account)

    assert {each.tags["karpenter.sh/nodepool"] for each in account.state.fleet} == left
