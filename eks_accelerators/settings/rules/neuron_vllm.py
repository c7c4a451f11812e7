"""Rules about model servers on Neuron devices: which plugin serves, its cores, memory and buckets, and what compiles."""

from collections.abc import Iterator
from math import ceil

from eks_accelerators.accelerators import ami, data, neuron, neuron_buckets, node_capacity
from eks_accelerators.accelerators.neuron import NeuronPlugin
from eks_accelerators.accelerators.neuron_memory import CoreMemory
from eks_accelerators.accelerators.node_capacity import UnknownNodeTypeError
from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.settings.fit import cpu_cores
from eks_accelerators.settings.model.neuron_vllm import CompileAhead, NeuronVllmWorkload
from eks_accelerators.settings.neuron_fit import NeuronFit
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule

_KEYS = {"prompt_tokens": "promptTokens", "sequences": "sequences", "context_tokens": "contextTokens"}

_SMALLEST_BUCKET = 512
"""Tokens of the smallest prompt that the new plugin compiles for by default: a shorter context serves nobody."""


@rule("neuron-logical-cores")
def neuron_logical_cores(context: Context) -> Iterator[RuleFinding]:
    """How many cores a logical NeuronCore has is chosen for a family that lets one choose, on nodes whose user data is ours.

    Source: aws-neuron/aws-neuron-sdk, about-neuron/arch/neuron-features/logical-neuroncore-config.rst (Trn2 and Trn3), and
    deploy/eks/prerequisites.rst for the file that a script in the user data of AL2023 writes.
    """
    for name, group in context.resolved.items():
        size, family = group.settings.logical_core_size, neuron.family_of(group.type)
        if size is None:
            continue
        sizes = family.logical_core_sizes if family else ()
        path = f"nodeGroups.{name}.logicalCoreSize"
        if size not in sizes:
            yield RuleFinding(
                path,
                f"{group.type.name} has no logical NeuronCores of {number_of(size, 'core')}",
                str(size),
                " or ".join(map(str, sorted(sizes))) or "nothing",
                "remove logicalCoreSize",
            )
        elif size != sizes[0] and ami.is_bottlerocket(group.ami_type):
            yield RuleFinding(
                path,
                "a script in the user data of AL2023 writes it",
                group.ami_type,
                "AL2023",
                "remove logicalCoreSize, or use the AL2023 image",
            )


@rule("neuron-old-plugin", Severity.WARNING)
def neuron_old_plugin(context: Context) -> Iterator[RuleFinding]:
    """Trainium1 and Inferentia2 are served by the old plugin, whose last image is of SDK 2.31.1: no fix comes after it.

    Source: aws-neuron/aws-neuron-sdk, documentation of SDK 2.32.0: the new plugin is for Trn2 and Trn3; inference by Torch/XLA is in
    maintenance.
    """
    for path, workload, group, fit in _servers(context):
        if fit.plugin is NeuronPlugin.NXD_INFERENCE and workload.image is None:
            yield RuleFinding(
                f"{path}.nodeGroup",
                f"{group.type.name} is served by the old plugin, vLLM 0.16, which gets no new image",
                group.type.name,
                "Trainium2 or later for what is to last",
                "use a trn2 type, or take it as it is for as long as it works",
            )


@rule("neuron-model-not-listed", Severity.WARNING)
def neuron_model_not_listed(context: Context) -> Iterator[RuleFinding]:
    """The documentation of the plugin says that it serves the model; of others nothing is established, their memory included.

    Source: aws-neuron/aws-neuron-sdk, vllm-neuron/docs/model-recipes and libraries/nxd-inference/developer_guides/
    vllm-user-guide-v1.rst.
    """
    for path, workload, group, fit in _servers(context):
        if fit.family and not neuron.lists(fit.plugin, workload.model):
            listed = ", ".join(data.load("neuron")["models"][fit.plugin])
            yield RuleFinding(
                f"{path}.model",
                f"that {workload.model} is served on {group.type.name} is not established: its plugin does not list it",
                workload.model,
                listed,
                "try it before you rely on it, or use a model of the list",
            )


@rule("neuron-family-unknown")
def neuron_family_unknown(context: Context) -> Iterator[RuleFinding]:
    """What serves models on a family of Neuron devices is known: its plugin has its own image and keys.

    Source: `families` in `eks_accelerators/accelerators/data/neuron.json`.
    """
    for path, _, group, fit in _servers(context):
        if fit.family is None:
            yield RuleFinding(
                f"{path}.nodeGroup",
                f"which plugin serves models on {group.type.family} is not known",
                group.type.name,
                "inf2, trn1, trn2 and trn3",
                "use a type of these families",
            )


