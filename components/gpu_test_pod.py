"""The pods of tests and loads on GPUs: pure data, no resources.

Sources: NVIDIA k8s-device-plugin 0.20.0 README (`vectorAdd`, and that it ends with `Test PASSED`); NVIDIA DCGM
documentation, `dcgmproftester` and field identifiers; read 2026-11-20.
"""

from collections.abc import Mapping
from typing import Any

from eks_accelerators.components.pod_resources import pod_resources
from eks_accelerators.components.workload_volumes import volumes_of
from eks_accelerators.settings.model.gpu_tests import DcgmProfTesterSettings, LoadedUnit
from eks_accelerators.settings.model.workload import Workload
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.tolerations import for_groups

_CUDA_MAJOR = 12
"""Of the three builds of `dcgmproftester`, for CUDA 11, 12 and 13, the one in the middle: a driver runs programs of its own
CUDA and of older ones, and CUDA 13 left out GPUs that EC2 still has."""

_FIELDS = {LoadedUnit.TENSOR: 1004, LoadedUnit.SM: 1002, LoadedUnit.GRAPHICS: 1001}
"""DCGM's profiling fields: tensor pipe active, SM active, graphics engine active."""


def load_container(workload: DcgmProfTesterSettings) -> dict[str, Any]:
    """What the container of a load runs."""
    return {
        "command": [f"dcgmproftester{_CUDA_MAJOR}"],
        # Without the first flag it claims the profiling counters, of which the DCGM exporter has the only set.
        "args": ["--no-dcgm-validation", "-t", str(_FIELDS[workload.field]), "-d", str(workload.seconds)],
        # The image is made for a host engine, which may do without the libraries of CUDA.
        "env": [{"name": "NVIDIA_DRIVER_CAPABILITIES", "value": "compute,utility"}],
    }


def labels(program: str, name: str) -> dict[str, str]:
    """Labels of a Job and its pods."""
    return {"app.kubernetes.io/name": program, "app.kubernetes.io/instance": name}


def pod_spec(
    program: str,
    name: str,
    workload: Workload,
    group: ResolvedNodeGroup,
    *,
    image: str,
    node_selector: dict[str, str],
    most_seconds: int,
    container: Mapping[str, Any],
) -> dict[str, Any]:
    """The pod, in Kubernetes' own shape. ``container`` are further keys of its container.

    ``most_seconds`` end a pod that hangs, the pull of its image included.
    """
    volumes, mounts = volumes_of(workload)
    return {
        "restartPolicy": "Never",
        # Of the pod, not of the Job, whose time begins while it waits for a node.
        "activeDeadlineSeconds": most_seconds,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "nodeSelector": node_selector,
        "tolerations": list(for_groups([group], workload.tolerations)),
        **(_beside_each_other(program, name) if workload.TOGETHER else {}),
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [
            {
                "name": program,
                "image": image,
                **container,
                "resources": pod_resources(workload, group),
                **({"volumeMounts": mounts} if mounts else {}),
                # The images are made for root; they need no capability and no way to more rights.
                "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
            }
        ],
        **({"volumes": volumes} if volumes else {}),
    }


def _beside_each_other(program: str, name: str) -> dict[str, Any]:
    """On one node: the scheduler lets the first pod go where it likes, as it selects itself."""
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": labels(program, name)}}
    return {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}
