"""What Karpenter does when one of its pools goes, also where the real one does not run: it ends the nodes of the pool.

At once: draining them is left out. A stack deletes its pools before Karpenter, which therefore is there to do it.
Source: kubernetes-sigs/karpenter v1.14.1: a NodeClaim is owned by its NodePool, and `controllers/nodeclaim/lifecycle` ends the
instance of one that is deleted; read 2026-11-22.
"""

from collections.abc import Mapping
from typing import Any

from eks_accelerators.accelerators.karpenter import NODE_POOL_TAG
from eks_accelerators.simulator.aws.account import Account


def end_nodes_of(deleted: Mapping[str, Any], account: Account) -> None:
    """End the instances of the pool that was ``deleted``; of any other object there are none."""
    if (deleted["apiVersion"].partition("/")[0], deleted["kind"]) != ("karpenter.sh", "NodePool"):
        return
    name = deleted["metadata"]["name"]
    launched = [each.instance.id for each in account.state.fleet if each.tags.get(NODE_POOL_TAG) == name]
    if launched:
        account.call("ec2", "terminate_instances", InstanceIds=launched)
