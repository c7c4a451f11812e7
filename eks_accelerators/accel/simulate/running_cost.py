"""What the simulated nodes that run now would cost per hour."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from eks_accelerators.accel.reports.simulate import RunningCost
from eks_accelerators.settings.cost import Cost, estimate
from eks_accelerators.settings.model import Settings


def running_cost(settings: Settings, node_groups: Iterable[str | None], today: date) -> RunningCost:
    """USD per hour with the nodes that there are; ``node_groups`` has the group of each, None for the system group."""
    count = Counter(f"node group {name}" if name else "system node group" for name in node_groups)
    lines = [
        replace(line, at_desired=count[subject]) if (subject := line.name.partition(": ")[0]) != line.name else line
        for line in estimate(settings, today).lines
    ]
    cost = Cost(tuple(lines))
    return RunningCost(
        usd_per_hour=cost.per_hour(),
        unknown=tuple(f"{line.name} x {line.at_desired}: {line.note}" for line in cost.unknown()),
    )
