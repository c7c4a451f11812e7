"""Rules about distributed training and tests of the network between nodes."""

from collections import Counter
from collections.abc import Iterator

from eks_accelerators.accelerators import gpus, prices
from eks_accelerators.accelerators.efa import efa_count
from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.accelerators.training_variables import refusal
from eks_accelerators.settings.collective_nodes import why_not_between
from eks_accelerators.settings.model.node_groups import CapacityType
from eks_accelerators.settings.model.storage import NodeCache
from eks_accelerators.settings.model.training import (
    CollectiveTestSettings,
    GangWorkload,
    Precision,
    PytorchJobSettings,
)
from eks_accelerators.settings.pasted_secrets import HIDDEN, may_be_secret
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule
from eks_accelerators.settings.rules.whole_gpus import shared_where_whole
from eks_accelerators.settings.training_fit import processes_per_node

_ON_NEURON = (Precision.FP32, Precision.BF16)
"""What is said here for Neuron devices: for the rest no source was found of how PyTorch gets it there."""


@rule("training-variable")
def training_variable(context: Context) -> Iterator[RuleFinding]:
    """A training job, or a test of the network, sets none of the variables that NCCL and EFA do without today.

    Source: aws-ofi-nccl 1.21.1 `doc/efa-env-var.md`: the plugin chooses provider, protocol, buffers and topology by
    instance type, and what is set by hand undoes that.
    """
    for kind, name, workload in context.settings.workloads.each():
        group = context.resolved.get(workload.node_group)
        with_efa = group is not None and efa_count(group.interfaces) > 0
        for variable, value in workload.env.items() if isinstance(workload, GangWorkload) else ():
            if why := refusal(variable, value, with_efa=with_efa):
                yield RuleFinding(
                    f"workloads.{kind}.{name}.env.{variable}",
                    why,
                    f"{variable}={_shown(value)}",
                    "not set",
                    "remove it",
                )


def _shown(value: str) -> str:
    """The value of a variable, unless it may be a secret."""
    return HIDDEN if may_be_secret(value) else value


@rule("training-without-efa", Severity.WARNING)
def training_without_efa(context: Context) -> Iterator[RuleFinding]:
    """Between nodes whose type has EFA, pods use all of it: without, NCCL falls back to TCP and says so in its log only."""
    for path, workload, group in _gangs(context):
        available = efa_count(group.interfaces)
        if workload.nodes == 1 or not group.type.network.supports_efa:
            continue
        if not available:
            yield RuleFinding(
                f"{path}.nodeGroup",
                f"{group.type.name} takes EFA and {group.name} has none: all traffic between nodes is TCP",
                group.name,
                "a node group with efa.enabled",
                f"set nodeGroups.{group.name}.efa.enabled: true, and efaInterfaces here",
            )
        elif workload.efa_interfaces < available and workload.accelerators == group.share_of(None).count:
            yield RuleFinding(
                f"{path}.efaInterfaces",
                f"a pod takes a whole node and {workload.efa_interfaces} of its {available} EFA interfaces",
                str(workload.efa_interfaces),
                str(available),
                f"set efaInterfaces: {available}",
            )


@rule("training-accelerators-left", Severity.WARNING)
def training_accelerators_left(context: Context) -> Iterator[RuleFinding]:
    """Pods that take all EFA interfaces of their nodes take all accelerators too: what is left can be used without EFA alone."""
    users = Counter(group.name for _, _, group in context.placed)
    for path, workload, group in _gangs(context):
        available, count = efa_count(group.interfaces), group.share_of(None).count
        left = count - workload.accelerators
        if not available or workload.efa_interfaces < available or left <= 0 or users[group.name] > 1:
            continue
        usd = prices.on_demand(group.type.name, context.settings.region)
        on_demand = group.settings.bought_as is CapacityType.ON_DEMAND and usd is not None
        price = f", {usd * left / count * workload.nodes:.2f} USD per hour of the nodes" if usd and on_demand else ""
        yield RuleFinding(
            f"{path}.acceleratorsPerNode",
            f"{left} of {count} accelerators of each node are left, and all EFA interfaces are taken{price}",
            str(workload.accelerators),
            str(count),
            f"set acceleratorsPerNode: {count}",
        )


@rule("training-shared")
def training_shared(context: Context) -> Iterator[RuleFinding]:
    """Ranks have whole GPUs: NCCL refuses two ranks on one GPU, and no MIG instance reaches another.

    Source: NCCL user guide, and NVIDIA MIG user guide, application considerations: no peer-to-peer between instances.
    """
    for path, _, group in _gangs(context):
        yield from shared_where_whole(path, group)


@rule("training-precision")
def training_precision(context: Context) -> Iterator[RuleFinding]:
    """A training job computes in numbers that its GPUs have.

    Source: NVIDIA: bfloat16 and TF32 from compute capability 8.0 on (no T4, no V100), FP8 by Transformer Engine from 8.9
    on (L4, L40S, H100 and later).
    """
    for path, workload, group in _gangs(context):
        if not isinstance(workload, PytorchJobSettings):
            continue
        chip, wanted = group.type.accelerator.name, workload.precision
        if group.type.neuron and wanted not in _ON_NEURON:
            yield _precision(
                path, f"how PyTorch computes in {wanted.value} on {chip} is not known here", wanted, _ON_NEURON
            )
        elif wanted in (Precision.BF16, Precision.TF32) and gpus.supports_bfloat16(chip) is False:
            yield _precision(path, f"{chip} has no {wanted.value}", wanted, (Precision.FP32, Precision.FP16))
        elif wanted is Precision.FP8 and not group.type.neuron and gpus.supports_fp8(chip) is False:
            has_bf16 = gpus.supports_bfloat16(chip) is not False
            yield _precision(path, f"{chip} has no fp8", wanted, (Precision.BF16 if has_bf16 else Precision.FP16,))


