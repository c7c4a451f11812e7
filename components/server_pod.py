"""The pod that every model server has in common: pure data, no resources.

Sources: Kubernetes 1.35 API reference (`TopologySpreadConstraint`, pod affinity); read 2026-11-22.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from eks_accelerators.components.near_nodes import one_pod_a_node
from eks_accelerators.components.pod_resources import pod_resources
from eks_accelerators.components.server_group import ONE_SERVER
from eks_accelerators.components.workload_volumes import volumes_of
from eks_accelerators.settings.draining import PAUSE_SECONDS
from eks_accelerators.settings.fit import PodFit
from eks_accelerators.settings.model.server import Server, ServerPlacement
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.spreading import spread_of
from eks_accelerators.settings.tolerations import for_groups

_NODE = "kubernetes.io/hostname"


@dataclass(frozen=True, slots=True)
class ServerPort:
    """A port of the container, and under which the Service has it; None where it has it not."""

    name: str
    number: int
    of_service: int | None = None


@dataclass(frozen=True, slots=True)
class ServerDescription:
    """What is special to one kind of server.

    ``container`` has what the one container runs: image, arguments, environment, probes and mounts; ``pod`` further keys of the
    pod. Clients ask the first of ``ports``. ``grace_seconds`` are the pause before SIGTERM, what is under way, and a margin.
    ``request`` is an example of what clients ask: what follows `curl`, with the address as `$URL`. Where not every pod answers
    clients, ``asked`` are labels of those that do.
    """

    container: Mapping[str, Any]
    ports: tuple[ServerPort, ...]
    grace_seconds: int
    request: str
    volumes: Sequence[Mapping[str, Any]] = ()
    pod: Mapping[str, Any] = field(default_factory=dict)
    asked: Mapping[str, str] = field(default_factory=dict)


def labels(program: str, name: str) -> dict[str, str]:
    """Labels by which Service, PodDisruptionBudget and Prometheus find the pods."""
    return {"app.kubernetes.io/name": program, "app.kubernetes.io/instance": name}


def pod_spec(
    name: str,
    workload: Server,
    group: ResolvedNodeGroup,
    fit: PodFit,
    description: ServerDescription,
    node_selector: dict[str, str],
) -> dict[str, Any]:
    """The pod, in Kubernetes' own shape. What the workload mounts by name comes after what is the kind's own."""
    volumes, mounts = volumes_of(workload)
    return {
        "serviceAccountName": name,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,  # Kubernetes would set VLLM_PORT, which vLLM reads as its own
        "nodeSelector": node_selector,
        "tolerations": list(for_groups([group], workload.tolerations)),
        **_placed(name, workload, group, fit),
        "terminationGracePeriodSeconds": description.grace_seconds,
        "containers": [_container(workload, group, description, mounts)],
        "volumes": [*description.volumes, *volumes],
        **description.pod,
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}, **description.pod.get("securityContext", {})},
    }


def _container(
    workload: Server, group: ResolvedNodeGroup, description: ServerDescription, mounts: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    return {
        "name": workload.PROGRAM,
        # The images are made for root; they need no capability and no way to more rights.
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
        "lifecycle": {"preStop": {"sleep": {"seconds": PAUSE_SECONDS}}},
        **description.container,
        "volumeMounts": [*description.container.get("volumeMounts", ()), *mounts],
        "ports": [{"name": port.name, "containerPort": port.number} for port in description.ports],
        "resources": pod_resources(workload, group),
    }


def _placed(name: str, workload: Server, group: ResolvedNodeGroup, fit: PodFit) -> dict[str, Any]:
    """Spread over the nodes of the group, or packed; of servers that span nodes, each near itself."""
    own = labels(workload.PROGRAM, name)
    if workload.spans_nodes:
        return {"affinity": one_pod_a_node(own, group, several=True, near=(ONE_SERVER,))}
    selector = {"matchLabels": own}
    preferred = {
        "maxSkew": 1,
        "topologyKey": _NODE,
        "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": selector,
    }
    if workload.placement is ServerPlacement.PACK:
        return _packed(selector)
    constraints: list[dict[str, Any]] = [preferred]
    if spread := spread_of(workload, group, fit):
        constraints.append(
            {
                **preferred,
                "maxSkew": spread.max_skew,
                "minDomains": spread.min_domains,
                "whenUnsatisfiable": "DoNotSchedule",
                # A node that takes no pods, cordoned or not ready, is none to wait for.
                "nodeTaintsPolicy": "Honor",
            }
        )
    return {"topologySpreadConstraints": constraints}


def _packed(selector: dict[str, Any]) -> dict[str, Any]:
    term = {"topologyKey": _NODE, "labelSelector": selector}
    return {
        "affinity": {
            "podAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 100, "podAffinityTerm": term}]
            }
        },
        # Without any, the scheduler spreads them by itself. Every node is of one operating system, so this one weighs nothing.
        "topologySpreadConstraints": [
            {
                "maxSkew": 1,
                "topologyKey": "kubernetes.io/os",
                "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": selector,
            }
        ],
    }
