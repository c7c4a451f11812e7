"""What one run of a training job, or of a test of the network, takes and costs."""

from eks_accelerators.accel.reports.check import RunReport
from eks_accelerators.settings.cost import Cost, node_per_hour
from eks_accelerators.settings.model.node_groups import CapacityType
from eks_accelerators.settings.model.training import GangWorkload
from eks_accelerators.settings.resolved_stack import PlacedWorkload
from eks_accelerators.settings.training_fit import GangFit


def run_report(placed: PlacedWorkload, cost: Cost) -> RunReport | None:
    """None for a workload whose pods work by themselves."""
    workload, fit = placed.workload, placed.fit
    if not (isinstance(workload, GangWorkload) and isinstance(fit, GangFit)):
        return None
    on_block = placed.group.settings.bought_as is CapacityType.CAPACITY_BLOCK
    node = None if on_block else node_per_hour(cost, placed.group.name)
    (line, *_) = cost.by_subject[f"node group {placed.group.name}"]
    return RunReport(
        nodes=workload.nodes,
        processes_per_node=fit.processes_per_node,
        words=fit.words,
        usd_per_hour=None if node is None else node * workload.nodes,
        note=line.note,
    )
