"""Moments of the simulated clock as moments of the wall clock, and back."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from eks_accelerators.simulator.pace import Pace


@dataclass(frozen=True, slots=True)
class Moments:
    """Two clocks: that of the account stood at ``simulated`` when the wall's stood at ``wall``."""

    simulated: datetime
    wall: datetime
    pace: Pace

    def wall_of(self, simulated: datetime) -> datetime:
        """What the wall clock shows at a simulated moment."""
        return self.wall + timedelta(seconds=self.pace.wall((_aware(simulated) - self.simulated).total_seconds()))

    def simulated_of(self, wall: datetime) -> datetime:
        """What the simulated clock shows at a moment of the wall clock."""
        return self.simulated + timedelta(seconds=self.pace.simulated((_aware(wall) - self.wall).total_seconds()))

    def to_wall(self, answer: Any) -> Any:
        """An answer with all its moments as the wall clock shows them."""
        return _each(answer, self.wall_of)

    def to_simulated(self, parameters: Any) -> Any:
        """Parameters with all their moments as the simulated clock shows them."""
        return _each(parameters, self.simulated_of)


def _each(value: Any, change: Any) -> Any:
    if isinstance(value, datetime):
        return change(value)
    if isinstance(value, dict):
        return {key: _each(each, change) for key, each in value.items()}
    if isinstance(value, list):
        return [_each(each, change) for each in value]
    return value


def _aware(moment: datetime) -> datetime:
    """botocore and moto leave out the zone where it is UTC."""
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
