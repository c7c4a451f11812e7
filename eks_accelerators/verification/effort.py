"""How long the checks of a level take, and what the nodes cost meanwhile."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from eks_accelerators.verification.check_pod import CheckPod
from eks_accelerators.verification.checks import checks_of
from eks_accelerators.verification.device_checks import CheckedNode, Level


@dataclass(frozen=True, slots=True)
class Effort:
    """``seconds`` of checks, images apart, on ``nodes`` of them; ``usd`` is None where a price is not known."""

    seconds: int
    nodes: int
    usd: Decimal | None


def effort_of(level: Level, nodes: Sequence[CheckedNode], region: str) -> Effort:
    """What the checks of a level take on these nodes as they are now. Nodes are checked at a time, checks are not."""
    seconds, checked = 0, set()
    for check in checks_of(level):
        for_it = [node.name for node in nodes if isinstance(check.plan(node), CheckPod)]
        seconds += check.seconds if for_it else 0
        checked |= set(for_it)
    return Effort(seconds, len(checked), usd_of([node for node in nodes if node.name in checked], region, seconds))


def usd_of(nodes: Sequence[CheckedNode], region: str, seconds: float) -> Decimal | None:
    """List price of the nodes for so long, on demand."""
    prices = [node.group.type.on_demand_usd_per_hour.get(region) for node in nodes]
    if None in prices:
        return None
    per_hour = sum((Decimal(str(price)) for price in prices), Decimal(0))
    return per_hour * Decimal(str(seconds)) / 3600
