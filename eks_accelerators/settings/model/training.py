"""Distributed training, and tests of the network that it needs: pods on several nodes that work as one."""

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from eks_accelerators.accelerators.instance_type import Manufacturer
from eks_accelerators.settings.model.base import Model, Name
from eks_accelerators.settings.model.node_groups import MOST_NODES
from eks_accelerators.settings.model.training_engines import ENGINES, TrainingController, TrainingEngine
from eks_accelerators.settings.model.workload import Namespace, Positive, Resources, Workload, devices_of_efa

TRAINING = "training"
"""Namespace of training jobs and of tests of the network by default."""

VariableName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=253)]


class Precision(StrEnum):
    """In what numbers a training program computes."""

    FP32 = "fp32"
    TF32 = "tf32"
    BF16 = "bf16"
    FP16 = "fp16"
    FP8 = "fp8"


class Checkpoints(Model):
    """Where a training job saves what it has, and how long that takes."""

    volume: Name
    """Name of the volume, under `volumes`; all nodes see it, and it outlives them."""
    directory: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._/-]*$", max_length=255)] | None = None
    """Directory on it; by default the job's name."""
    save_seconds: Annotated[int, Field(ge=10, le=3600)] = 300
    """Seconds that one checkpoint may take. So long before a Capacity Block is drained the job saves and ends."""


class GangWorkload(Workload):
    """Pods on several nodes that work as one: one on each node, all near each other."""

    COUNT: ClassVar[str] = "nodes"
    ACCELERATORS: ClassVar[str] = "acceleratorsPerNode"
    APART: ClassVar[bool] = True
    MADE_FOR: ClassVar[Manufacturer | None] = None

    namespace: Namespace = TRAINING
    """Namespace, created; workloads may share one."""
    nodes: Annotated[int, Field(ge=1, le=MOST_NODES)]
    """Number of nodes, with one pod on each."""
    accelerators_per_node: Positive
    """GPUs, or Neuron devices, of one pod; all of a node, for those of one node reach each other fastest."""
    efa_interfaces: Annotated[int, Field(ge=0)] = 0
    """EFA interfaces of one pod; all of a node where there are several nodes."""
    huge_pages_mib: Annotated[int, Field(ge=0)] | None = None
    """2 MiB huge pages of one pod, in MiB; by default 5120 where it has EFA."""
    shared_memory_gib: Positive = 8
    """Size of `/dev/shm` in GiB, for processes of one node. What is in it counts as memory of the pod."""
    env: dict[VariableName, str] = {}
    """Environment variables of one's own. NCCL and EFA need none."""
    resources: Resources = Resources(cpu="4", memory_gib=16, memory_limit_gib=32)
    """CPU and memory of one pod."""

    @property
    def pod_count(self) -> int | None:
        """How many pods the settings ask for, `nodes`."""
        return self.nodes

    @property
    def accelerators(self) -> int:
        """GPUs or Neuron devices of one pod, `acceleratorsPerNode`."""
        return self.accelerators_per_node

    @property
    def other_devices(self) -> dict[str, int]:
        """`efaInterfaces` and `hugePagesMib`."""
        return devices_of_efa(self.efa_interfaces, self.huge_pages_mib)


class PytorchJobSettings(GangWorkload):
    """Distributed training by PyTorch: `torchrun` in one pod on each node, of an Indexed Job or of another engine."""

    program: str | None = None
    """Python file in the image or on a volume; by default a sample that trains a small model."""
    arguments: tuple[str, ...] = ()
    """Arguments of the program."""
    precision: Precision = Precision.FP32
    """What the program finds in the variable `PRECISION`: `fp32`, `tf32`, `bf16`, `fp16` or `fp8`."""
    checkpoints: Checkpoints | None = None
    """Where the program saves, from which it begins again; it finds the directory in the variable `CHECKPOINTS`."""
    max_restarts: Annotated[int, Field(ge=0, le=100)] = 3
    """How often the job begins again after a fault. Nodes that are taken away are no fault."""
    controller: TrainingController = TrainingController.JOB
    """`job`: a pod that is lost is followed by another, which joins the rest. `jobSet`: all pods are made anew (JobSet).
    `trainJob`: as `jobSet`, by Kubeflow Trainer, for teams that submit jobs by its SDK. `rayJob`: in a Ray cluster (KubeRay)."""
    ray_driver: bool = False
    """The program is one of Ray, which brings its work to the nodes itself (Ray Train, Ray Tune): it runs once, beside the head
    of the Ray cluster, in place of `torchrun` on each node. False by default."""

    @property
    def engine(self) -> TrainingEngine:
        """What is known of its `controller`."""
        return ENGINES[self.controller]

    @property
    def needs_releases(self) -> tuple[str, ...]:
        """What makes its pods, where Kubernetes does not do so itself."""
        return self.engine.releases


class CollectiveTestSettings(GangWorkload):
    """How fast accelerators exchange data, within a node or between nodes: NCCL on GPUs, `nccom-test` on Neuron devices."""

    largest_mib: Annotated[int, Field(ge=1, le=131072)] = 1024
    """Largest message in MiB; each is twice as large as the one before. The memory of each accelerator holds it several times."""
