"""Waiting until a Capacity Block of a stack begins and its nodes are there: every hour of it is paid, so it is looked at at once."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from eks_accelerators.accel.aws import Whom, aws_of
from eks_accelerators.accel.stacks import StackLocation
from eks_accelerators.accel.verify.connection import VerifyRefusedError, connected
from eks_accelerators.accel.verify.question import VerifyQuestion
from eks_accelerators.accelerators import clock
from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.accelerators.suggest import closest
from eks_accelerators.capacity.blocks.account_reservations import AccountReservation, held
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.resolved_stack import ResolvedStack
from eks_accelerators.verification.cluster import KubernetesObject, allocatable_of, is_ready, look

_ASK_SECONDS = 60
_NODES_PATIENCE = timedelta(minutes=40)
"""After the begin of a block: the scheduled action that brings its nodes, their launch, their drivers and plugins."""

Tell = Callable[[str], None]


def wait_for_block(
    location: StackLocation, whom: Whom | None, stack: ResolvedStack, question: VerifyQuestion, tell: Tell, note: Tell
) -> ResolvedStack:
    """Return once the nodes of the block offer their devices, or have had their time: the stack with its groups alone.

    ``tell`` is told what is under way, ``note`` what is worth keeping.
    Raises `VerifyRefusedError` for a block that is not the stack's, is over, or is yet to be bought, and `ClusterError` for a
    cluster that does not answer, before it waits.
    """
    name = question.watch_block or ""
    groups = groups_of(stack, name)
    reservation = _reservation_id(stack, name)
    block = _block(location, whom, stack, reservation)
    if block.is_over or block.end <= clock.now():
        why = f"is over since {block.end:%Y-%m-%d %H:%M} UTC" if block.end <= clock.now() else f"is {block.state}"
        raise VerifyRefusedError(f"--watch-block {name}: {reservation} {why}")
    if users := ", ".join(each.path for each in stack.every_workload if each.workload.node_group in groups):
        note(f"{users}: pods that wait for {name} take its nodes at once; what needs idle nodes is not verified")
    if whom is not None and whom.simulated:
        _pass_time(location, whom, stack, block.start + _NODES_PATIENCE, tell)
        return only(stack, groups)
    with connected(location, whom, stack, question) as found:
        look(found.cluster)  # who waits for hours learns now that the cluster does not answer
    while (left := block.start - clock.now()) > timedelta():
        tell(f"{name} begins at {block.start:%Y-%m-%d %H:%M} UTC, in {str(left).partition('.')[0]}")
        time.sleep(min(_ASK_SECONDS, max(1.0, left.total_seconds())))
    _wait_for_nodes(location, whom, only(stack, groups), question, block, tell)
    return only(stack, groups)


def groups_of(stack: ResolvedStack, name: str) -> list[str]:
    """The node groups that run on a Capacity Block. Raises `VerifyRefusedError` where there is no such block."""
    blocks = stack.settings.capacity_blocks
    if name not in blocks:
        guess = closest(name, list(blocks))
        hint = f"did you mean {guess}?" if guess else f"it has {', '.join(blocks) or 'none'}"
        raise VerifyRefusedError(f"--watch-block: the stack has no Capacity Block called {name!r}: {hint}")
    found = [group.name for group in stack.groups.values() if group.settings.capacity_block == name]
    if not found:
        raise VerifyRefusedError(f"--watch-block {name}: no node group runs on it")
    return found


def _reservation_id(stack: ResolvedStack, name: str) -> str:
    found = stack.settings.capacity_blocks[name].reservation_id
    if found is None:
        raise VerifyRefusedError(
            f"--watch-block {name}: it is yet to be bought; its reservationId is known after that (`accel blocks list`)"
        )
    return found


def _block(location: StackLocation, whom: Whom | None, stack: ResolvedStack, reservation: str) -> AccountReservation:
    region = stack.settings.region
    with aws_of(whom, location, stack.settings) as reached:
        blocks = held(reached.aws, region)
    found = next((block for block in blocks if block.id == reservation), None)
    if found is None:
        raise VerifyRefusedError(f"--watch-block: the account has no Capacity Block {reservation} in {region}")
    return found


def _pass_time(location: StackLocation, whom: Whom, stack: ResolvedStack, moment: datetime, tell: Tell) -> None:
    """In a simulation nobody waits: its clock goes to the moment."""
    from eks_accelerators.accel.verify.simulation import open_simulation

    tell(f"the simulated clock goes to {moment:%Y-%m-%d %H:%M} UTC")
    with open_simulation(location, whom, stack) as simulation:
        if moment > simulation.account.state.now:
            simulation.set_clock(moment)


def _wait_for_nodes(
    location: StackLocation,
    whom: Whom | None,
    stack: ResolvedStack,
    question: VerifyQuestion,
    block: AccountReservation,
    tell: Tell,
) -> None:
    """Until as many nodes offer their devices as the block has instances, or the groups take; at the longest for their time."""
    most = sum(group.settings.size.max for group in stack.groups.values())
    wanted = min(block.count or most, most)
    with connected(location, whom, stack, question) as found:
        while clock.now() < block.start + _NODES_PATIENCE:
            state = look(found.cluster)
            nodes = [(group, node) for group in stack.groups.values() for node in state.of_group(group.name)]
            offering = [_offers(group, node) for group, node in nodes if is_ready(node)]
            if sum(offering) >= wanted:
                return
            tell(f"{len(offering)} of {number_of(wanted, 'node')} ready, {sum(offering)} of them with their devices")
            time.sleep(_ASK_SECONDS / 4)


def _offers(group: ResolvedNodeGroup, node: KubernetesObject) -> bool:
    """Whether the plugins have advertised all that the group has; a device less than planned is a finding, not worth a wait."""
    offered = allocatable_of(node)
    return all(offered.get(resource) for resource in group.resources)


def only(stack: ResolvedStack, groups: Sequence[str]) -> ResolvedStack:
    """The stack with these node groups alone, and no workloads."""
    settings = stack.settings.model_copy(update={"workloads": type(stack.settings.workloads)()})
    return replace(stack, settings=settings, groups={name: stack.groups[name] for name in groups})
