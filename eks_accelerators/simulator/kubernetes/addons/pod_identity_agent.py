"""The add-on `eks-pod-identity-agent`: hands pods the credentials of their IAM role.

Source: aws/eks-pod-identity-agent, `charts/eks-pod-identity-agent` (values.yaml, `templates/daemonset.yaml`), read
2026-11-20.
"""

from eks_accelerators.simulator.kubernetes import objects
from eks_accelerators.simulator.kubernetes.addons.common import (
    EVERY_TAINT,
    NODE_CRITICAL,
    REGISTRY,
    TENTH_AT_A_TIME,
    metadata,
    on_ec2,
)
from eks_accelerators.simulator.kubernetes.objects import Manifest

ADDON = "eks-pod-identity-agent"

_SELECTOR = {"app.kubernetes.io/name": ADDON, "app.kubernetes.io/instance": ADDON}
_IMAGE = f"{REGISTRY}/eks/eks-pod-identity-agent:0.1.10"


def manifests() -> list[Manifest]:
    """The DaemonSet; it asks for no CPU and no memory."""
    pod = {
        "priorityClassName": NODE_CRITICAL,
        "hostNetwork": True,
        "tolerations": EVERY_TAINT,
        "affinity": on_ec2("fargate", "hybrid", "auto"),
        "initContainers": [
            {
                "name": f"{ADDON}-init",
                "image": _IMAGE,
                "command": ["/go-runner", "/eks-pod-identity-agent", "initialize"],
                "securityContext": {"privileged": True},
            }
        ],
        "containers": [
            {
                "name": ADDON,
                "image": _IMAGE,
                "command": ["/go-runner", "/eks-pod-identity-agent", "server"],
                "ports": [
                    {"name": "proxy", "containerPort": 80},
                    {"name": "probes-port", "containerPort": 2703},
                ],
                "securityContext": {"capabilities": {"add": ["CAP_NET_BIND_SERVICE"]}},
            }
        ],
    }
    return [
        objects.daemon_set(
            metadata(ADDON, _SELECTOR),
            selector=_SELECTOR,
            template=objects.pod_template(_SELECTOR, pod),
            updateStrategy=TENTH_AT_A_TIME,
        )
    ]
