"""How the pods of a training job, or of a test of the network, sit on their node group, in words."""

from dataclasses import asdict, dataclass

from eks_accelerators.accelerators.collective_bandwidth import measured
from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.accelerators.sharing import EFA_DEVICE, NEURON_CORE
from eks_accelerators.settings.fit import PodFit, pod_fit
from eks_accelerators.settings.model.training import CollectiveTestSettings, GangWorkload, PytorchJobSettings
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup


@dataclass(frozen=True, slots=True)
class GangFit(PodFit):
    """``processes_per_node`` are the ranks of one pod: one for each GPU, or logical NeuronCore."""

    processes_per_node: int
    words: str
    """Pods, accelerators and ranks, beside what the node group has."""


def processes_per_node(workload: GangWorkload, group: ResolvedNodeGroup) -> int:
    """Ranks of one pod: one for each of its GPUs, or for each logical NeuronCore of its devices."""
    devices = group.share_of(workload.resource_name).count
    if not group.type.neuron or not devices:
        return workload.accelerators
    return workload.accelerators * group.resources[NEURON_CORE] // devices


def training_fit(workload: PytorchJobSettings, group: ResolvedNodeGroup) -> GangFit:
    """How a training job sits on ``group``."""
    return _fit(workload, group, _sum(workload, group))


def collective_fit(workload: CollectiveTestSettings, group: ResolvedNodeGroup) -> GangFit:
    """How a test of the network sits on ``group``, and what was measured elsewhere."""
    return _fit(workload, group, f"{_sum(workload, group)}; {expected_words(workload, group)}")


def expected_words(workload: CollectiveTestSettings, group: ResolvedNodeGroup) -> str:
    """The bus bandwidth that others measured on so many nodes of this type."""
    known = measured(group.type.name, workload.nodes)
    if known is None:
        return "what to expect is not known"
    at_most = [size for size in known.bus_gb_per_second if size <= workload.largest_mib * 2**20]
    size = max(at_most, default=min(known.bus_gb_per_second))
    example = ", an example of its maker" if known.is_an_example else ""
    return f"{known.bus_gb_per_second[size]:.0f} GB/s at {size // 2**20} MiB measured elsewhere{example}"


def _fit(workload: GangWorkload, group: ResolvedNodeGroup, words: str) -> GangFit:
    return GangFit(
        **asdict(pod_fit(workload, group)), processes_per_node=processes_per_node(workload, group), words=words
    )


def _sum(workload: GangWorkload, group: ResolvedNodeGroup) -> str:
    each, nodes = workload.accelerators, workload.nodes
    what = "Neuron device" if group.type.neuron else "GPU"
    ranks = processes_per_node(workload, group) * nodes
    efa = f", {workload.efa_interfaces} of {group.resources.get(EFA_DEVICE, 0)} EFA" if workload.efa_interfaces else ""
    return f"{nodes} x {number_of(each, what)} = {nodes * each}, {number_of(ranks, 'rank')}; {each} of {group.share_of(workload.resource_name).count} per node{efa}{_controller(workload)}"


def _controller(workload: GangWorkload) -> str:
    """Who makes its pods, of a job that says so."""
    return f"; controller: {workload.controller.value}" if isinstance(workload, PytorchJobSettings) else ""
