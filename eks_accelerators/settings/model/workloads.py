"""Workloads that a stack can switch on."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, ClassVar, Self, get_args

from pydantic import Field, StringConstraints

from eks_accelerators.accelerators.node_capacity import HUGE_PAGES
from eks_accelerators.accelerators.sharing import EFA_DEVICE
from eks_accelerators.settings.model.autoscaling import AutoscalingSettings
from eks_accelerators.settings.model.base import ConfigSecret, Model, Name
from eks_accelerators.settings.model.node_groups import GpuMemoryGib, TolerationSettings

Positive = Annotated[int, Field(ge=1, le=10**15)]
Namespace = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$")]

GPU_TESTS = "gpu-tests"
"""Namespace of tests and loads by default."""


class HuggingFaceToken(Model):
    """Where the token for gated models comes from: never the token itself. One of the two."""

    config_secret: ConfigSecret | None = None
    """Name of a Pulumi secret: `pulumi config set --secret <name>`."""
    existing_secret: Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$")] | None = None
    """Name of a Kubernetes Secret with the key `token`, there already."""


class ModelShapeSettings(Model):
    """The numbers of a model that this package does not know."""

    parameters: Positive
    """Number of parameters."""
    layers: Positive
    """Number of layers."""
    attention_heads: Positive
    """Number of attention heads."""
    kv_heads: Positive
    """Number of key and value heads."""
    head_size: Positive
    """Size of a head."""
    bytes_per_parameter: Annotated[int, Field(ge=1, le=4)] = 2
    """Bytes a parameter takes."""
    max_model_len: Positive
    """Longest context that the model was made for, in tokens."""
    gated: bool = False
    """Whether Hugging Face asks for a token."""


_HUGE_PAGES_OF_EFA_MIB = 5120
"""Huge pages of a pod with EFA, unless it says how many."""

_FEWEST_SEQUENCES = 16
"""Sequences that a server takes at a time, unless it has room for more of full length: most are shorter."""

EBS_STORAGE_CLASSES = ("gp2", "gp3")
"""Storage classes of EBS, one of which every cluster here has: their volumes serve one node."""


class CacheVolume(Model):
    """A volume that keeps the model's weights between pods."""

    size_gib: Positive
    """Size in GiB."""
    storage_class: str | None = None
    """Storage class; must be ReadWriteMany (EFS, FSx) for more than one replica."""


class Resources(Model):
    """CPU and memory of one pod, as Kubernetes writes quantities."""

    cpu: Annotated[str, StringConstraints(pattern=r"^\d+m?$")] = "1"
    """CPU request."""
    memory_gib: Positive = 6
    """Memory request in GiB."""
    memory_limit_gib: Positive = 10
    """Memory limit in GiB."""


class Workload(Model):
    """What every kind of workload has in common: pods with accelerators on the nodes of one group."""

    COUNT: ClassVar[str] = "nodeGroup"
    """Key of the setting that says how many pods there are, or of the one that limits them."""
    TOGETHER: ClassVar[bool] = False
    """Whether all its pods are on one node."""

    node_group: Name
    """Accelerator node group that it runs on."""
    namespace: Namespace
    """Namespace, created; workloads may share one."""
    resource_name: str | None = None
    """Resource that pods ask for; by default the one that the node group advertises."""
    tolerations: tuple[TolerationSettings, ...] | None = None
    """Tolerations of its own; by default those of the node group's taints."""
    image: str | None = None
    """Container image; by default the one pinned in `charts-values/charts.yaml`."""
    image_compressed_gib: Annotated[float, Field(gt=0, le=1000)] | None = None
    """Compressed size of the image, to check the root volume."""
    resources: Resources = Resources()
    """CPU and memory of one pod."""

    @property
    def pod_count(self) -> int | None:
        """Number of pods; None where it is as many as fit."""
        return 1

    @property
    def most_pods(self) -> int | None:
        """Largest number of pods that the settings allow; None where it is as many as fit."""
        return self.pod_count

    @property
    def count_setting(self) -> str:
        """Path of the setting that says how many pods there are, below the workload."""
        return self.COUNT

    @property
    def accelerators(self) -> int:
        """Accelerators, or shares, that one pod asks for."""
        return 1

    @property
    def other_devices(self) -> dict[str, int]:
        """Extended resources that one pod asks for besides, and how many; huge pages in MiB."""
        return {}

    @property
    def wanted_gpu_memory_gib(self) -> float | None:
        """GiB that each pod wants of its GPU at least; None where it asks for none."""
        return None

    @property
    def served_model(self) -> str | None:
        """The model that its pods serve; None where they serve none."""
        return None

    @property
    def config_secrets(self) -> tuple[str, ...]:
        """Names of the Pulumi secrets that it reads."""
        return ()


