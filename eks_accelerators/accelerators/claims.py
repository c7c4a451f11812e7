"""Claims of GPUs by Dynamic Resource Allocation. Source: Kubernetes `resource.k8s.io/v1` (exact requests), read 2026-11-21."""

from typing import Any

from eks_accelerators.accelerators.sharing import NVIDIA_GPU_DEVICE_CLASS


def gpu_claim(request: str, gpus: int) -> dict[str, Any]:
    """The spec of a claim for so many whole GPUs, all of one node, in Kubernetes' own shape; ``request`` is its name."""
    exactly = {"deviceClassName": NVIDIA_GPU_DEVICE_CLASS, "allocationMode": "ExactCount", "count": gpus}
    return {"devices": {"requests": [{"name": request, "exactly": exactly}]}}