@rule("neuron-devices")
def neuron_devices(context: Context) -> Iterator[RuleFinding]:
    """A server has one Neuron device, or all of a node: the runtime wants devices that are next to each other.

    Source: aws-neuron/aws-neuron-sdk, deploy/faq.rst: the device plugin does not see to that; a scheduler extension does, or
    Dynamic Resource Allocation. Neither is installed here.
    """
    for path, workload, group, _ in _servers(context):
        count = group.type.accelerator.count
        if workload.devices <= count and not neuron.is_contiguous(workload.devices, group.type):
            yield RuleFinding(
                f"{path}.devices",
                f"{workload.devices} of {count} devices have to be next to each other, and the device plugin gives any",
                str(workload.devices),
                f"1 or {count}",
                f"set devices: 1, with {neuron.logical_cores_per_device(group.type, group.settings.logical_core_size)} logical cores, or devices: {count}",
            )


@rule("neuron-tensor-parallel")
def neuron_tensor_parallel(context: Context) -> Iterator[RuleFinding]:
    """`tensorParallelSize` is at most the logical cores of a server's devices, and divides the model's heads.

    Source: aws-neuron/aws-neuron-sdk, vllm-neuron/docs/design/parallelism/tensor_parallelism.md: beyond the key and value heads,
    cores keep copies.
    """
    for path, workload, _, fit in _servers(context):
        size, shape = fit.tensor_parallel_size, fit.shape
        sizes = [n for n in range(1, fit.logical_cores + 1) if shape is None or shape.splits_over(n)]
        if fit.family and workload.tensor_parallel_size and size not in sizes:
            too_many = f"{number_of(fit.logical_cores, 'logical core')} on {number_of(workload.devices, 'device')}"
            indivisible = f"{size} does not divide the heads of {workload.model}"
            yield RuleFinding(
                f"{path}.tensorParallelSize",
                too_many if size > fit.logical_cores else indivisible,
                str(size),
                ", ".join(map(str, sizes)),
                f"set tensorParallelSize: {sizes[-1]}, or remove it",
            )


@rule("neuron-memory")
def neuron_memory(context: Context) -> Iterator[RuleFinding]:
    """The KV cache of a server holds its sequences, in what weights leave of a logical core's memory.

    Source: `eks_accelerators/accelerators/neuron_memory.py`: the new plugin takes at most 0.30 of its budget, and does not start
    with less than 1 GiB; the size is part of the compiled programs, so an error would come when they are compiled.
    """
    for path, workload, _, fit in _servers(context):
        if fit.memory is not None and not fit.memory.fits:
            yield _too_large(path, workload, fit.memory)


@rule("neuron-buckets")
def neuron_buckets_fit(context: Context) -> Iterator[RuleFinding]:
    """Buckets ascend, end with the largest shape there is, and can be divided among the logical cores.

    Source: aws-neuron/aws-neuron-sdk, vllm-neuron/docs/guides/reference-configuration.md and design/vllm/additional-config.md; a
    server with others does not start.
    """
    for path, workload, _, fit in _servers(context):
        for problem in neuron_buckets.problems(
            fit.buckets, workload.max_model_len, workload.concurrent_sequences, fit.tensor_parallel_size
        ):
            yield RuleFinding(
                f"{path}.buckets.{_KEYS[problem.kind]}",
                problem.message,
                ", ".join(map(str, getattr(fit.buckets, problem.kind))),
                problem.allowed,
                "change it, or remove it: it follows from the other settings",
            )


@rule("neuron-greedy")
def neuron_greedy(context: Context) -> Iterator[RuleFinding]:
    """The likeliest token is chosen on the device by the new plugin alone.

    Source: aws-neuron/aws-neuron-sdk, vllm-neuron/docs/guides/reference-configuration.md, `on_device_sampling_config`.
    """
    for path, workload, group, fit in _servers(context):
        if workload.greedy and fit.plugin is NeuronPlugin.NXD_INFERENCE:
            yield RuleFinding(
                f"{path}.greedy",
                f"the plugin of {group.type.name} has no such key here",
                "true",
                "false",
                "remove greedy; a request may ask for temperature 0",
            )


