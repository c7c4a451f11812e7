"""The add-on `coredns`: DNS of the cluster, two pods on nodes without taints of accelerators.

Sources: `kubectl describe` and `get pdb` of coredns on EKS 1.34 with v1.13.2-eksbuild.1, from a public write-up, read
2026-11-20; node affinity and pod anti-affinity are general knowledge of the add-on.
"""

from eks_accelerators.simulator.kubernetes import objects
from eks_accelerators.simulator.kubernetes.addons.common import (
    BOTH_ARCHITECTURES,
    CLUSTER_CRITICAL,
    CRITICAL_ADDONS,
    LINUX,
    REGISTRY,
    metadata,
)
from eks_accelerators.simulator.kubernetes.objects import Manifest

ADDON = "coredns"

_DNS = {"k8s-app": "kube-dns"}
_SELECTOR = {**_DNS, "eks.amazonaws.com/component": "coredns"}
_COREFILE = """\
.:53 {
    errors
    health {
        lameduck 5s
    }
    ready
    kubernetes cluster.local in-addr.arpa ip6.arpa {
        pods insecure
        fallthrough in-addr.arpa ip6.arpa
    }
    prometheus :9153
    forward . /etc/resolv.conf
    cache 30
    loop
    reload
    loadbalance
}
"""
_PORTS = (("dns", 53, "UDP"), ("dns-tcp", 53, "TCP"), ("metrics", 9153, "TCP"))


def manifests() -> list[Manifest]:
    """ServiceAccount, configuration, Service `kube-dns`, Deployment and its disruption budget."""
    return [
        objects.service_account(metadata("coredns", _SELECTOR)),
        objects.config_map(metadata("coredns", _SELECTOR), {"Corefile": _COREFILE}),
        _service(),
        _deployment(),
        {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": metadata("coredns", _SELECTOR),
            "spec": {"maxUnavailable": 1, "selector": {"matchLabels": _SELECTOR}},
        },
    ]


def _service() -> Manifest:
    """Without its well-known address: that lies in the cluster's range of Services, which nobody says here."""
    ports = [{"name": name, "port": port, "targetPort": port, "protocol": protocol} for name, port, protocol in _PORTS]
    labels = {**_SELECTOR, "kubernetes.io/cluster-service": "true", "kubernetes.io/name": "CoreDNS"}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata("kube-dns", labels),
        "spec": {"ports": ports, "selector": _DNS},
    }


def _deployment() -> Manifest:
    apart = {
        "labelSelector": {"matchExpressions": [objects.expression("k8s-app", "In", "kube-dns")]},
        "topologyKey": "kubernetes.io/hostname",
    }
    pod = {
        "priorityClassName": CLUSTER_CRITICAL,
        "serviceAccountName": "coredns",
        "dnsPolicy": "Default",
        "tolerations": [
            CRITICAL_ADDONS,
            {"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"},
        ],
        "affinity": {
            **objects.required_node_affinity([LINUX, BOTH_ARCHITECTURES]),
            "podAntiAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 100, "podAffinityTerm": apart}]
            },
        },
        "topologySpreadConstraints": [
            {
                "maxSkew": 1,
                "topologyKey": "topology.kubernetes.io/zone",
                "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": {"matchLabels": _DNS},
            }
        ],
        "containers": [
            {
                "name": "coredns",
                "image": f"{REGISTRY}/eks/coredns:v1.13.2-eksbuild.1",
                "args": ["-conf", "/etc/coredns/Corefile"],
                "ports": [
                    {"name": name, "containerPort": port, "protocol": protocol} for name, port, protocol in _PORTS
                ],
                "resources": objects.requests("100m", "70Mi", memory_limit="170Mi"),
                "securityContext": {
                    "allowPrivilegeEscalation": False,
                    "capabilities": {"add": ["NET_BIND_SERVICE"], "drop": ["ALL"]},
                    "readOnlyRootFilesystem": True,
                },
                "volumeMounts": [objects.mount("config-volume", "/etc/coredns", read_only=True)],
            }
        ],
        "volumes": [
            {
                "name": "config-volume",
                "configMap": {"name": "coredns", "items": [{"key": "Corefile", "path": "Corefile"}]},
            }
        ],
    }
    return objects.deployment(
        metadata("coredns", _SELECTOR),
        replicas=2,
        selector=_SELECTOR,
        template=objects.pod_template(_SELECTOR, pod),
        strategy={"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}},
    )
