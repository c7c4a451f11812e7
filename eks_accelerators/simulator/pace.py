"""How much faster than life a closed loop runs, for the servers in it that go by the wall clock.

Prometheus, KEDA, the HPA controller and node autoscalers are the real programs, and they wait in wall time. So every
duration that they are given is divided by one factor where it is handed to them, and what they do is read back multiplied
by it. It is a model: what a program does not take from its settings, such as the time that it computes, is not
compressed, and looks longer by the factor.
"""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Pace:
    """One wall second stands for ``factor`` simulated seconds; 1 is life itself."""

    factor: float

    def __post_init__(self) -> None:
        """Raises ValueError for what is no finite number above zero."""
        if not (math.isfinite(self.factor) and self.factor > 0):
            raise ValueError(
                f"pace: found {self.factor!r}; allowed: a finite number above 0, as 60 for an hour in a minute"
            )

    def wall(self, simulated_seconds: float) -> float:
        """How long that takes by the wall clock, in seconds."""
        return simulated_seconds / self.factor

    def simulated(self, wall_seconds: float) -> float:
        """What that stands for, in simulated seconds."""
        return wall_seconds * self.factor

    def whole_wall_seconds(self, simulated_seconds: float) -> int:
        """The same as `wall` for a field that takes whole seconds only: rounded, and at least 1 unless it is 0.

        Never 0 for what is more: to the HPA controller and to KEDA 0 means something else than a short time.
        """
        return max(1, round(self.wall(simulated_seconds))) if simulated_seconds > 0 else 0
