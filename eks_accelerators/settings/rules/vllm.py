"""Rules about vLLM servers: that the model fits, can start, and has what it needs."""

from collections.abc import Iterator

from eks_accelerators.accelerators import gpus
from eks_accelerators.accelerators.mig import rules as mig_rules
from eks_accelerators.accelerators.model_memory import fits_without_cuda_graphs, known_models, usable_gib
from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.accelerators.sharing import replicas_of_memory, rounded_down
from eks_accelerators.accelerators.suggest import closest
from eks_accelerators.settings.fit import Fit, shape_of
from eks_accelerators.settings.language_models import language_model_of
from eks_accelerators.settings.model.language_model import WrittenModel
from eks_accelerators.settings.model.vllm import VllmWorkload
from eks_accelerators.settings.model.workload import Workload
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.resolved_stack import PlacedWorkload
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule
from eks_accelerators.settings.rules.secret_sources import SOURCES, one_source


@rule("workload-model-unknown")
def workload_model_unknown(context: Context) -> Iterator[RuleFinding]:
    """A model has a known shape, or the settings write it: without it nobody can say whether it fits."""
    for written_at, _, written in _written(context):
        path, workload = f"{written_at}{written.path}", written.model
        if shape_of(workload) is None:
            guess = closest(workload.model, known_models())
            yield RuleFinding(
                f"{path}.modelShape",
                f"the memory of {workload.model} is not known",
                workload.model,
                ", ".join(known_models()),
                f"did you mean {guess}? Otherwise write modelShape from the model's config.json"
                if guess
                else "write modelShape from the model's config.json",
            )


@rule("workload-memory")
def workload_memory(context: Context) -> Iterator[RuleFinding]:
    """Every share of a GPU holds one server: shares x (weights + overhead + CUDA graphs + KV cache) <= 0.92 x memory.

    Time-slicing divides time, not memory; MPS gives each its part of it. Source: `eks_accelerators/accelerators/model_memory.py`; the overhead is an estimate.
    """
    for path, workload, group, fit in _served(context):
        offered = group.share_of(workload.resource_name)
        if fit.need is None or offered.memory_mib is None or fit.servers_per_gpu is None:
            continue
        shares = offered.sharers
        if fit.servers_per_gpu >= shares:
            continue
        if fit.cuda_graphs and fits_without_cuda_graphs(fit.need, offered.memory_mib, shares):
            continue  # cuda-graphs-memory speaks of it
        usable = usable_gib(offered.memory_mib)
        if fit.servers_per_gpu == 0:
            yield RuleFinding(
                f"{path}.model",
                f"{workload.model} needs {fit.need.total_gib:.2f} GiB per GPU; {offered.device} has {usable:.2f} GiB to give ({fit.arithmetic})",
                workload.model,
                f"at most {usable:.2f} GiB",
                "use a larger instance or a smaller maxModelLen"
                if offered.profile
                else f"use a larger GPU, {_more_gpus(context, path, group)} or a smaller maxModelLen",
            )
        else:
            yield RuleFinding(
                f"nodeGroups.{group.name}.sharing.replicas",
                f"{shares} x {fit.need.total_gib:.2f} = {shares * fit.need.total_gib:.1f} GiB exceed the {usable:.2f} GiB of one {offered.device} ({fit.arithmetic})",
                str(shares),
                f"at most {fit.servers_per_gpu} for {workload.model} with maxModelLen {workload.max_model_len}",
                f"set sharing.replicas: {fit.servers_per_gpu}"
                if fit.servers_per_gpu > 1
                else "use sharing.strategy: exclusive, or a smaller maxModelLen",
            )


