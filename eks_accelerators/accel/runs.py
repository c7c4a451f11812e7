"""What works on several nodes as one takes and costs: a run of a training job or of a test of the network, and a server."""

from dataclasses import dataclass

from eks_accelerators.accel.reports.check import RunReport
from eks_accelerators.settings.cost import Cost, node_per_hour
from eks_accelerators.settings.model.node_groups import CapacityType
from eks_accelerators.settings.model.training import GangWorkload
from eks_accelerators.settings.node_spans import words_of
from eks_accelerators.settings.resolved_stack import PlacedWorkload
from eks_accelerators.settings.training_fit import GangFit


@dataclass(frozen=True, slots=True)
class _Together:
    """Pods that work as one: on how many nodes, with how many ranks on each."""

    nodes: int
    processes_per_node: int
    words: str


def run_report(placed: PlacedWorkload, cost: Cost) -> RunReport | None:
    """None for a workload whose pods work by themselves."""
    together = _together(placed)
    if together is None:
        return None
    on_block = placed.group.settings.bought_as is CapacityType.CAPACITY_BLOCK
    node = None if on_block else node_per_hour(cost, placed.group.name)
    (line, *_) = cost.by_subject[f"node group {placed.group.name}"]
    return RunReport(
        nodes=together.nodes,
        processes_per_node=together.processes_per_node,
        words=together.words,
        usd_per_hour=None if node is None else node * together.nodes,
        note=line.note,
    )


def _together(placed: PlacedWorkload) -> _Together | None:
    workload, fit = placed.workload, placed.fit
    if isinstance(workload, GangWorkload) and isinstance(fit, GangFit):
        return _Together(workload.nodes, fit.processes_per_node, fit.words)
    if workload.spans_nodes:
        return _Together(workload.pods_per_replica, workload.accelerators, words_of(workload, placed.group))
    return None
