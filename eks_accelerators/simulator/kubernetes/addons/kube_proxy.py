"""The add-on `kube-proxy`: Services on every node.

Sources: `kubectl describe` of kube-proxy on EKS 1.34 with v1.34.3-eksbuild.5, from a public write-up, read
2026-11-20 (priority class, CPU request, command); tolerations, affinity and host access are general knowledge of the
add-on.
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

ADDON = "kube-proxy"

_SELECTOR = {"k8s-app": "kube-proxy"}
_LABELS = {**_SELECTOR, "eks.amazonaws.com/component": "kube-proxy"}
_CONFIG = "kube-proxy-config"


def manifests() -> list[Manifest]:
    """ServiceAccount, its configuration and the DaemonSet."""
    config = "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\nmode: iptables\n"
    return [
        objects.service_account(metadata("kube-proxy", _LABELS)),
        objects.config_map(metadata(_CONFIG, _LABELS), {"config": config}),
        _daemon_set(),
    ]


def _daemon_set() -> Manifest:
    pod = {
        "priorityClassName": NODE_CRITICAL,
        "serviceAccountName": "kube-proxy",
        "hostNetwork": True,
        "tolerations": EVERY_TAINT,
        "affinity": on_ec2("fargate", "auto"),
        "containers": [
            {
                "name": "kube-proxy",
                "image": f"{REGISTRY}/eks/kube-proxy:v1.34.3-eksbuild.5",
                "command": [
                    "kube-proxy",
                    "--v=2",
                    "--config=/var/lib/kube-proxy-config/config",
                    "--hostname-override=$(NODE_NAME)",
                ],
                "env": [objects.field_env("NODE_NAME", "spec.nodeName")],
                "resources": objects.requests("100m"),
                "securityContext": {"privileged": True},
                "volumeMounts": [
                    objects.mount("config", "/var/lib/kube-proxy-config/"),
                    objects.mount("lib-modules", "/lib/modules", read_only=True),
                    objects.mount("xtables-lock", "/run/xtables.lock"),
                ],
            }
        ],
        "volumes": [
            {"name": "config", "configMap": {"name": _CONFIG}},
            objects.host_path("lib-modules", "/lib/modules"),
            objects.host_path("xtables-lock", "/run/xtables.lock", "FileOrCreate"),
        ],
    }
    return objects.daemon_set(
        metadata("kube-proxy", _LABELS),
        selector=_SELECTOR,
        template=objects.pod_template(_SELECTOR, pod),
        updateStrategy=TENTH_AT_A_TIME,
    )
