"""The real chart in place of its stand-in: rendered by `helm template`, from the chart's own repository or a folder."""

import json
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from eks_accelerators.accelerators.yaml_limits import refuse_excess
from eks_accelerators.simulator.kubernetes.charts.errors import ChartError
from eks_accelerators.simulator.kubernetes.objects import Manifest
from eks_accelerators.simulator.kubernetes.roles import (
    DCGM_EXPORTER,
    DRA_DRIVER,
    EFA_DEVICE_PLUGIN,
    GPU_FEATURE_DISCOVERY,
    MPS_CONTROL_DAEMON,
    NEURON_DEVICE_PLUGIN,
    NODE_FEATURE_DISCOVERY_WORKER,
    NVIDIA_DEVICE_PLUGIN,
    ROLE_LABEL,
)

_PATIENCE_SECONDS = 120


class _Loader(yaml.SafeLoader):
    """Takes a bare `=` for text, as YAML 1.2 and Kubernetes do: the Prometheus Operator's definitions list it."""


_Loader.add_constructor("tag:yaml.org,2002:value", yaml.SafeLoader.construct_yaml_str)  # type: ignore[type-var]

_ROLES = {
    "gpu-feature-discovery": GPU_FEATURE_DISCOVERY,
    "mps-control-daemon": MPS_CONTROL_DAEMON,
    "node-feature-discovery-worker": NODE_FEATURE_DISCOVERY_WORKER,
    "efa-k8s-device-plugin": EFA_DEVICE_PLUGIN,
    "neuron-device-plugin": NEURON_DEVICE_PLUGIN,
    "dra-driver-nvidia-gpu": DRA_DRIVER,
    "dcgm-exporter": DCGM_EXPORTER,
    "nvidia-device-plugin": NVIDIA_DEVICE_PLUGIN,
}
"""What a DaemonSet does to its nodes, by a part of its name or of its image; the first that fits."""


@dataclass(frozen=True, slots=True)
class Helm:
    """The program, and what the cluster is that it renders charts for: `helm template` asks none.

    ``kubernetes_version`` is a minor version, such as `1.35`. Left to itself helm renders for the version that it was
    built with, which is 1.20 where that was with Go alone.
    """

    program: Path
    kubernetes_version: str


def manifests(
    helm: Helm,
    chart: str,
    *,
    version: str,
    release: str,
    namespace: str,
    values: Mapping[str, Any],
    repository: str | None = None,
    api_versions: Iterable[str] = (),
) -> list[Manifest]:
    """The objects of the release as `helm template` renders them, CRDs included.

    ``api_versions`` are what the cluster has beside Kubernetes' own, such as `example.com/v1` and `example.com/v1/Rule`.

    Raises `ChartError` with Helm's own words where the chart cannot be had or refuses the values.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(dict(values), file)  # no word in it can be taken for a number, or for true
        file.flush()
        where = ["--repo", repository] if repository else []
        command = [str(helm.program), "template", *where, "--version", version]
        command += ["--namespace", namespace, "--kube-version", f"{helm.kubernetes_version}.0"]
        command += [word for one in api_versions for word in ("--api-versions", one)]
        command += ["--include-crds", "--no-hooks", "--values", file.name, "--", release, chart]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            raise ChartError(f"{chart}: helm did not answer within {_PATIENCE_SECONDS} s") from None
    if done.returncode:
        raise ChartError(f"{chart}: {done.stderr.strip()}")
    try:
        refuse_excess(done.stdout)
        rendered = [obj for obj in yaml.load_all(done.stdout, _Loader) if obj]
    except yaml.YAMLError as error:
        raise ChartError(f"{chart}: what it renders is not YAML: {error}") from None
    cluster_wide = _cluster_wide(rendered)
    return [_placed(obj, namespace, cluster_wide) for obj in rendered]


def _placed(obj: Manifest, namespace: str, cluster_wide: frozenset[str]) -> Manifest:
    """Into the release's namespace where the chart leaves that to Helm; DaemonSets with what they do to nodes."""
    if obj["kind"] not in cluster_wide:
        obj["metadata"].setdefault("namespace", namespace)
    if obj["kind"] == "DaemonSet":
        template = obj["spec"]["template"]
        images = [container.get("image", "") for container in template["spec"].get("containers", [])]
        text = " ".join([obj["metadata"]["name"], *images])
        role = next((role for part, role in _ROLES.items() if part in text), None)
        if role:
            template["metadata"].setdefault("labels", {})[ROLE_LABEL] = role
    return obj


def _cluster_wide(objects: list[Manifest]) -> frozenset[str]:
    """Kinds whose objects are in no namespace: Kubernetes' own, and those that the chart brings."""
    brought = (obj["spec"] for obj in objects if obj["kind"] == "CustomResourceDefinition")
    return _CLUSTER_WIDE | {spec["names"]["kind"] for spec in brought if spec["scope"] == "Cluster"}


_CLUSTER_WIDE = frozenset(
    {
        "APIService",
        "CSIDriver",
        "ClusterRole",
        "ClusterRoleBinding",
        "CustomResourceDefinition",
        "DeviceClass",
        "FlowSchema",
        "IngressClass",
        "MutatingAdmissionPolicy",
        "MutatingAdmissionPolicyBinding",
        "MutatingWebhookConfiguration",
        "Namespace",
        "PersistentVolume",
        "PriorityClass",
        "PriorityLevelConfiguration",
        "RuntimeClass",
        "StorageClass",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
        "ValidatingWebhookConfiguration",
    }
)
"""Source: `kubectl api-resources --namespaced=false` of Kubernetes 1.36, without what no chart brings."""
