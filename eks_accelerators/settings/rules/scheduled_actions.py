"""Rules about scheduled actions of node groups: their times, sizes and names."""

import re
from collections.abc import Iterator
from datetime import datetime

from eks_accelerators.accelerators import capacity_blocks as terms
from eks_accelerators.accelerators.cron import ever_comes
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule

_CRON = re.compile(r"([0-9A-Za-z*,/-]+ +){4}[0-9A-Za-z*,/-]+")


@rule("scheduled-scaling-times")
def scheduled_scaling_times(context: Context) -> Iterator[RuleFinding]:
    """A scheduled action has one of `recurrence` and `startTime`, a time that exists, and at least one size.

    Source: Auto Scaling API PutScheduledUpdateGroupAction.
    """
    for name, group in context.settings.node_groups.items():
        for index, action in enumerate(group.scheduled_scaling):
            path = f"nodeGroups.{name}.scheduledScaling[{index}]"
            if (action.recurrence is None) == (action.start_time is None):
                yield RuleFinding(
                    path,
                    "an action has either recurrence or startTime",
                    "both" if action.recurrence else "neither",
                    "one of the two",
                    "remove one" if action.recurrence else "add recurrence: '0 20 * * 1-5'",
                )
            if action.start_time and _time(action.start_time) is None:
                yield RuleFinding(
                    f"{path}.startTime",
                    "there is no such time",
                    action.start_time,
                    "a time such as 2026-12-01T20:00:00Z",
                    "write a time that exists",
                )
            if action.min is action.desired is action.max is None:
                yield RuleFinding(path, "the action changes no size", "no size", "min, desired or max", "set desired")


@rule("scheduled-scaling-sizes")
def scheduled_scaling_sizes(context: Context) -> Iterator[RuleFinding]:
    """Sizes of a scheduled action are in order, within the group's own where it names no other; its cron has five fields, and comes.

    Source: Auto Scaling API PutScheduledUpdateGroupAction.
    """
    for name, group in context.settings.node_groups.items():
        for index, action in enumerate(group.scheduled_scaling):
            path = f"nodeGroups.{name}.scheduledScaling[{index}]"
            low = group.size.min if action.min is None else action.min
            high = group.size.max if action.max is None else action.max
            wanted = low if action.desired is None else action.desired
            if not low <= wanted <= high:
                yield RuleFinding(
                    path,
                    "sizes must satisfy min <= desired <= max",
                    f"min {low}, desired {wanted}, max {high}",
                    "min <= desired <= max",
                    "set min and max too, or another desired",
                )
            if action.recurrence is not None and not _CRON.fullmatch(action.recurrence):
                yield RuleFinding(
                    f"{path}.recurrence",
                    "this is no cron expression",
                    action.recurrence,
                    "five fields: minute, hour, day, month, day of the week",
                    "write, for example, 0 20 * * 1-5",
                )
            elif action.recurrence is not None and not ever_comes(action.recurrence):
                yield RuleFinding(
                    f"{path}.recurrence",
                    "this day never comes",
                    action.recurrence,
                    "a day that its month has",
                    "write, for example, 0 20 * * 1-5",
                )


@rule("reserved-scheduled-action")
def reserved_scheduled_action(context: Context) -> Iterator[RuleFinding]:
    """EKS's own action that drains a Capacity Block is neither replaced nor preceded too late.

    Source: EKS user guide `capacity-blocks-mng`: do not edit or delete it; it runs 40 minutes before the end.
    """
    for name, group in context.settings.node_groups.items():
        last = context.settings.capacity_blocks.get(group.blocks[-1]) if group.blocks else None
        end = last.expect.end if last else None
        names: set[str] = set()
        for index, action in enumerate(group.scheduled_scaling):
            path = f"nodeGroups.{name}.scheduledScaling[{index}]"
            if action.name == terms.SCALE_DOWN_ACTION:
                yield RuleFinding(
                    f"{path}.name",
                    "this name belongs to EKS",
                    action.name,
                    "another name",
                    "remove the action; EKS scales down by itself",
                )
            if action.name in names:
                yield RuleFinding(
                    f"{path}.name", "two actions have this name", action.name, "each name once", "rename one"
                )
            names.add(action.name)
            start = _time(action.start_time) if action.start_time else None
            late = start and end and end.tzinfo and end - start < terms.DRAIN_BEFORE_END
            if end and late and action.desired == 0:
                yield RuleFinding(
                    f"{path}.startTime",
                    f"the scale-down is inside the last 40 minutes of {group.blocks[-1]}",
                    str(action.start_time),
                    f"at least 40 minutes before {end.isoformat()}",
                    "remove it; EKS scales down by itself",
                )


def _time(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
