"""Tests and loads of GPUs."""

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field

from eks_accelerators.settings.model.workload import Namespace, Positive, Resources, Workload

GPU_TESTS = "gpu-tests"
"""Namespace of tests and loads by default."""


class CudaVectorAddSettings(Workload):
    """NVIDIA's CUDA sample `vectorAdd`, once: a Job that says whether a pod gets a GPU it can compute on."""

    namespace: Namespace = GPU_TESTS
    """Namespace, created; workloads may share one."""
    resources: Resources = Resources(cpu="100m", memory_gib=1, memory_limit_gib=2)
    """CPU and memory of the pod."""


class LoadedUnit(StrEnum):
    """Units of a GPU that a load can keep busy."""

    TENSOR = "tensor"
    SM = "sm"
    GRAPHICS = "graphics"


class DcgmProfTesterSettings(Workload):
    """A load by NVIDIA's `dcgmproftester`: a Job of pods at a time on one node, a pair by default, to see sharing at work."""

    COUNT: ClassVar[str] = "pods"
    TOGETHER: ClassVar[bool] = True

    namespace: Namespace = GPU_TESTS
    """Namespace, created; workloads may share one."""
    pods: Positive = 2
    """Number of pods, each with one GPU or one share; all are on one node."""
    seconds: Annotated[int, Field(ge=1, le=86_400)] = 300
    """How long each works, in seconds."""
    field: LoadedUnit = LoadedUnit.TENSOR
    """What they keep busy: `tensor` cores, `sm` (multiprocessors) or the `graphics` engine."""
    resources: Resources = Resources(cpu="500m", memory_gib=2, memory_limit_gib=4)
    """CPU and memory of one pod."""

    @property
    def pod_count(self) -> int | None:
        """How many pods the settings ask for, `pods`."""
        return self.pods
