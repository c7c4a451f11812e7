"""How much faster than real time a closed loop runs, for the servers in it that go by the wall clock.

Prometheus, KEDA, the HPA controller and node autoscalers are the real programs, and they wait in wall time. So every
duration that they are given is divided by one factor where it is handed to them, and what they do is read back multiplied
by it. It is a model: what a program does not take from its settings, such as the time that it computes, is not
compressed, and looks longer by the factor.
"""

import math
import time
from dataclasses import dataclass
from typing import Self


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


LIFE = Pace(1)
"""Simulated time that is as fast as wall time."""


@dataclass(frozen=True)
class PacedClock:
    """Simulated moments as wall moments, and back; all in seconds since 1970.

    At the wall moment ``wall_begin`` it was ``simulated_begin``. What shows a moment to Prometheus, such as the start of a
    pod, shows the simulated one: rules are handed over with `time()` in simulated time too.
    """

    pace: Pace
    wall_begin: float
    simulated_begin: float

    @classmethod
    def beginning_now(cls, pace: Pace, simulated_begin: float | None = None) -> Self:
        """A clock that shows ``simulated_begin`` now; the present, if None."""
        now = time.time()
        return cls(pace, now, now if simulated_begin is None else simulated_begin)

    def simulated(self, wall_moment: float) -> float:
        """The simulated moment at a wall moment."""
        return self.simulated_begin + self.pace.simulated(wall_moment - self.wall_begin)

    def wall(self, simulated_moment: float) -> float:
        """The wall moment at which it is that time in the simulation."""
        return self.wall_begin + self.pace.wall(simulated_moment - self.simulated_begin)

    def now(self) -> float:
        """The simulated moment that is now."""
        return self.simulated(time.time())
