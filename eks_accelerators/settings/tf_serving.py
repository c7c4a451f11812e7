"""How much of a GPU one TensorFlow Serving takes.

TensorFlow takes all memory of the GPUs that it sees, unless it is told a part: the second server on a shared GPU then finds
none. Source: TensorFlow Serving 2.19, `tensorflow_model_server --help`, `per_process_gpu_memory_fraction`: a part of the whole
GPU, between 0 and 1, taken at the start; read 2026-11-22.
"""

from dataclasses import asdict, dataclass
from math import floor

from eks_accelerators.settings.fit import PodFit, pod_fit
from eks_accelerators.settings.model.tf_serving import TfServingWorkload
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup

_OF_THE_GPU = 0.9
"""What servers may take together: the context of CUDA and its libraries have no part in the fraction. An engineering choice."""


@dataclass(frozen=True, slots=True)
class TfServingFit(PodFit):
    """How TensorFlow Serving sits on its node group. ``memory_fraction`` is of the GPU or MIG instance that it sees, and
    ``memory_gib`` as much in GiB, None where that is not known.
    """

    memory_fraction: float
    memory_gib: float | None

    @property
    def taken_gib(self) -> float | None:
        """What one server takes: its fraction, whatever the model needs."""
        return self.memory_gib


def memory_fraction(sharers: int) -> float:
    """The part of its GPU that each of so many servers is told to take, in hundredths, rounded down."""
    return floor(_OF_THE_GPU / sharers * 100) / 100


def tf_serving_fit(workload: TfServingWorkload, group: ResolvedNodeGroup) -> TfServingFit:
    """How many servers of ``workload`` fit a node of ``group``, and the memory that each may take."""
    offered = group.share_of(workload.resource_name)
    fraction = memory_fraction(offered.sharers)
    memory = offered.memory_mib
    gib = None if memory is None else fraction * memory / 1024
    return TfServingFit(**asdict(pod_fit(workload, group)), memory_fraction=fraction, memory_gib=gib)
