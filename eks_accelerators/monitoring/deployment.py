"""What a deployment of a stack will know and have, as far as that is known before."""

from datetime import UTC, datetime

from eks_accelerators.monitoring.rules import LeftOut, left_out
from eks_accelerators.monitoring.scraping import emitted
from eks_accelerators.settings.resolved_stack import ResolvedStack

_SOME_TIME = datetime(2026, 1, 1, tzinfo=UTC)


def ends_once_deployed(stack: ResolvedStack) -> dict[str, datetime]:
    """Some end for every Capacity Block of a node group: a deployment reads the reservation, which has one."""
    return {name: _SOME_TIME for group in stack.groups.values() for name in group.settings.blocks}


def alerts_left_out(stack: ResolvedStack) -> tuple[LeftOut, ...]:
    """The alerts that concern the stack and are not deployed, and why; none where alerts are not asked for."""
    if not stack.settings.monitoring.alerts.enabled:
        return ()
    return left_out(stack, emitted(stack), ends_once_deployed(stack))
