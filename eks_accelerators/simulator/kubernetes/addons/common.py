"""What the add-ons have in common: their namespace, AWS' registry, tolerations and node affinity."""

from eks_accelerators.simulator.kubernetes import objects
from eks_accelerators.simulator.kubernetes.objects import Manifest

NAMESPACE = "kube-system"
REGISTRY = "602401143452.dkr.ecr.us-west-2.amazonaws.com"
"""AWS' account for images of EKS. Nothing pulls them here, so the region does not matter."""

EVERY_TAINT: list[Manifest] = [{"operator": "Exists"}]
"""The toleration of what every node needs."""

CRITICAL_ADDONS: Manifest = {"key": "CriticalAddonsOnly", "operator": "Exists"}

NODE_CRITICAL = "system-node-critical"
CLUSTER_CRITICAL = "system-cluster-critical"

TENTH_AT_A_TIME = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "10%"}}

COMPUTE_TYPE = "eks.amazonaws.com/compute-type"
"""EKS' label on nodes that are not EC2 instances of one's own: fargate, hybrid, auto."""

LINUX = objects.expression("kubernetes.io/os", "In", "linux")
BOTH_ARCHITECTURES = objects.expression("kubernetes.io/arch", "In", "amd64", "arm64")


def on_ec2(*elsewhere: str) -> Manifest:
    """Affinity to Linux nodes of both architectures whose compute type is none of ``elsewhere``."""
    return objects.required_node_affinity(
        [LINUX, BOTH_ARCHITECTURES, objects.expression(COMPUTE_TYPE, "NotIn", *elsewhere)]
    )


def metadata(name: str, labels: dict[str, str] | None = None) -> Manifest:
    """`metadata` of an object in the add-ons' namespace."""
    return objects.metadata(name, NAMESPACE, labels)
