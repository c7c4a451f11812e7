"""What Karpenter does when one of its objects goes, also where the real one does not run: it takes away what it has made.

Of a NodePool that is its nodes, at once: draining them is left out. Of an EC2NodeClass its instance profiles, without which the
role of nodes cannot go; launch templates stay. A stack deletes both before Karpenter, which therefore is there to do it.
Source: kubernetes-sigs/karpenter v1.14.1: a NodeClaim is owned by its NodePool, and `controllers/nodeclaim/lifecycle` ends the
instance of one that is deleted; aws/karpenter-provider-aws v1.14.1 `controllers/nodeclass/controller.go`; read 2026-11-22.
"""

from collections.abc import Mapping
from typing import Any

from eks_accelerators.accelerators.karpenter import NODE_CLASS_TAG, NODE_POOL_TAG
from eks_accelerators.simulator.aws.account import Account

_PROFILES = "/karpenter/"
"""The path of its instance profiles."""


def take_away_what_it_made(deleted: Mapping[str, Any], account: Account) -> None:
    """Take away what Karpenter has made for the object that was ``deleted``; for any but its own there is nothing."""
    kind = deleted["apiVersion"].partition("/")[0], deleted["kind"]
    if kind == ("karpenter.sh", "NodePool"):
        _end_nodes(deleted["metadata"]["name"], account)
    elif kind == ("karpenter.k8s.aws", "EC2NodeClass"):
        _remove_profiles(deleted["metadata"]["name"], account)


def _end_nodes(pool: str, account: Account) -> None:
    launched = [each.instance.id for each in account.state.fleet if each.tags.get(NODE_POOL_TAG) == pool]
    if launched:
        account.call("ec2", "terminate_instances", InstanceIds=launched)


def _remove_profiles(node_class: str, account: Account) -> None:
    for profile in account.call("iam", "list_instance_profiles", PathPrefix=_PROFILES)["InstanceProfiles"]:
        named = {"InstanceProfileName": profile["InstanceProfileName"]}
        found = account.call("iam", "get_instance_profile", **named)["InstanceProfile"]
        if {"Key": NODE_CLASS_TAG, "Value": node_class} in found.get("Tags", []):
            for role in profile["Roles"]:
                account.call("iam", "remove_role_from_instance_profile", **named, RoleName=role["RoleName"])
            account.call("iam", "delete_instance_profile", **named)
