"""The pods of training jobs and of tests of the network: pure data, no resources.

Sources: Kubernetes, Indexed Jobs with a headless Service; AWS EKS user guide `node-efa` (huge pages), `ml-workload-topology`
(labels of the network's layers; where a type has none they are no label, and nothing is preferred); read 2026-11-22.
"""

from collections.abc import Mapping
from typing import Any

from eks_accelerators.components.pod_resources import pod_resources
from eks_accelerators.components.workload_volumes import volumes_of
from eks_accelerators.settings.model.training import GangWorkload
from eks_accelerators.settings.resolved import ResolvedNodeGroup
from eks_accelerators.settings.tolerations import for_groups

PROGRAMS = "/opt/eks-accelerators/programs"
"""Where pods see the programs that ship."""

RENDEZVOUS_PORT = 29500
"""Where the pod of index 0 awaits the others; `components/programs/launch.py` has it too."""

_LAYERS = {"topology.k8s.aws/network-node-layer-3": 100, "topology.k8s.aws/network-node-layer-2": 50}
"""Layers of AWS's network, the lowest first, and how much pods want to share one: a wish, never a reason to wait."""

_HOST, _ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"


def labels(name: str) -> dict[str, str]:
    """Labels of a workload and its pods."""
    return {"app.kubernetes.io/name": "pytorch", "app.kubernetes.io/instance": name}


def pod_spec(
    name: str,
    workload: GangWorkload,
    group: ResolvedNodeGroup,
    *,
    image: str,
    command: list[str],
    environment: Mapping[str, Any],
    node_selector: dict[str, str],
    programs: str,
    grace_seconds: int,
) -> dict[str, Any]:
    """The pod of one node, in Kubernetes' own shape.

    ``environment`` may have outputs; the user's own variables come after it. ``programs`` is the ConfigMap of the programs.
    """
    volumes, mounts = volumes_of(workload)
    variables = {**environment, **workload.env}
    return {
        "restartPolicy": "Never",
        "subdomain": name,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "nodeSelector": node_selector,
        "tolerations": list(for_groups([group], workload.tolerations)),
        "affinity": _affinity(name, workload, group),
        "terminationGracePeriodSeconds": grace_seconds,
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [
            {
                "name": "pytorch",
                "image": image,
                "command": command,
                "env": [{"name": key, "value": value} for key, value in variables.items()],
                "resources": pod_resources(workload, group),
                # The images are made for root; they need no capability and no way to more rights.
                "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
                "volumeMounts": [
                    {"name": "programs", "mountPath": PROGRAMS, "readOnly": True},
                    {"name": "shared-memory", "mountPath": "/dev/shm"},  # noqa: S108  (shared memory, not a temporary file)
                    *mounts,
                ],
            }
        ],
        "volumes": [
            {"name": "programs", "configMap": {"name": programs}},
            {
                "name": "shared-memory",
                "emptyDir": {"medium": "Memory", "sizeLimit": f"{workload.shared_memory_gib}Gi"},
            },
            *volumes,
        ],
    }


def _affinity(name: str, workload: GangWorkload, group: ResolvedNodeGroup) -> dict[str, Any]:
    """One pod a node; in one zone, and in one part of its network where that can be had."""

    def term(key: str) -> dict[str, Any]:
        return {"topologyKey": key, "labelSelector": {"matchLabels": labels(name)}}

    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term(_HOST)]}}
    if workload.nodes == 1:
        return apart
    near: dict[str, Any] = {
        "preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": weight, "podAffinityTerm": term(key)} for key, weight in _LAYERS.items()
        ]
    }
    if len(group.zones) > 1:  # the scheduler lets the first pod go where it likes, as it selects itself
        near["requiredDuringSchedulingIgnoredDuringExecution"] = [term(_ZONE)]
    return {**apart, "podAffinity": near}
