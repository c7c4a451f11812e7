"""Rules about what makes the pods of a training job: what an engine cannot do."""

from collections.abc import Iterator

from eks_accelerators.accelerators.node_capacity import headroom_for_workloads
from eks_accelerators.settings.fit import cpu_cores
from eks_accelerators.settings.model.node_groups import CapacityType
from eks_accelerators.settings.model.training import PytorchJobSettings
from eks_accelerators.settings.model.training_engines import ENGINES
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule

_ON_NEURON = [controller.value for controller, engine in ENGINES.items() if engine.neuron_image]
_DRIVERS = [controller.value for controller, engine in ENGINES.items() if engine.drivers]
_LASTING = [controller.value for controller, engine in ENGINES.items() if engine.survives]


@rule("training-engine-neuron")
def training_engine_neuron(context: Context) -> Iterator[RuleFinding]:
    """A job on Trainium or Inferentia has an engine that hands out Neuron devices.

    Source: KubeRay 1.7.0 `controllers/ray/common/pod.go`: it tells Ray of `aws.amazon.com/neuroncore`, and of none of the whole
    devices that pods ask for here; the image of Ray has no Neuron SDK.
    """
    for path, workload, group in _jobs(context):
        if group.type.neuron and workload.engine.neuron_image is None:
            yield RuleFinding(
                f"{path}.controller",
                f"{group.name} is {group.type.name}, and Ray knows nothing of its devices here",
                workload.controller.value,
                " or ".join(_ON_NEURON),
                f"set controller: {_ON_NEURON[0]}",
            )


@rule("training-engine-room")
def training_engine_room(context: Context) -> Iterator[RuleFinding]:
    """What an engine adds to the pods of a job has room on one of the nodes: the head of a Ray cluster, and what submits the program."""
    for path, workload, group in _jobs(context):
        beside = workload.engine.beside
        if beside is None or group.settings.size.max > workload.nodes:
            continue
        room = headroom_for_workloads(group.type, efa=group.has_efa, storage_drivers=group.storage_drivers)
        cpu = room.millicores / 1000 - beside.cpu
        memory_gib = room.memory_mib // 1024 - beside.memory_gib
        if cpu_cores(workload.resources.cpu) > cpu or workload.resources.memory_gib > memory_gib:
            yield RuleFinding(
                f"{path}.resources",
                f"the head of the Ray cluster and what submits the program want {beside.cpu:g} CPU and {beside.memory_gib} GiB "
                "on a node beside the pod that trains",
                f"{workload.resources.cpu} CPU, {workload.resources.memory_gib} GiB",
                f"at most {max(0, int(cpu))} CPU and {max(0, memory_gib)} GiB on {group.type.name}",
                "ask for less, or use a larger type",
            )


@rule("training-engine-driver")
def training_engine_driver(context: Context) -> Iterator[RuleFinding]:
    """A program of Ray's own has a Ray cluster to run in, and is named: the sample is one for `torchrun`."""
    for path, workload, _ in _jobs(context):
        if not workload.ray_driver:
            continue
        if not workload.engine.drivers:
            yield RuleFinding(
                f"{path}.rayDriver",
                f"{workload.controller.value} has no Ray cluster",
                "true",
                f"false, or controller: {' or '.join(_DRIVERS)}",
                f"set controller: {_DRIVERS[0]}, or remove rayDriver",
            )
        elif workload.program is None:
            yield RuleFinding(
                f"{path}.program",
                "the sample is a program for torchrun, and none of Ray's",
                "none",
                "a Python file in the image or on a volume",
                "name the program, or remove rayDriver",
            )


@rule("training-engine-loss", Severity.WARNING)
def training_engine_loss(context: Context) -> Iterator[RuleFinding]:
    """A job whose engine keeps what it knows in one pod is not on Spot: a job that loses the pod begins anew, or fails for good.

    Source: KubeRay 1.7.0 `rayjob_controller.go`: whoever finds no head for `RAYJOB_STATUS_CHECK_TIMEOUT_SECONDS`, here an hour, is not
    made again, whatever `backoffLimit` says.
    """
    for path, workload, group in _jobs(context):
        if not workload.engine.survives and group.settings.bought_as is CapacityType.SPOT:
            yield RuleFinding(
                f"{path}.controller",
                f"{group.name} is bought as Spot: where AWS takes the node with the head, and no other comes within an hour, the job fails for good",
                workload.controller.value,
                " or ".join(_LASTING),
                f"set controller: {_LASTING[0]}, or buy on demand",
            )


@rule("training-engine-block-end", Severity.WARNING)
def training_engine_block_end(context: Context) -> Iterator[RuleFinding]:
    """A program that is to save before a Capacity Block ends is asked to: `launch.py` asks those for `torchrun`, and nobody one of Ray's."""
    for path, workload, group in _jobs(context):
        on_block = group.settings.bought_as is CapacityType.CAPACITY_BLOCK
        if on_block and workload.ray_driver and workload.engine.drivers:
            yield RuleFinding(
                f"{path}.rayDriver",
                f"{group.name} is on a Capacity Block, and a program of Ray's own is not asked to save before it is drained",
                "true",
                "false, or a program that saves often, or looks at the variable STOP_AT",
                "let it save by itself before STOP_AT, or remove rayDriver",
            )


def _jobs(context: Context) -> Iterator[tuple[str, PytorchJobSettings, ResolvedNodeGroup]]:
    for path, workload, group in context.placed:
        if isinstance(workload, PytorchJobSettings):
            yield path, workload, group
