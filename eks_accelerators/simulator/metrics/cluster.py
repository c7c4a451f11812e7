"""The cluster as it is now, read once for all exporters of a round."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from eks_accelerators.accelerators import instance_types
from eks_accelerators.accelerators.instance_types import InstanceType
from eks_accelerators.accelerators.scheduling import NODE_GROUP_LABEL
from eks_accelerators.simulator.kubernetes.api import Api
from eks_accelerators.simulator.kubernetes.nodes import INSTANCE_TYPE_LABEL
from eks_accelerators.simulator.kubernetes.resource_slices import API_VERSION
from eks_accelerators.verification.cluster import labels_of, phase_of

Object = Mapping[str, Any]
"""One Kubernetes object, as in YAML."""

NAMES = ("app.kubernetes.io/name", "k8s-app", "app")
"""Labels by which a pod says what runs in it, the first that it has."""

OF_PLUGINS = re.compile(r"(nvidia\.com|aws\.amazon\.com)/.+")
"""Resources of accelerators that device plugins advertise."""

_ENDED = ("Succeeded", "Failed")


@dataclass(frozen=True)
class ClusterObjects:
    """Objects of a cluster; nodes and pods of any state."""

    nodes: Sequence[Object] = ()
    pods: Sequence[Object] = ()
    quotas: Sequence[Object] = ()
    claims: Sequence[Object] = ()
    config_maps: Sequence[Object] = ()
    deployments: Sequence[Object] = ()

    @cached_property
    def pods_by_node(self) -> Mapping[str, Sequence[Object]]:
        """Pods that are on a node and have not ended, by node, in the order in which they came."""
        found: defaultdict[str, list[Object]] = defaultdict(list)
        for pod in sorted(self.pods, key=_came):
            if (node := pod["spec"].get("nodeName")) and phase_of(pod) not in _ENDED:
                found[node].append(pod)
        return found

    @cached_property
    def config_maps_by_name(self) -> Mapping[tuple[str, str], Object]:
        """ConfigMaps by namespace and name."""
        return {(each["metadata"].get("namespace", ""), each["metadata"]["name"]): each for each in self.config_maps}

    def running(self, app: str) -> Iterable[Object]:
        """Running pods of that application, by its label."""
        return (pod for pod in self.pods if is_running(pod) and runs(pod, app))

    def node(self, name: str) -> Object | None:
        """A node by its name."""
        return self._nodes_by_name.get(name)

    @cached_property
    def _nodes_by_name(self) -> Mapping[str, Object]:
        return {node["metadata"]["name"]: node for node in self.nodes}


def read(api: Api) -> ClusterObjects:
    """The cluster as its API server remembers it, which is at most a moment old."""
    return ClusterObjects(
        nodes=api.list("v1", "Node", remembered=True),
        pods=api.list("v1", "Pod", remembered=True),
        quotas=api.list("v1", "ResourceQuota", remembered=True),
        claims=api.list(API_VERSION, "ResourceClaim", remembered=True),
        config_maps=api.list("v1", "ConfigMap", remembered=True),
        deployments=api.list("apps/v1", "Deployment", remembered=True),
    )


def type_of(node: Object) -> InstanceType | None:
    """The accelerated instance type of a node; None of any other node."""
    return instance_types.find(labels_of(node).get(INSTANCE_TYPE_LABEL, ""))


def group_of(node: Object) -> str:
    """The node group, by its name in the settings; empty for a node of none of them."""
    return labels_of(node).get(NODE_GROUP_LABEL, "")


def is_running(pod: Object) -> bool:
    """Whether a pod runs and is not about to end."""
    return phase_of(pod) == "Running" and "deletionTimestamp" not in pod["metadata"]


def runs(pod: Object, app: str) -> bool:
    """Whether that application runs in the pod, by the first of its labels that names one."""
    labels = labels_of(pod)
    return next((labels[name] for name in NAMES if name in labels), None) == app


def holds_accelerator(pod: Object) -> bool:
    """Whether a pod asks for an accelerator, by a resource or by a claim."""
    asked = (name for each in pod["spec"]["containers"] for name in (each.get("resources") or {}).get("requests") or {})
    return bool(pod["spec"].get("resourceClaims")) or any(OF_PLUGINS.fullmatch(name) for name in asked)


def uid(obj: Object) -> str:
    """What tells an object from another one of the same name, later."""
    metadata = obj["metadata"]
    return str(metadata.get("uid") or f"{metadata.get('namespace', '')}/{metadata['name']}")


def _came(pod: Object) -> tuple[str, str, str]:
    metadata = pod["metadata"]
    began = (pod.get("status") or {}).get("startTime") or metadata.get("creationTimestamp") or ""
    return str(began), metadata.get("namespace", ""), metadata["name"]
