"""When a node group has no nodes because a scheduled action took them away, and when a server's hours are.

Sources: Auto Scaling API `PutScheduledUpdateGroupAction` (UTC where no time zone is given; a desired size that is left out is
kept, within the sizes that the action sets); KEDA 2.20 `pkg/scalers/cron_scaler.go`: within the hours is who comes to an end
before the next start. Read 2026-11-23.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from eks_accelerators.accelerators.cron import is_cron, times
from eks_accelerators.settings.model.autoscaling import ReplicaHours
from eks_accelerators.settings.model.node_groups import AcceleratorNodeGroupSettings, ScheduledScaling


@dataclass(frozen=True, slots=True)
class NodesAway:
    """A group has no nodes from ``begin``, when ``emptied_by`` runs, to ``end``: when ``brought_by`` does, if any does."""

    begin: datetime
    end: datetime
    emptied_by: ScheduledScaling
    brought_by: ScheduledScaling | None


def nodes_away(group: AcceleratorNodeGroupSettings, now: datetime, until: datetime) -> tuple[NodesAway, ...]:
    """When scheduled actions leave a group without nodes; what lasts at ``until`` ends there. Times that cannot be
    read never come.
    """
    least, nodes, most = group.size.min, group.size.desired, group.size.max
    found: list[NodesAway] = []
    since: tuple[datetime, ScheduledScaling] | None = None
    for at, action in sorted(_runs(group, now, until), key=lambda run: run[0]):
        least = least if action.min is None else action.min
        most = most if action.max is None else action.max
        nodes = max(least, min(most, nodes)) if action.desired is None else action.desired
        if nodes == 0 and since is None:
            since = at, action
        elif nodes > 0 and since is not None:
            found.append(NodesAway(since[0], at, since[1], action))
            since = None
    return tuple(found if since is None else [*found, NodesAway(since[0], until, since[1], None)])


def hours_within(hours: ReplicaHours, now: datetime, until: datetime) -> tuple[tuple[datetime, datetime], ...]:
    """From when to when the servers of ``hours`` are kept; never where cron expressions or time zone cannot be read."""
    zone = _zone(hours.timezone)
    if zone is None or not (is_cron(hours.start) and is_cron(hours.end)):
        return ()
    starts, ends = (set(times(text, zone, now, until)) for text in (hours.start, hours.end))
    return tuple((begin, end) for begin, end in pairwise(sorted({now, *starts, *ends})) if end in ends - starts)


def first_met(away: Sequence[NodesAway], kept: Sequence[tuple[datetime, datetime]]) -> NodesAway | None:
    """The first time without nodes of which a part is within one of the times ``kept``, which follow each other; None where none is."""
    ends = [end for _, end in kept]
    for each in away:
        index = bisect_right(ends, each.begin)
        if index < len(kept) and kept[index][0] < each.end:
            return each
    return None


def _runs(
    group: AcceleratorNodeGroupSettings, now: datetime, until: datetime
) -> Iterator[tuple[datetime, ScheduledScaling]]:
    for action in group.scheduled_scaling:
        if action.recurrence is not None and is_cron(action.recurrence):
            yield from ((at, action) for at in times(action.recurrence, UTC, now, until))
        elif action.start_time is not None:
            try:
                at = datetime.fromisoformat(action.start_time)
            except ValueError:
                continue
            if now < at <= until:
                yield at, action


def _zone(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        return None
