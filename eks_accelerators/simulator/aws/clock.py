"""What time brings: scheduled actions, the start and the end of Capacity Blocks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.capacity_blocks import TERMINATED_BEFORE_END
from eks_accelerators.simulator.aws.errors import AwsError
from eks_accelerators.simulator.aws.launches import settle
from eks_accelerators.simulator.aws.model import CapacityBlockRecord, ScalingGroup, ScheduledAction, State
from eks_accelerators.simulator.aws.scaling import resize
from eks_accelerators.simulator.aws.schedules import next_run


@dataclass(frozen=True, slots=True, order=True)
class Event:
    """Something that happens at a time. ``order`` decides among those of one moment."""

    at: datetime
    order: int
    what: str
    happen: Callable[[], None] = field(compare=False)


def let_pass(account: Backend, moment: datetime) -> None:
    """Move the clock to ``moment``; everything due until then happens, one after the other."""
    state = account.state
    while (first := next_event(state, until=moment)) is not None:
        due = [event for event in upcoming(state, until=first.at) if event.at == first.at]
        state.now = first.at
        for event in due:
            _happen(state, event)
        settle(account)
    state.now = moment
    settle(account)


def _happen(state: State, event: Event) -> None:
    state.happened.append((event.at, event.what))
    try:
        event.happen()
    except AwsError as error:
        state.happened.append((event.at, f"{event.what} failed: {error.message}"))


def next_event(state: State, until: datetime) -> Event | None:
    """The earliest event after the present, up to and including ``until``."""
    return min((event for event in _events(state) if state.now < event.at <= until), default=None)


def upcoming(state: State, until: datetime) -> list[Event]:
    """The next occurrence of everything that is due until ``until``, the earliest first."""
    return sorted(event for event in _events(state) if state.now < event.at <= until)


def _events(state: State) -> Iterator[Event]:
    """The next occurrence of everything that is due some time."""
    for block in state.blocks.values():
        if block.state is None:
            yield from _of_block(state, block)
    for group in state.scaling_groups():
        for action in group.actions.values():
            yield Event(action.start, 1, f"node group {group.node_group}: {action.name}", _acting(group, action))


def _of_block(state: State, block: CapacityBlockRecord) -> Iterator[Event]:
    yield Event(block.start, 0, f"Capacity Block {block.id} is delivered", lambda: None)
    yield Event(
        block.end - TERMINATED_BEFORE_END,
        2,
        f"EC2 terminates what still runs in {block.id}",
        lambda: _terminate(state, block),
    )
    yield Event(block.end, 0, f"Capacity Block {block.id} has ended", lambda: None)


def _acting(group: ScalingGroup, action: ScheduledAction) -> Callable[[], None]:
    def act() -> None:
        if action.recurrence is None:
            del group.actions[action.name]  # it runs once
        else:
            action.start = next_run(action.recurrence, action.time_zone, action.start)
        resize(group, action)

    return act


def _terminate(state: State, block: CapacityBlockRecord) -> None:
    for group in state.scaling_groups():
        if any(instance.reservation_id == block.id for instance in group.instances):
            group.instances = [instance for instance in group.instances if instance.reservation_id != block.id]
