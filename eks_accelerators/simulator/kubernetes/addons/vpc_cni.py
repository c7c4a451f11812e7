"""The add-on `vpc-cni`: gives pods addresses of the VPC.

Sources: aws/amazon-vpc-cni-k8s, `charts/aws-vpc-cni`; `kubectl describe` of aws-node on EKS 1.34 with v1.21.1, from a
public write-up; read 2026-11-20. That hybrid and Auto Mode nodes are excluded is EKS' user guide.
"""

from collections.abc import Mapping
from typing import Any

from eks_accelerators.simulator.kubernetes import objects
from eks_accelerators.simulator.kubernetes.addons.common import (
    EVERY_TAINT,
    NODE_CRITICAL,
    REGISTRY,
    TENTH_AT_A_TIME,
    metadata,
    on_ec2,
)
from eks_accelerators.simulator.kubernetes.addons.configuration import AddonConfigurationError
from eks_accelerators.simulator.kubernetes.objects import Manifest

ADDON = "vpc-cni"

_SELECTOR = {"k8s-app": "aws-node"}
_LABELS = {**_SELECTOR, "app.kubernetes.io/name": "aws-node", "app.kubernetes.io/instance": "aws-vpc-cni"}
_REQUESTS = objects.requests("25m")
_NETWORK_POLICY = "enableNetworkPolicy"


def manifests() -> list[Manifest]:
    """ServiceAccount, ConfigMap and the DaemonSet `aws-node`."""
    return [
        objects.service_account(metadata("aws-node", _LABELS)),
        objects.config_map(metadata("amazon-vpc-cni", _LABELS), {"enable-windows-ipam": "false"}),
        _aws_node(),
    ]


def configured(made: list[Manifest], configuration: Mapping[str, Any]) -> list[Manifest]:
    """``made`` with network policies enforced or not. Raises `AddonConfigurationError` for any other key or value.

    Source: Amazon EKS User Guide, `cni-network-policy-configure`: the value is a text, and the ConfigMap has it.
    """
    for key, value in configuration.items():
        if key != _NETWORK_POLICY or value not in ("true", "false"):
            raise AddonConfigurationError(ADDON, f"{key}: {value!r} is not in the schema, or not simulated")
        next(one for one in made if one["kind"] == "ConfigMap")["data"]["enable-network-policy-controller"] = value
    return made


def _aws_node() -> Manifest:
    binaries = objects.mount("cni-bin-dir", "/host/opt/cni/bin")
    logs = objects.mount("log-dir", "/var/log/aws-routed-eni")
    state = objects.mount("run-dir", "/var/run/aws-node")
    network = {"capabilities": {"add": ["NET_ADMIN", "NET_RAW"]}}
    pod = {
        "priorityClassName": NODE_CRITICAL,
        "serviceAccountName": "aws-node",
        "hostNetwork": True,
        "terminationGracePeriodSeconds": 10,
        "tolerations": EVERY_TAINT,
        "affinity": on_ec2("fargate", "hybrid", "auto"),
        "initContainers": [
            {
                "name": "aws-vpc-cni-init",
                "image": f"{REGISTRY}/amazon-k8s-cni-init:v1.21.1-eksbuild.5",
                "resources": _REQUESTS,
                "securityContext": {"privileged": True},
                "volumeMounts": [binaries],
            }
        ],
        "containers": [
            {
                "name": "aws-node",
                "image": f"{REGISTRY}/amazon-k8s-cni:v1.21.1-eksbuild.5",
                "env": [objects.field_env("MY_NODE_NAME", "spec.nodeName")],
                "ports": [{"name": "metrics", "containerPort": 61678}],
                "resources": _REQUESTS,
                "securityContext": network,
                "volumeMounts": [
                    binaries,
                    objects.mount("cni-net-dir", "/host/etc/cni/net.d"),
                    logs,
                    state,
                    objects.mount("xtables-lock", "/run/xtables.lock"),
                ],
            },
            {
                "name": "aws-eks-nodeagent",
                "image": f"{REGISTRY}/amazon/aws-network-policy-agent:v1.3.1-eksbuild.1",
                "ports": [{"name": "agentmetrics", "containerPort": 8162}],
                "resources": _REQUESTS,
                "securityContext": {"privileged": True, "capabilities": {"add": ["NET_ADMIN"]}},
                "volumeMounts": [binaries, objects.mount("bpf-pin-path", "/sys/fs/bpf"), logs, state],
            },
        ],
        "volumes": [
            objects.host_path("bpf-pin-path", "/sys/fs/bpf"),
            objects.host_path("cni-bin-dir", "/opt/cni/bin"),
            objects.host_path("cni-net-dir", "/etc/cni/net.d"),
            objects.host_path("log-dir", "/var/log/aws-routed-eni", "DirectoryOrCreate"),
            objects.host_path("run-dir", "/var/run/aws-node", "DirectoryOrCreate"),
            objects.host_path("xtables-lock", "/run/xtables.lock", "FileOrCreate"),
        ],
    }
    return objects.daemon_set(
        metadata("aws-node", _LABELS),
        selector=_SELECTOR,
        template=objects.pod_template(_LABELS, pod),
        updateStrategy=TENTH_AT_A_TIME,
    )
