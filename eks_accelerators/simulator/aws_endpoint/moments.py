"""Moments in calls and answers: of the simulated clock for the account, of the wall clock for whoever asks it."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from eks_accelerators.simulator.pace import PacedClock


def to_wall(answer: Any, clock: PacedClock) -> Any:
    """An answer with all its moments as the wall clock shows them."""
    return _each(answer, lambda moment: _moment(clock.wall(_aware(moment).timestamp())))


def to_simulated(parameters: Any, clock: PacedClock) -> Any:
    """Parameters with all their moments as the simulated clock shows them."""
    return _each(parameters, lambda moment: _moment(clock.simulated(_aware(moment).timestamp())))


def _each(value: Any, change: Callable[[datetime], datetime]) -> Any:
    if isinstance(value, datetime):
        return change(value)
    if isinstance(value, dict):
        return {key: _each(each, change) for key, each in value.items()}
    if isinstance(value, list):
        return [_each(each, change) for each in value]
    return value


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _aware(moment: datetime) -> datetime:
    """botocore and moto leave out the zone where it is UTC."""
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
