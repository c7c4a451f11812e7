"""What makes the pods of a training job: one entry in `ENGINES` for each, with what the floors above ask about it.

Sources: kubeflow/trainer v2.3.0 (`charts/kubeflow-trainer`, `pkg/runtime/framework/plugins/torch/torch.go`), ray-project/kuberay v1.7.0
(`helm-chart/kuberay-operator`, `ray-operator/controllers/ray`), read 2026-11-22.
"""

from dataclasses import dataclass
from enum import StrEnum

from eks_accelerators.settings.release_names import JOB_SET, KUBEFLOW_TRAINER, KUBERAY


class TrainingController(StrEnum):
    """Who makes the pods of a training job, and makes them again."""

    JOB = "job"
    JOB_SET = "jobSet"
    TRAIN_JOB = "trainJob"
    RAY_JOB = "rayJob"


@dataclass(frozen=True, slots=True)
class Overhead:
    """What the pods ask for on one node that an engine adds to those of a job: cores, and GiB of memory."""

    cpu: float
    memory_gib: int


@dataclass(frozen=True, slots=True)
class TrainingEngine:
    """One engine.

    ``releases`` are what a cluster needs for it, by their names in `eks_accelerators.settings.releases`. ``image`` is that of
    the pods on GPUs, ``neuron_image`` that on Neuron devices, by their keys in `charts-values/charts.yaml`: None where the engine does
    not run there. ``beside`` is what it adds to one of the nodes. ``survives`` says whether the loss of any one pod leaves it able to
    begin again. ``drivers``: it also runs programs that bring their own processes to the nodes.
    """

    releases: tuple[str, ...] = ()
    image: str = "pytorch"
    neuron_image: str | None = "pytorch-neuron"
    beside: Overhead | None = None
    survives: bool = True
    drivers: bool = False


HEAD = Overhead(cpu=2, memory_gib=8)
"""The head of a Ray cluster, which runs no rank: AWS's own test of its image gives it 4 cores and 16 GiB, KubeRay's samples 1 and 4."""

SUBMITTER = Overhead(cpu=0.5, memory_gib=1)
"""The pod that submits a Ray job and follows its log; KubeRay's default asks for half a core and at most 1 GiB."""

ENGINES: dict[TrainingController, TrainingEngine] = {
    TrainingController.JOB: TrainingEngine(),
    TrainingController.JOB_SET: TrainingEngine(releases=(JOB_SET,)),
    # Its chart would bring JobSet too; a stack has it once, for JobSets of its own besides.
    TrainingController.TRAIN_JOB: TrainingEngine(releases=(JOB_SET, KUBEFLOW_TRAINER)),
    TrainingController.RAY_JOB: TrainingEngine(
        releases=(KUBERAY,),
        image="ray-train",
        neuron_image=None,
        beside=Overhead(HEAD.cpu + SUBMITTER.cpu, HEAD.memory_gib + SUBMITTER.memory_gib),
        survives=False,
        drivers=True,
    ),
}
"""What each value of `controller` brings to the cluster, and what a job under it is like."""
