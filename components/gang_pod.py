"""The pods of training jobs and of tests of the network: pure data, no resources.

Sources: Kubernetes, Indexed Jobs with a headless Service; AWS EKS user guide `node-efa` (huge pages); read 2026-11-22.
"""

from collections.abc import Mapping
from typing import Any

from eks_accelerators.components.near_nodes import one_pod_a_node
from eks_accelerators.components.pod_resources import pod_resources
from eks_accelerators.components.workload_volumes import volumes_of
from eks_accelerators.settings.model.training import GangWorkload
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.tolerations import for_groups

PROGRAMS = "/opt/eks-accelerators/programs"
"""Where pods see the programs that ship."""

RENDEZVOUS_PORT = 29500
"""Where the pod of index 0 awaits the others; `components/programs/launch.py` has it too."""


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
        "affinity": one_pod_a_node(labels(name), group, several=workload.nodes > 1),
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
