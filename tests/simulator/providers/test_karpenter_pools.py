"""What Karpenter has made goes with the object that it was made for; that of others stays."""

import pytest

from eks_accelerators.simulator.aws.errors import AwsError
from eks_accelerators.simulator.providers.karpenter_pools import take_away_what_it_made
from tests.simulator.aws.accounts import furnish, opened, role
from tests.simulator.aws.test_fleets import fleet


@pytest.fixture
def account(tmp_path):
    """An instance of each of two pools, and an instance profile of each of two classes, with a role for nodes."""
    with opened(tmp_path) as aws:
        made = furnish(aws)
        aws.call("ec2", "create_launch_template", LaunchTemplateName="nodes", LaunchTemplateData={"ImageId": "ami-1"})
        for pool in ("gpu", "training"):
            tags = [{"Key": "karpenter.sh/nodepool", "Value": pool}]
            launched = {"TagSpecifications": [{"ResourceType": "instance", "Tags": tags}]}
            aws.call("ec2", "create_fleet", **{**fleet(made, "g6.xlarge"), **launched})
            profile = {"InstanceProfileName": f"ml_{pool}"}
            tags = [{"Key": "karpenter.k8s.aws/ec2nodeclass", "Value": pool}]
            aws.call("iam", "create_instance_profile", **profile, Path="/karpenter/us-east-2/ml/uid/", Tags=tags)
            role(aws, f"nodes-{pool}", "ec2.amazonaws.com")
            aws.call("iam", "add_role_to_instance_profile", **profile, RoleName=f"nodes-{pool}")
        yield aws


def delete(account, api_version, kind, name):
    take_away_what_it_made({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}}, account)


@pytest.mark.parametrize(
    ("deleted", "nodes", "profiles"),
    [
        pytest.param(("karpenter.sh/v1", "NodePool", "gpu"), {"training"}, {"gpu", "training"}, id="pool"),
        pytest.param(("karpenter.sh/v1", "NodePool", "empty"), {"gpu", "training"}, {"gpu", "training"}, id="empty"),
        pytest.param(
            ("karpenter.k8s.aws/v1", "EC2NodeClass", "gpu"), {"gpu", "training"}, {"training"}, id="node-class"
        ),
        pytest.param(("v1", "ConfigMap", "gpu"), {"gpu", "training"}, {"gpu", "training"}, id="nothing-of-karpenter-s"),
    ],
)
def test_what_was_made_goes_with_what_it_was_made_for(account, deleted, nodes, profiles):
    delete(account, *deleted)

    left = account.call("iam", "list_instance_profiles")["InstanceProfiles"]
    assert {each.tags["karpenter.sh/nodepool"] for each in account.state.fleet} == nodes
    assert {each["InstanceProfileName"] for each in left} == {f"ml_{name}" for name in profiles}


def test_a_role_of_nodes_can_go_then(account):
    """IAM keeps one that is in a profile: a stack could not be destroyed."""
    with pytest.raises(AwsError, match="must remove roles from instance profile first"):
        account.call("iam", "delete_role", RoleName="nodes-gpu")

    delete(account, "karpenter.k8s.aws/v1", "EC2NodeClass", "gpu")

    account.call("iam", "delete_role", RoleName="nodes-gpu")