@rule("neuron-compile-ahead")
def neuron_compile_ahead(context: Context) -> Iterator[RuleFinding]:
    """What is compiled ahead is compiled by the new plugin, for a volume that other nodes can mount, on a system node.

    Source: aws-neuron/aws-neuron-sdk, vllm-neuron/docs/design/compilation/cpu_compilation.md; EBS volumes serve one node; the image
    is for x86.
    """
    for path, workload, group, fit in _servers(context):
        if workload.compile_ahead is None:
            continue
        if fit.plugin is NeuronPlugin.NXD_INFERENCE:
            yield RuleFinding(
                f"{path}.compileAhead",
                f"the plugin of {group.type.name} compiles on Neuron devices alone",
                "compileAhead",
                "Trainium2 and later",
                "remove compileAhead; cache keeps what the first server compiles",
            )
            continue
        if workload.cache is None or workload.cache.is_of_one_node:
            storage_class = workload.cache.storage_class if workload.cache else None
            yield RuleFinding(
                f"{path}.cache",
                "the Job and the servers are on different nodes, and need one volume",
                f"storageClass {storage_class}" if storage_class else "no volume of several nodes",
                "a storage of this stack, or a ReadWriteMany class",
                "write cache: {storage: ...} with the name of an efs or fsxLustre under storage",
            )
        yield from _on_system_nodes(context, path, workload.compile_ahead)


@rule("neuron-compile-ahead-unawaited", Severity.WARNING)
def neuron_compile_ahead_unawaited(context: Context) -> Iterator[RuleFinding]:
    """Servers start when their model is compiled: a deployment waits for the Job, whose token is there when it starts.

    A Secret that is made by hand is in a namespace that the stack makes, so that nobody can make it before: a deployment that waited
    would wait for it, and fail. Servers then start beside the Job, and compile too.
    """
    for path, workload, _, _ in _servers(context):
        token = workload.hugging_face_token
        if workload.compile_ahead and token and token.existing_secret:
            yield RuleFinding(
                f"{path}.huggingFaceToken",
                f"no deployment waits for the Job, as the Secret {token.existing_secret} may be made later: servers compile beside it",
                "existingSecret",
                "configSecret or secretsManager",
                "name a token that the stack brings",
            )


def _too_large(path: str, workload: NeuronVllmWorkload, memory: CoreMemory) -> RuleFinding:
    """What has to give way: the model, the context, or the sequences where a context that serves nobody would be left."""
    tokens, context, sequences = memory.kv_cache_tokens, workload.max_model_len, workload.concurrent_sequences
    if memory.kv_cache < memory.least_kv_cache or tokens < _SMALLEST_BUCKET:
        least = f"{memory.least_kv_cache:.0f} GiB" if memory.least_kv_cache else f"{_SMALLEST_BUCKET} tokens"
        return RuleFinding(
            f"{path}.model",
            f"{workload.model} leaves no KV cache of {least}: {memory.arithmetic}",
            workload.model,
            "a model that leaves more",
            "use more devices or a higher tensorParallelSize, or a smaller model",
        )
    demand = f"the KV cache does not hold {number_of(sequences, 'sequence')} of {context:,} tokens: {memory.arithmetic}"
    longest, most = tokens // sequences, tokens // context
    if longest < _SMALLEST_BUCKET:
        fix = f"set concurrentSequences: {most}" if most else f"set concurrentSequences: 1 and maxModelLen: {tokens}"
        return RuleFinding(
            f"{path}.concurrentSequences", demand, str(sequences), f"at most {number_of(max(1, most), 'sequence')}", fix
        )
    fewer = f", or concurrentSequences: {most}" if most else ""
    return RuleFinding(
        f"{path}.maxModelLen", demand, str(context), f"at most {longest} tokens", f"set maxModelLen: {longest}{fewer}"
    )


def _on_system_nodes(context: Context, path: str, ahead: CompileAhead) -> Iterator[RuleFinding]:
    types = context.settings.system_node_group.instance_types
    try:
        machines = [node_capacity.machine(kind) for kind in types]
    except UnknownNodeTypeError:
        return  # another rule's finding
    rooms = [machine.allocatable() for machine in machines if machine.architecture == "x86_64"]
    wanted = f"{ahead.cpu} CPU, {ahead.memory_gib} GiB"
    if not any(cpu_cores(ahead.cpu) * 1000 <= r.millicores and ahead.memory_gib * 1024 <= r.memory_mib for r in rooms):
        yield RuleFinding(
            "systemNodeGroup.instanceTypes",
            f"no system node of x86 has room for the Job of {path}.compileAhead: {wanted}",
            ", ".join(types),
            f"one with more than {ceil(cpu_cores(ahead.cpu))} vCPU and {ahead.memory_gib} GiB",
            "use a larger type, or ask for less in compileAhead",
        )


def _servers(context: Context) -> Iterator[tuple[str, NeuronVllmWorkload, ResolvedNodeGroup, NeuronFit]]:
    """Those on nodes with Neuron devices; on others another rule speaks."""
    for placed in context.stack.workloads:
        workload, group, fit = placed.workload, placed.group, placed.fit
        if isinstance(workload, NeuronVllmWorkload) and isinstance(fit, NeuronFit) and not group.type.has_nvidia_gpu:
            yield placed.path, workload, group, fit