@rule("workload-gpu-memory")
def workload_gpu_memory(context: Context) -> Iterator[RuleFinding]:
    """The share that a workload's pods get has the memory that it asks for with `gpuMemoryGib`.

    Shares are counted, so this is arithmetic: memory of the device / pods that share it.
    """
    for path, workload, group in context.placed:
        offered, wanted = group.share_of(workload.resource_name), workload.wanted_gpu_memory_gib
        if wanted is None:
            continue
        memory, gib = offered.memory_mib, offered.gib
        if memory is None or gib is None:
            unknown = f"the memory of one {offered.device} is not known"
            yield RuleFinding(f"{path}.gpuMemoryGib", unknown, f"{wanted:g}", "nothing", "remove it")
        elif replicas_of_memory(memory, wanted) < offered.sharers:
            has = rounded_down(gib)
            together = f", which {offered.sharers} share" if offered.sharers > 1 else ""
            yield RuleFinding(
                f"{path}.gpuMemoryGib",
                f"a pod has {has} GiB of one {offered.device}{together}",
                f"{wanted:g}",
                f"at most {has}",
                "ask for less, or let the shares follow from it: remove replicas and memoryGib of the node group's sharing"
                if offered.sharers > 1
                else "ask for less, or use a larger GPU or MIG instance",
            )


@rule("workload-context")
def workload_context(context: Context) -> Iterator[RuleFinding]:
    """`maxModelLen` is within the context that the model was made for."""
    for written_at, _, written in _written(context):
        path, workload, shape = f"{written_at}{written.path}", written.model, shape_of(written.model)
        if shape and workload.max_model_len > shape.max_model_len:
            yield RuleFinding(
                f"{path}.maxModelLen",
                f"{workload.model} was made for {shape.max_model_len} tokens",
                str(workload.max_model_len),
                f"at most {shape.max_model_len}",
                f"set maxModelLen: {shape.max_model_len}",
            )


@rule("workload-tensor-parallel")
def workload_tensor_parallel(context: Context) -> Iterator[RuleFinding]:
    """`tensorParallelSize` is at most the GPUs of a node, divides the attention heads, and never takes shares of a GPU.

    Source: vLLM `--tensor-parallel-size`; k8s-device-plugin: two shares may be one GPU.
    """
    for path, workload, group, _ in _served(context):
        size, shape = workload.tensor_parallel_size, shape_of(workload)
        here = f"{path}.tensorParallelSize"
        if size > group.type.accelerator.count:
            yield RuleFinding(
                here,
                f"tensor parallel {size} exceeds the {number_of(group.type.accelerator.count, 'GPU')} of {group.type.name}",
                str(size),
                f"at most {group.type.accelerator.count}",
                "use a larger type",
            )
        elif size > 1 and group.share_of(workload.resource_name).sharers > 1:
            yield RuleFinding(
                here,
                "two shares may be the same GPU",
                str(size),
                "1 on a shared group",
                "use a group with sharing.strategy: exclusive",
            )
        if shape and shape.kv_heads % size and size % shape.kv_heads:
            yield RuleFinding(
                here,
                f"{size} neither divides the {shape.kv_heads} key and value heads nor is a multiple of them",
                str(size),
                "a divisor or a multiple",
                "use a power of two",
            )
        if shape and shape.attention_heads % size:
            gpus_of_a_node = range(1, group.type.accelerator.count + 1)
            divisors = ", ".join(str(n) for n in gpus_of_a_node if shape.attention_heads % n == 0)
            yield RuleFinding(
                here,
                f"{size} does not divide the {shape.attention_heads} attention heads",
                str(size),
                divisors,
                f"use one of {divisors}",
            )


@rule("mig-tensor-parallel")
def mig_tensor_parallel(context: Context) -> Iterator[RuleFinding]:
    """A server on MIG instances has a `tensorParallelSize` of 1: NCCL does not work between them.

    Source: Amazon EKS User Guide, NVIDIA MIG; NVIDIA MIG User Guide.
    """
    for path, workload, group, _ in _served(context):
        on_instance = group.share_of(workload.resource_name).profile is not None
        if problem := mig_rules.parallel_problem(workload.tensor_parallel_size, on_instance):
            yield RuleFinding(
                f"{path}.{problem.path}",
                problem.message,
                str(workload.tensor_parallel_size),
                "1",
                "use a group of whole GPUs, or a larger instance",
            )


