"""The add-on `eks-node-monitoring-agent`: conditions of a node's hardware, on which node auto repair acts.

Source: aws/eks-node-monitoring-agent v1.7.0, `charts/eks-node-monitoring-agent` (values.yaml, `templates/`), read
2026-11-20.

The agent tolerates every taint. The second DaemonSet, `dcgm-server`, through which it looks at NVIDIA GPUs, tolerates
none: on tainted GPU nodes it has no pod unless the add-on's configuration gives it tolerations, and the agent then
reports `AcceleratedHardwareReady=False`, reason `DCGMError` (aws/containers-roadmap issues 2567 and 2555).
"""

from collections.abc import Mapping
from typing import Any

from eks_accelerators.accelerators import instance_types
from eks_accelerators.simulator.kubernetes import objects
from eks_accelerators.simulator.kubernetes.addons.common import (
    COMPUTE_TYPE,
    EVERY_TAINT,
    NODE_CRITICAL,
    REGISTRY,
    TENTH_AT_A_TIME,
    metadata,
)
from eks_accelerators.simulator.kubernetes.addons.configuration import AddonConfigurationError
from eks_accelerators.simulator.kubernetes.objects import Manifest

ADDON = "eks-node-monitoring-agent"

_IMAGE = f"{REGISTRY}/eks/eks-node-monitoring-agent:v1.7.0-eksbuild.1"
_SELECTOR = {"app.kubernetes.io/name": ADDON, "app.kubernetes.io/instance": ADDON}
_DCGM = {"k8s-app": "dcgm-server", "version": "v1"}
_LINUX = {"kubernetes.io/os": "linux"}
_PARTS = {"nodeAgent": ADDON, "dcgmAgent": "dcgm-server"}
"""Sections of the configuration, and the DaemonSet that each is about."""

_OF_THE_POD = ("affinity", "priorityClassName", "tolerations")
_ELSEWHERE = (
    objects.expression(COMPUTE_TYPE, "NotIn", "fargate", "auto", "hybrid"),
    objects.expression("sagemaker.amazonaws.com/compute-type", "NotIn", "hyperpod"),
)


def manifests() -> list[Manifest]:
    """ServiceAccount, the CRD NodeDiagnostic, and two DaemonSets: the agent and DCGM's host engine."""
    return [
        objects.custom_resource_definition(
            "eks.amazonaws.com", "v1alpha1", "NodeDiagnostic", "nodediagnostics", namespaced=False, has_status=False
        ),
        objects.service_account(metadata(ADDON, _SELECTOR)),
        _agent(),
        _dcgm_server(),
    ]


def configured(made: list[Manifest], configuration: Mapping[str, Any]) -> list[Manifest]:
    """``made`` under a configuration: where the pods of either DaemonSet may run, and what they ask for.

    Raises `AddonConfigurationError` for any other key.
    """
    for part, settings in configuration.items():
        if part not in _PARTS:
            raise AddonConfigurationError(ADDON, f"{part} is not in the schema, or not simulated")
        (daemon_set,) = (one for one in made if one["kind"] == "DaemonSet" and one["metadata"]["name"] == _PARTS[part])
        _configure(daemon_set["spec"]["template"]["spec"], part, settings)
    if configuration.get("dcgmAgent", {}).get("enabled", True):
        return made
    return [one for one in made if one["metadata"]["name"] != _PARTS["dcgmAgent"]]


def _configure(pod: Manifest, part: str, settings: Mapping[str, Any]) -> None:
    for key, value in settings.items():
        if key in _OF_THE_POD:
            pod[key] = value
        elif key == "nodeSelector":
            pod[key] = {**_LINUX, **value}
        elif key == "resources":
            pod["containers"][0][key] = value
        elif (part, key) != ("dcgmAgent", "enabled"):
            raise AddonConfigurationError(ADDON, f"{part}.{key} is not in the schema, or not simulated")


def _agent() -> Manifest:
    architectures = objects.expression("kubernetes.io/arch", "In", "amd64", "arm64")
    pod = {
        "affinity": objects.required_node_affinity([*_ELSEWHERE, architectures]),
        "tolerations": EVERY_TAINT,
        "nodeSelector": _LINUX,
        "priorityClassName": NODE_CRITICAL,
        "serviceAccountName": ADDON,
        "hostNetwork": True,
        "hostPID": True,
        "containers": [
            {
                "name": ADDON,
                "image": _IMAGE,
                "args": ["--probe-address=:8002", "--metrics-address=:8003"],
                "env": [
                    {"name": "HOST_ROOT", "value": "/host"},
                    objects.field_env("MY_NODE_NAME", "spec.nodeName"),
                ],
                "resources": objects.requests("10m", "30Mi", cpu_limit="250m", memory_limit="200Mi"),
                "securityContext": {"privileged": True, "capabilities": {"add": ["NET_ADMIN"]}},
                "volumeMounts": [objects.mount("host-root", "/host")],
            }
        ],
        "volumes": [objects.host_path("host-root", "/")],
    }
    return objects.daemon_set(
        metadata(ADDON, _SELECTOR),
        selector=_SELECTOR,
        template=objects.pod_template(_SELECTOR, pod),
        updateStrategy=TENTH_AT_A_TIME,
    )


def _dcgm_server() -> Manifest:
    with_gpus = [kind.name for kind in instance_types.every() if kind.has_nvidia_gpu]
    pod = {
        "affinity": objects.required_node_affinity(
            [
                objects.expression("node.kubernetes.io/instance-type", "In", *with_gpus),
                *_ELSEWHERE,
                objects.expression("kubernetes.io/arch", "In", "amd64"),
            ]
        ),
        "nodeSelector": _LINUX,
        "priorityClassName": NODE_CRITICAL,
        "containers": [
            {
                "name": f"{ADDON}-dcgm",
                "image": _IMAGE,
                "command": ["/bin/sh", "-c", "nv-hostengine -n -b ALL || true; sleep infinity"],
                "ports": [{"containerPort": 5555, "hostPort": 5555}],
                "securityContext": {"privileged": True},
            }
        ],
    }
    return objects.daemon_set(
        metadata("dcgm-server", _DCGM),
        selector=_DCGM,
        template=objects.pod_template(_DCGM, pod),
        updateStrategy=TENTH_AT_A_TIME,
    )
