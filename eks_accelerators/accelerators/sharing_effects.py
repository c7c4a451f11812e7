"""What a kind of sharing does to the pods of one GPU, in words.

Sources: NVIDIA k8s-device-plugin v0.20.0 (README; `cmd/mps-control-daemon/mps/daemon.go`, the default limit of pinned
memory), CUDA MPS documentation (faults; from Volta on clients are no part of the server), NVIDIA dcgm-exporter 4.8.2
(`internal/pkg/transformation`, what is attributed to pods: load and memory by process, held against its own code in
`tests/components/dcgm_exporter`); read 2026-11-20. `nvidia-smi` lists MPS clients with their memory; whether the driver
samples their load is not known.
"""

from eks_accelerators.accelerators.instance_types import InstanceType
from eks_accelerators.accelerators.sharing import Sharing, shares


def effects(kind: InstanceType, sharing: Sharing) -> dict[str, str]:
    """Lines by subject: `pods`, `memory`, `faults`, `metrics`. Empty without sharing."""
    match sharing.strategy:
        case "timeSlicing":
            return _of_time_slicing(kind, sharing)
        case "mps":
            return _of_mps(kind, sharing)
        case "mig":
            return _of_mig(kind, sharing)
    return {}


def _of_time_slicing(kind: InstanceType, sharing: Sharing) -> dict[str, str]:
    return {
        "pods": f"{sharing.replicas} take turns on one {kind.accelerator.name}",
        "memory": f"not divided: nothing holds a pod to its {_share(kind, sharing)}",
        "faults": "a fault of one pod can end the others on its GPU",
        "metrics": "load and memory by pod; everything else is the whole GPU's, repeated for each pod",
    }


def _of_mps(kind: InstanceType, sharing: Sharing) -> dict[str, str]:
    return {
        "pods": f"{sharing.replicas} at once on one {kind.accelerator.name}, through one MPS server",
        "memory": f"a pod can allocate its {_share(kind, sharing)} and no more",
        "faults": "a fatal fault of one pod ends all on its GPU",
        "metrics": "memory by pod, load not for certain; everything else is the whole GPU's, repeated for each pod",
    }


def _of_mig(kind: InstanceType, sharing: Sharing) -> dict[str, str]:
    offered = shares(kind, sharing)
    each = f"{sharing.replicas} take turns on one instance" if sharing.replicas > 1 else "one on each instance"
    in_turns = "memory by pod; everything else is the instance's, repeated for each pod"
    of_pods = in_turns if sharing.replicas > 1 else "of each instance"
    sizes = ", ".join(
        f"about {one.memory_mib / 1024:.1f} GiB on {one.device}" for one in offered if one.profile and one.memory_mib
    )
    return {
        "pods": each,
        "memory": f"divided by the hardware: {sizes}" if sizes else "divided by the hardware",
        "faults": "a pod's fault stays in its instance",
        "metrics": f"{of_pods}; DCGM_FI_DEV_GPU_UTIL is not known of one, DCGM_FI_PROF_GR_ENGINE_ACTIVE is",
    }


def _share(kind: InstanceType, sharing: Sharing) -> str:
    memory = kind.accelerator.memory_mib
    if memory is None:
        return "share"
    return f"{memory / 1024 / sharing.replicas:.2f} GiB ({memory / 1024:.2f} / {sharing.replicas})"