@rule("workload-token")
def workload_token(context: Context) -> Iterator[RuleFinding]:
    """A gated model names where its Hugging Face token comes from: one Pulumi secret, Kubernetes Secret or secret of AWS.

    Source: the model's card: gated weights are downloaded with an accepted account's token only.
    """
    for written_at, workload, written in _written(context):
        path, token, shape = f"{written_at}.huggingFaceToken", workload.token_source, shape_of(written.model)
        yield from one_source(path, token)
        is_downloaded = written.is_downloaded and not workload.streamed_weights
        if token is None and shape and shape.gated and is_downloaded:
            yield RuleFinding(
                path,
                f"{written.model.model} is gated",
                "no token",
                SOURCES,
                "write huggingFaceToken: {configSecret: huggingFaceToken}, and run `pulumi config set --secret huggingFaceToken`",
            )


@rule("workload-cache")
def workload_cache(context: Context) -> Iterator[RuleFinding]:
    """A cache volume holds the weights, and more than one replica shares it only on a storage, or by a storage class named for that.

    Source: EBS volumes are ReadWriteOnce: a second pod on another node would stay Pending.
    """
    # Also where its node group cannot be resolved.
    for server in context.stack.every_workload:
        workload, written = server.workload, server.workload.language_model
        shape = shape_of(written.model) if written and written.is_downloaded else None
        replicas = server.fit.most_replicas if isinstance(server, PlacedWorkload) else workload.most_pods or 1
        for key, cache in workload.caches.items():
            path = f"{server.path}.{key}"
            if replicas * workload.pods_per_replica > 1 and cache.is_of_one_node:
                yield RuleFinding(
                    f"{path}.storageClass",
                    "a volume of EBS serves one node",
                    cache.storage_class or "the default",
                    "a storage of this stack, or a ReadWriteMany class",
                    f"write {key}: {{storage: ...}} with the name of an efs under storage, or leave {key} out",
                )
            if shape and cache.size_gib is not None and cache.size_gib < shape.weights_gib:
                yield RuleFinding(
                    f"{path}.sizeGib",
                    f"the weights take {shape.weights_gib:.1f} GiB",
                    str(cache.size_gib),
                    f"at least {int(shape.weights_gib) + 1}",
                    f"set sizeGib: {int(shape.weights_gib * 2) + 1}",
                )


@rule("workload-float16", Severity.WARNING)
def workload_float16(context: Context) -> Iterator[RuleFinding]:
    """A GPU without bfloat16 serves in float16, whose range is smaller.

    Source: `eks_accelerators/accelerators/data/gpus.json`: bfloat16 needs compute capability 8.0.
    """
    for path, workload, group, _ in _served(context):
        if gpus.supports_bfloat16(group.type.accelerator.name) is False:
            yield RuleFinding(
                f"{path}.nodeGroup",
                f"{group.type.accelerator.name} has no bfloat16; {workload.model} is served in float16",
                group.type.accelerator.name,
                "Ampere or newer",
                "check the model's answers, or use G5, G6 or P4 and newer",
            )


def _more_gpus(context: Context, path: str, group: ResolvedNodeGroup) -> str:
    """Where a server gets more GPUs: one of vLLM that has all of a node with several can span nodes."""
    has_all = {
        f"workloads.vllm.{name}"
        for name, server in context.settings.workloads.vllm.items()
        if server.tensor_parallel_size == group.type.accelerator.count > 1
    }
    return "more nodesPerReplica" if path in has_all else "a higher tensorParallelSize"


def _written(context: Context) -> Iterator[tuple[str, Workload, WrittenModel]]:
    """Language models by whatever serves them, GPUs or not: the path of the workload, the workload, and where its model is."""
    for kind, name, workload in context.settings.workloads.each():
        if written := workload.language_model:
            yield f"workloads.{kind}.{name}", workload, written


def _served(context: Context) -> Iterator[tuple[str, VllmWorkload, ResolvedNodeGroup, Fit]]:
    """Language models by whatever serves them: their path, as if vLLM did, their node group, and how they fit it."""
    for placed in context.stack.workloads:
        found, fit = language_model_of(placed.workload), placed.fit
        if found and isinstance(fit, Fit):
            yield placed.path + found[0], found[1], placed.group, fit