def _precision(path: str, message: str, found: Precision, allowed: tuple[Precision, ...]) -> RuleFinding:
    names = [each.value for each in allowed]
    return RuleFinding(f"{path}.precision", message, found.value, " or ".join(names), f"set precision: {names[-1]}")


@rule("training-shared-memory")
def training_shared_memory(context: Context) -> Iterator[RuleFinding]:
    """`/dev/shm` leaves a pod memory for everything else: what is in it counts against the limit.

    Source: Kubernetes, emptyDir with the medium `Memory`.
    """
    for kind, name, workload in context.settings.workloads.each():
        if isinstance(workload, GangWorkload) and workload.shared_memory_gib >= workload.resources.memory_limit_gib:
            yield RuleFinding(
                f"workloads.{kind}.{name}.sharedMemoryGib",
                "shared memory may take all that the pod has",
                str(workload.shared_memory_gib),
                f"below resources.memoryLimitGib, {workload.resources.memory_limit_gib}",
                "ask for less, or raise resources.memoryLimitGib",
            )


_GIB_OF_A_RANK = 1
"""What a process takes at the least that has imported PyTorch with CUDA, or with torch_xla. An estimate: nobody has published it."""


@rule("training-memory", Severity.WARNING)
def training_memory(context: Context) -> Iterator[RuleFinding]:
    """A pod has memory for a process on each of its GPUs or logical NeuronCores, beside `/dev/shm`: 1 GiB, an estimate."""
    for path, workload, group in _gangs(context):
        if not isinstance(workload, PytorchJobSettings):
            continue
        ranks = processes_per_node(workload, group)
        left = workload.resources.memory_limit_gib - workload.shared_memory_gib
        least = ranks * _GIB_OF_A_RANK + workload.shared_memory_gib
        if 0 < left < ranks * _GIB_OF_A_RANK:
            yield RuleFinding(
                f"{path}.resources.memoryLimitGib",
                f"{number_of(ranks, 'rank')} share the {left} GiB that `/dev/shm` leaves the pod",
                str(workload.resources.memory_limit_gib),
                f"at least {least}, with {_GIB_OF_A_RANK} GiB for each rank, an estimate",
                f"set resources.memoryLimitGib: {least} or more, and resources.memoryGib and cpu with it",
            )


@rule("training-checkpoints")
def training_checkpoints(context: Context) -> Iterator[RuleFinding]:
    """Checkpoints are on a volume of the job that may be written, that all nodes see, and that outlives them."""
    for path, workload in _jobs(context):
        kept = workload.checkpoints
        if kept is None:
            continue
        mount = workload.volumes.get(kept.volume)
        storage = context.settings.storage.get(kept.volume)
        if mount is None:
            yield RuleFinding(
                f"{path}.checkpoints.volume",
                f"the job mounts no volume called {kept.volume}",
                kept.volume,
                ", ".join(workload.volumes) or "one of volumes",
                f"add volumes.{kept.volume}: {{mountPath: /{kept.volume}}}",
            )
        elif mount.read_only:
            yield RuleFinding(
                f"{path}.volumes.{kept.volume}.readOnly",
                "checkpoints are written there",
                "true",
                "false",
                "remove readOnly",
            )
        elif storage and any(isinstance(found, NodeCache) for _, found in storage.each()):
            yield RuleFinding(
                f"{path}.checkpoints.volume",
                f"{kept.volume} is on the disks of each node: no other node sees it, and it goes with the node",
                kept.volume,
                "fsxLustre, efs, s3Files, or an s3Bucket with write: true",
                "use another storage",
            )


@rule("training-without-checkpoints", Severity.WARNING)
def training_without_checkpoints(context: Context) -> Iterator[RuleFinding]:
    """A job that loses its nodes has checkpoints: Spot is taken back, a Capacity Block ends, and one fault in many nodes ends all."""
    for path, workload, group in _gangs(context):
        if not isinstance(workload, PytorchJobSettings) or workload.checkpoints:
            continue
        bought = group.settings.bought_as
        if bought is CapacityType.SPOT:
            why = f"{group.name} is bought as Spot: AWS takes nodes back"
        elif bought is CapacityType.CAPACITY_BLOCK:
            why = f"{group.name} is on a Capacity Block, which ends"
        elif workload.nodes > 1:
            why = f"a fault on one of {workload.nodes} nodes ends the work of all"
        else:
            continue
        yield RuleFinding(
            f"{path}.checkpoints",
            f"{why}; the job would begin from nothing",
            "none",
            "a volume that outlives the nodes",
            "write checkpoints: {volume: NAME}, with a storage of that name under volumes",
        )


@rule("collective-test-nodes")
def collective_test_nodes(context: Context) -> Iterator[RuleFinding]:
    """`nccom-test` measures between instances of Trainium alone, and over EFA.

    Source: AWS Neuron documentation, NCCOM-TEST user guide: of Inferentia2 it measures one instance.
    """
    for path, workload, group in _gangs(context):
        if not isinstance(workload, CollectiveTestSettings) or not group.type.neuron or workload.nodes == 1:
            continue
        if (why := why_not_between(group)) is not None:
            yield RuleFinding(f"{path}.nodes", why, str(workload.nodes), "1", "set nodes: 1")


def _gangs(context: Context) -> Iterator[tuple[str, GangWorkload, ResolvedNodeGroup]]:
    for path, workload, group in context.placed:
        if isinstance(workload, GangWorkload):
            yield path, workload, group


def _jobs(context: Context) -> Iterator[tuple[str, PytorchJobSettings]]:
    for name, workload in context.settings.workloads.pytorch_job.items():
        yield f"workloads.pytorchJob.{name}", workload
