"""How a model server fits the Neuron devices of its node group: cores, memory of each, and programs to compile."""

from dataclasses import asdict, dataclass

from eks_accelerators.accelerators import neuron
from eks_accelerators.accelerators.model_memory import ModelShape
from eks_accelerators.accelerators.neuron import NeuronFamily, NeuronPlugin
from eks_accelerators.accelerators.neuron_buckets import Buckets, buckets
from eks_accelerators.accelerators.neuron_memory import CoreMemory, core_memory
from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.settings.fit import PodFit, pod_fit, shape_of
from eks_accelerators.settings.model.neuron_vllm import NeuronVllmWorkload
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup


@dataclass(frozen=True, slots=True)
class NeuronFit(PodFit):
    """How a server sits on its node group. ``family`` is None where the nodes have no Neuron devices that are known, and
    ``memory`` where that of the model or of a core is not.

    ``logical_cores`` are those of one server's devices, of which it uses ``tensor_parallel_size``.
    """

    family: NeuronFamily | None
    shape: ModelShape | None
    devices: int
    logical_cores: int
    tensor_parallel_size: int
    max_model_len: int
    buckets: Buckets
    memory: CoreMemory | None

    @property
    def plugin(self) -> NeuronPlugin:
        """The plugin that serves; that of later hardware where the family is not known."""
        return self.family.plugin if self.family else NeuronPlugin.VLLM_NEURON

    @property
    def taken_gib(self) -> float | None:
        """What one server takes of each of its devices, all its cores together; None where memory is not known."""
        if self.memory is None:
            return None
        return (self.memory.weights + self.memory.kv_cache_kept) * self.tensor_parallel_size / self.devices

    @property
    def kv_cache_tokens(self) -> int | None:
        """How many tokens its KV cache holds, all sequences together; None where memory is not known."""
        return None if self.memory is None else self.memory.kv_cache_tokens

    @property
    def full_sequences(self) -> int | None:
        """How many sequences of `maxModelLen` tokens its KV cache holds; None where memory is not known."""
        tokens = self.kv_cache_tokens
        return None if tokens is None else tokens // self.max_model_len

    @property
    def arithmetic(self) -> str:
        """The memory of one logical core in words, and the programs that are compiled."""
        programs = f"{number_of(self.buckets.programs, 'program')} to compile"
        if self.memory is None:
            unknown = "the model" if self.shape is None else "a logical core"
            return f"the memory of {unknown} is not known; {programs}"
        return (
            f"{self.memory.arithmetic}; {self.tensor_parallel_size} of {self.logical_cores} logical cores, {programs}"
        )


def neuron_fit(workload: NeuronVllmWorkload, group: ResolvedNodeGroup) -> NeuronFit:
    """How many servers of ``workload`` fit a node of ``group``, and the memory of their logical cores."""
    kind, shape, family = group.type, shape_of(workload), neuron.family_of(group.type)
    size = group.settings.logical_core_size
    plugin = family.plugin if family else NeuronPlugin.VLLM_NEURON
    cores = workload.devices * neuron.logical_cores_per_device(kind, size)
    parallel = workload.tensor_parallel_size or neuron.most_cores(shape, cores)
    gib, memory = neuron.gib_per_logical_core(kind, size), None
    if shape and gib:
        memory = core_memory(
            plugin,
            shape,
            gib,
            tensor_parallel_size=parallel,
            max_model_len=workload.max_model_len,
            sequences=workload.concurrent_sequences,
        )
    wanted = workload.buckets
    return NeuronFit(
        **asdict(pod_fit(workload, group)),
        family=family,
        shape=shape,
        devices=workload.devices,
        logical_cores=cores,
        tensor_parallel_size=parallel,
        max_model_len=workload.max_model_len,
        buckets=buckets(
            plugin,
            workload.max_model_len,
            workload.concurrent_sequences,
            prompt_tokens=wanted.prompt_tokens,
            sequences=wanted.sequences,
            context_tokens=wanted.context_tokens,
        ),
        memory=memory,
    )
