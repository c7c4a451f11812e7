"""Which node groups of a stack a fault can strike: one that can strike none is refused before anything starts."""

from collections.abc import Collection, Mapping, Sequence

from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.simulator.load.timed_faults import TimedFault
from eks_accelerators.simulator.metrics.fault_kinds import KINDS
from eks_accelerators.simulator.metrics.faults import FaultError


def check_target(fault: TimedFault, groups: Mapping[str, ResolvedNodeGroup]) -> None:
    """Refuse a fault that nodes of its group never have; without a group, one that no node of the stack has. A shortage has to be
    in a zone in which its group has nodes.

    Raises `FaultError`.
    """
    if fault.device is None:
        _check_zone(fault, groups[fault.group].zones)
        return
    if fault.device.kind.strikes(None):
        return  # of any node
    kind, where = fault.device.kind, fault.device.where
    fitting = [name for name, of in groups.items() if kind.strikes(of.type)]
    if where in fitting or (where not in groups and fitting):
        return  # a node's whole name is looked for while the load runs
    found = f"{where!r}, nodes of {groups[where].type.name}" if where in groups else "no node group that has it"
    allowed = [f"{kind.name} on {', '.join(fitting) or 'no node group of this stack'}"]
    if where in groups:
        others = (each.name for each in KINDS.values() if each.strikes(groups[where].type))
        allowed.append(f"on {where} one of {', '.join(others)}")
    fix = f"write :{fitting[0]}" if fitting else "write another fault, or a stack with such a node group"
    raise FaultError(f"--fault {fault.text}: found {found}; allowed: {'; '.join(allowed)}; {fix}")


def check_autoscaler(fault: TimedFault, autoscalers: Collection[Exporter]) -> None:
    """Refuse a fault of an autoscaler that the stack does not have, or of one on some node: there is one for the cluster.

    Raises `FaultError`.
    """
    stopped = fault.device.signs.stopped if fault.device is not None else None
    if fault.device is None or stopped is None:
        return
    name = fault.device.kind.name
    if stopped not in autoscalers:
        allowed = ", ".join(autoscalers) or "none, as nothing of this stack follows the load"
        fix = f"write {name}={next(iter(autoscalers))}" if autoscalers else "write another fault"
        raise FaultError(f"--fault {fault.text}: found {stopped.value!r}; allowed: {allowed}; {fix}")
    if fault.device.where:
        found = f"found {fault.device.where!r}; allowed: no node group and no node"
        raise FaultError(f"--fault {fault.text}: {found}; write {name}={stopped}")


def _check_zone(fault: TimedFault, zones: Sequence[str]) -> None:
    """``zones`` is empty where nobody knows them before AWS is asked: those of a Capacity Block, and of given subnets."""
    if fault.zone is None or not zones or fault.zone in zones:
        return
    group = f"no-capacity:{fault.group}"
    raise FaultError(
        f"--fault {fault.text}: found {fault.zone!r}; allowed: {', '.join(zones)}; write {group}/{zones[0]}, or {group} for all zones"
    )