class VllmWorkload(Workload):
    """A language model served by vLLM: Deployment, Service and PodDisruptionBudget."""

    COUNT: ClassVar[str] = "replicas"

    model: str
    """Hugging Face model, such as `meta-llama/Llama-3.2-1B`."""
    model_shape: ModelShapeSettings | None = None
    """The model's numbers, where this package does not know the model."""
    namespace: Namespace = "llm"
    """Namespace, created; workloads may share one."""
    replicas: Positive | None = None
    """Number of servers; by default as many as fit the node group at its desired size, at least one."""
    autoscaling: AutoscalingSettings | None = None
    """Let the number of servers follow the load, in place of `replicas`; by default it stays as it is."""
    max_model_len: Positive = 4096
    """Longest context in tokens; sizes the KV cache."""
    concurrent_sequences: Positive = 4
    """Sequences of that length that must fit the KV cache at a time."""
    tensor_parallel_size: Positive = 1
    """GPUs that one server uses."""
    gpu_memory_gib: GpuMemoryGib | None = None
    """GiB that each pod wants of its GPU at least. The shares follow from it where the node group's sharing has neither
    `replicas` nor `memoryGib`; otherwise they have to be as large."""
    efa_interfaces: Annotated[int, Field(ge=0)] = 0
    """EFA interfaces of one pod."""
    huge_pages_mib: Annotated[int, Field(ge=0)] | None = None
    """2 MiB huge pages of one pod, in MiB; by default 5120 where it has EFA."""
    hugging_face_token: HuggingFaceToken | None = None
    """Where the token for gated models comes from."""
    cache: CacheVolume | None = None
    """Volume that keeps the weights; by default each pod downloads them anew."""

    @property
    def pod_count(self) -> int | None:
        """How many pods the settings ask for, `replicas` or the fewest of `autoscaling`; None for as many as fit."""
        if self.replicas is None and self.autoscaling:
            return self.autoscaling.min
        return self.replicas

    @property
    def most_pods(self) -> int | None:
        """The most of `autoscaling`, else `replicas`; None for as many as fit."""
        return self.autoscaling.max if self.autoscaling else self.replicas

    @property
    def count_setting(self) -> str:
        """`autoscaling.min` where that says how many there are, else `replicas`."""
        return "autoscaling.min" if self.autoscaling and self.replicas is None else self.COUNT

    @property
    def most_sequences(self) -> int:
        """Sequences that one server works on at a time at most, vLLM's `--max-num-seqs`."""
        return max(_FEWEST_SEQUENCES, self.concurrent_sequences)

    @property
    def wanted_gpu_memory_gib(self) -> float | None:
        """GiB of GPU memory that each pod wants at least, `gpuMemoryGib`; None where it does not say."""
        return self.gpu_memory_gib

    @property
    def served_model(self) -> str | None:
        """Name of the model that it serves, `model`."""
        return self.model

    @property
    def config_secrets(self) -> tuple[str, ...]:
        """That of `huggingFaceToken`."""
        token = self.hugging_face_token
        return (token.config_secret,) if token and token.config_secret else ()

    @property
    def accelerators(self) -> int:
        """GPUs or shares of one pod, `tensorParallelSize`."""
        return self.tensor_parallel_size

    @property
    def other_devices(self) -> dict[str, int]:
        """`efaInterfaces` and `hugePagesMib`."""
        pages = self.huge_pages_mib
        if pages is None:
            pages = _HUGE_PAGES_OF_EFA_MIB if self.efa_interfaces else 0
        asked = {EFA_DEVICE: self.efa_interfaces, HUGE_PAGES: pages}
        return {name: amount for name, amount in asked.items() if amount}


class CudaVectorAddSettings(Workload):
    """NVIDIA's CUDA sample `vectorAdd`, once: a Job that says whether a pod gets a GPU it can compute on."""

    namespace: Namespace = GPU_TESTS
    """Namespace, created; workloads may share one."""
    resources: Resources = Resources(cpu="100m", memory_gib=1, memory_limit_gib=2)
    """CPU and memory of the pod."""


class LoadedUnit(StrEnum):
    """What a load keeps busy."""

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


class Workloads(Model):
    """Workloads by kind and name."""

    vllm: dict[Name, VllmWorkload] = {}
    """Language models served by vLLM."""
    cuda_vector_add: dict[Name, CudaVectorAddSettings] = {}
    """Smoke tests: one vector addition on a GPU, or on a share of one."""
    dcgm_prof_tester: dict[Name, DcgmProfTesterSettings] = {}
    """Loads: pods that keep a GPU busy for some time."""

    @classmethod
    def of(cls, name: str, workload: Workload) -> Self:
        """One workload and no other."""
        kinds = {get_args(info.annotation)[1]: field for field, info in cls.model_fields.items()}
        return cls.model_validate({kinds[type(workload)]: {name: workload}})

    def each(self) -> Iterator[tuple[str, str, Workload]]:
        """Kind as in the stack file, name and settings of every workload."""
        for field, info in type(self).model_fields.items():
            for name, workload in getattr(self, field).items():
                yield info.alias or field, name, workload
