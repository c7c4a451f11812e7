"""TensorFlow Serving: one model of TensorFlow's own format."""

from typing import ClassVar

from eks_accelerators.settings.model.node_groups import GpuMemoryGib
from eks_accelerators.settings.model.server import Server, StartSeconds
from eks_accelerators.settings.model.storage import AbsolutePath
from eks_accelerators.settings.model.triton import ModelName
from eks_accelerators.settings.model.workload import Namespace


class TfServingWorkload(Server):
    """A model served by TensorFlow Serving: Deployment, Service and PodDisruptionBudget."""

    PROGRAM: ClassVar[str] = "tf-serving"

    namespace: Namespace = "tf-serving"
    """Namespace, created; workloads may share one."""
    model_name: ModelName
    """Name by which clients ask for it."""
    model_path: AbsolutePath
    """Directory with a directory for each version of the model, on one of `volumes`."""
    gpu_memory_gib: GpuMemoryGib | None = None
    """GiB that the model of one server takes of its GPU. TensorFlow takes 90 % of its share, whatever the model needs."""
    start_seconds: StartSeconds = 300
    """Seconds that the model may take to load."""

    @property
    def wanted_gpu_memory_gib(self) -> float | None:
        """GiB that a pod takes of each of its GPUs, `gpuMemoryGib`; None where it is not said."""
        return self.gpu_memory_gib

    @property
    def lacks_gpu_memory(self) -> bool:
        """Whether nobody says how much memory its model takes."""
        return self.gpu_memory_gib is None
