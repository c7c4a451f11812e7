"""Rules about what workloads ask of their nodes."""

from collections import Counter
from collections.abc import Iterator

from eks_accelerators.accelerators.efa import efa_count
from eks_accelerators.accelerators.node_capacity import HUGE_PAGES
from eks_accelerators.accelerators.sharing import EFA_DEVICE
from eks_accelerators.settings.excess import excess_of
from eks_accelerators.settings.fit import Demand
from eks_accelerators.settings.model.node_autoscaling import NodeAutoscaler
from eks_accelerators.settings.model.node_groups import CapacityType
from eks_accelerators.settings.model.server import Server
from eks_accelerators.settings.model.workload import Workload
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule
from eks_accelerators.settings.rules.workloads import may_run


@rule("workload-request")
def workload_request(context: Context) -> Iterator[RuleFinding]:
    """All replicas fit the group at its largest size: accelerators, CPU and memory of the nodes together."""
    for placed in context.stack.workloads:
        path, workload, group, fit = placed.path, placed.workload, placed.group, placed.fit
        for excess in excess_of(workload, group):
            yield RuleFinding(
                f"{path}.{excess.setting}",
                f"one pod asks for more {excess.resource} than a node of {group.type.name} has",
                excess.asked,
                f"at most {excess.room}",
                "ask for less, or use a larger type",
            )
        if fit.pods_per_node and fit.replicas > fit.replicas_at_max and group.settings.size.max >= fit.pods_per_replica:
            yield RuleFinding(
                f"{path}.{workload.count_setting}",
                f"{fit.pods_per_node} pod{'s fit' if fit.pods_per_node != 1 else ' fits'} a node (limited by {fit.limited_by}) and "
                + ("all have to be on one" if workload.TOGETHER else f"the group has at most {group.settings.size.max}")
                + (f"; each replica takes {fit.pods_per_replica} nodes" if fit.pods_per_replica > 1 else ""),
                str(fit.replicas),
                f"at most {fit.replicas_at_max}",
                f"set {workload.count_setting}: {fit.replicas_at_max}"
                + ("" if workload.TOGETHER else ", or a larger size.max"),
            )


@rule("workload-waits", Severity.WARNING)
def workload_waits(context: Context) -> Iterator[RuleFinding]:
    """All replicas fit the group at its desired size, or an autoscaler is there that makes it grow; otherwise some wait.

    On a Capacity Block all wait for its start, which makes the group grow.
    """
    for placed in context.stack.workloads:
        workload, group, fit = placed.workload, placed.group, placed.fit
        if group.settings.bought_as is CapacityType.CAPACITY_BLOCK:
            continue
        grows = group.settings.autoscaler is not NodeAutoscaler.NONE
        if not grows and fit.replicas_at_desired < fit.replicas <= fit.replicas_at_max:
            yield RuleFinding(
                f"{placed.path}.{workload.count_setting}",
                f"{fit.pods - fit.pods_at_desired} of {fit.pods} pod{'s stay' if fit.pods != 1 else ' stays'} Pending until {group.name} grows",
                str(fit.replicas),
                f"at most {fit.replicas_at_desired} at the desired size",
                "set autoscaler: clusterAutoscaler, or raise size.desired",
            )
    for name, group, together in _shared(context):
        if group.settings.autoscaler is NodeAutoscaler.NONE and not together.fits_now:
            yield RuleFinding(
                f"nodeGroups.{name}.size.desired",
                f"{together.workloads} workloads together want more than {group.settings.size.desired} nodes; pods stay "
                "Pending until the group grows",
                str(group.settings.size.desired),
                "room for all of them",
                "set autoscaler: clusterAutoscaler, or raise size.desired",
            )


@rule("workloads-together")
def workloads_together(context: Context) -> Iterator[RuleFinding]:
    """All workloads of a node group together find accelerators, CPU and memory in it at its largest size."""
    for name, group, together in _shared(context):
        for resource, wanted, per_node in together.compared:
            if wanted > per_node * group.settings.size.max:
                yield RuleFinding(
                    f"nodeGroups.{name}.size.max",
                    f"{together.workloads} workloads ask for {wanted:g} {resource}; at its largest the group has "
                    f"{per_node * group.settings.size.max:g}",
                    str(group.settings.size.max),
                    f"at least {-(-wanted // per_node):g}" if per_node else "a type that has it",
                    f"raise size.max, {_lower(context, name)}or give a workload a node group of its own",
                )


def _lower(context: Context, group: str) -> str:
    """The advice to lower what says how many pods its workloads have at their most; nothing where no setting says it."""
    found = {
        "autoscaling.max" if isinstance(workload, Server) and workload.autoscaling else workload.count_setting
        for _, workload, of_workload in context.placed
        if of_workload.name == group
    }
    settings = sorted(found - {Workload.COUNT})
    return f"lower {' or '.join(settings)}, " if settings else ""


@rule("workload-memory-limit")
def workload_memory_limit(context: Context) -> Iterator[RuleFinding]:
    """A pod's memory limit is at least its request.

    Source: Kubernetes refuses the pod otherwise.
    """
    for kind, name, workload in context.settings.workloads.each():
        if workload.resources.memory_limit_gib < workload.resources.memory_gib:
            yield RuleFinding(
                f"workloads.{kind}.{name}.resources.memoryLimitGib",
                "the limit is below the request",
                str(workload.resources.memory_limit_gib),
                f"at least {workload.resources.memory_gib}",
                f"set memoryLimitGib: {workload.resources.memory_gib}",
            )


def _shared(context: Context) -> Iterator[tuple[str, ResolvedNodeGroup, Demand]]:
    """Every node group that serves several workloads, with what they ask for together."""
    users = Counter(
        workload.node_group for _, _, workload in context.settings.workloads.each() if may_run(context, workload)
    )
    for name, count in users.items():
        if count > 1 and (group := context.resolved.get(name)):
            yield name, group, context.stack.demands[name]


@rule("workload-efa")
def workload_efa(context: Context) -> Iterator[RuleFinding]:
    """A workload asks for EFA interfaces that its nodes have, together with huge pages.

    Source: EKS user guide `node-efa`: EFA needs `hugepages-2Mi`; the driver allocates 5,128 pages of 2 MiB.
    """
    for path, workload, group in context.placed:
        interfaces, pages = (workload.other_devices.get(name, 0) for name in (EFA_DEVICE, HUGE_PAGES))
        available = efa_count(group.interfaces)
        if interfaces > available:
            yield RuleFinding(
                f"{path}.efaInterfaces",
                f"a node of {group.name} has {available} EFA interfaces",
                str(interfaces),
                f"at most {available}",
                "set efa.enabled on the node group, or ask for fewer",
            )
        if interfaces and not pages:
            yield RuleFinding(
                f"{path}.hugePagesMib",
                "EFA needs huge pages and none are requested",
                "0",
                "5120 is usual",
                "remove hugePagesMib",
            )
        if pages % 2:
            yield RuleFinding(
                f"{path}.hugePagesMib",
                "huge pages come in 2 MiB",
                str(pages),
                "an even number",
                f"set {pages + 1}",
            )
