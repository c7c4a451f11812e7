"""The add-on `metrics-server`: what `kubectl top` and autoscalers by CPU ask.

Source: kubernetes-sigs/metrics-server, `charts/metrics-server` (values.yaml), read 2026-11-20; that the EKS add-on has
two replicas and a disruption budget is general knowledge.

Its APIService is left out: nobody would answer it, and an API that does not answer stops every namespace from being
deleted.
"""

from eks_accelerators.simulator.kubernetes import objects
from eks_accelerators.simulator.kubernetes.addons.common import (
    CLUSTER_CRITICAL,
    CRITICAL_ADDONS,
    REGISTRY,
    metadata,
    on_ec2,
)
from eks_accelerators.simulator.kubernetes.objects import Manifest

ADDON = "metrics-server"

_SELECTOR = {"app.kubernetes.io/name": ADDON, "app.kubernetes.io/instance": ADDON}
_PORT = 10251


def manifests() -> list[Manifest]:
    """ServiceAccount, Service, Deployment and its disruption budget."""
    return [
        objects.service_account(metadata(ADDON, _SELECTOR)),
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": metadata(ADDON, _SELECTOR),
            "spec": {
                "ports": [{"name": "https", "port": 443, "targetPort": "https", "protocol": "TCP"}],
                "selector": _SELECTOR,
            },
        },
        _deployment(),
        {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": metadata(ADDON, _SELECTOR),
            "spec": {"maxUnavailable": 1, "selector": {"matchLabels": _SELECTOR}},
        },
    ]


def _deployment() -> Manifest:
    pod = {
        "priorityClassName": CLUSTER_CRITICAL,
        "serviceAccountName": ADDON,
        "tolerations": [CRITICAL_ADDONS],
        "affinity": on_ec2("fargate", "hybrid"),
        "containers": [
            {
                "name": ADDON,
                "image": f"{REGISTRY}/eks/metrics-server:v0.8.0-eksbuild.2",
                "args": [f"--secure-port={_PORT}", "--cert-dir=/tmp", "--metric-resolution=15s"],
                "ports": [{"name": "https", "containerPort": _PORT}],
                "resources": objects.requests("100m", "200Mi", memory_limit="400Mi"),
                "securityContext": {
                    "allowPrivilegeEscalation": False,
                    "capabilities": {"drop": ["ALL"]},
                    "readOnlyRootFilesystem": True,
                    "runAsNonRoot": True,
                    "runAsUser": 1000,
                    "seccompProfile": {"type": "RuntimeDefault"},
                },
                "volumeMounts": [objects.mount("tmp", "/tmp")],  # noqa: S108  (the container's own)
            }
        ],
        "volumes": [{"name": "tmp", "emptyDir": {}}],
    }
    return objects.deployment(
        metadata(ADDON, _SELECTOR), replicas=2, selector=_SELECTOR, template=objects.pod_template(_SELECTOR, pod)
    )
