"""How long the checks of a level take, and what the nodes cost meanwhile."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from eks_accelerators.verification.checks import checks_of
from eks_accelerators.verification.device_checks import CheckedNode, Level, Scope
from eks_accelerators.verification.tasks import CheckTask


@dataclass(frozen=True, slots=True)
class Effort:
    """``seconds`` of checks, images apart, on ``nodes`` of them; ``usd`` is None where a price is not known."""

    seconds: int
    nodes: int
    usd: Decimal | None


def effort_of(level: Level, scope: Scope) -> Effort:
    """What the checks of a level take, as the cluster is now. Nodes are checked at a time, checks are not."""
    seconds, checked = 0, set[str]()
    for check in checks_of(level):
        tasks = [each for each in check.tasks(scope) if isinstance(each, CheckTask) and each.job]
        waves = max((task.wave + 1 for task in tasks), default=0)
        seconds += check.seconds * waves
        checked |= {node for task in tasks for node in task.subject.nodes}
    nodes = [node for node in scope.nodes() if node.name in checked]
    return Effort(seconds, len(checked), usd_of(nodes, scope.stack.settings.region, seconds))


def usd_of(nodes: Sequence[CheckedNode], region: str, seconds: float) -> Decimal | None:
    """List price of the nodes for so long, on demand."""
    prices = [node.group.type.on_demand_usd_per_hour.get(region) for node in nodes]
    if None in prices:
        return None
    per_hour = sum((Decimal(str(price)) for price in prices), Decimal(0))
    return per_hour * Decimal(str(seconds)) / 3600
