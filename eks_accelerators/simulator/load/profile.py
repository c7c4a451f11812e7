"""How much is asked, and when: the steps of a load.

Load is either requests in flight, so many users who each ask again as soon as they have their answer (a closed loop, as an
autoscaler's target of running and waiting requests counts them), or requests per second from users who do not wait for each
other (an open one, in which a queue that is not served grows without end).
"""

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from eks_accelerators.settings.model.base import Model
from eks_accelerators.settings.model.node_autoscaling import GoDuration

_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?")
LONGEST_SECONDS = 24 * 3600
MOST_REQUESTS = 5000
"""In flight, or a second: more than that takes longer to simulate than anyone waits."""


def seconds_of(text: str) -> int:
    """The seconds of a duration such as `30m`, `1h30m` or `90s`. Raises `ValueError`."""
    found = _DURATION.fullmatch(text.strip())
    if not found or not any(found.groups()):
        raise ValueError("write a duration such as 30m, 1h30m or 90s")
    hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return hours * 3600 + minutes * 60 + seconds


def _duration(value: Any) -> int:
    if isinstance(value, str):
        try:
            return seconds_of(value)
        except ValueError:
            raise PydanticCustomError("duration", "no duration") from None
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise PydanticCustomError("string_type", "no text")


Duration = Annotated[int, BeforeValidator(_duration, json_schema_input_type=GoDuration)]
"""Seconds; as text a duration such as `1h30m`."""


class LoadStep(Model):
    """From a moment on, this load."""

    requests: Annotated[int, Field(ge=0, le=MOST_REQUESTS)] | None = None
    """Requests in flight."""
    at: Duration = 0
    """When it begins, from the beginning of the load."""
    per_second: Annotated[float, Field(ge=0, le=MOST_REQUESTS)] | None = None
    """Requests per second, in place of `requests`."""
    prompt_tokens: Annotated[int, Field(ge=1, le=10**7)] = 512
    """Tokens of a prompt: on average, each between half and one and a half of it."""
    output_tokens: Annotated[int, Field(ge=1, le=10**7)] = 256
    """Tokens of an answer, likewise."""

    @property
    def longest(self) -> int:
        """Tokens of the longest prompt with the longest answer."""
        return -(-3 * self.prompt_tokens // 2) + -(-3 * self.output_tokens // 2)

    def __str__(self) -> str:
        """How much load there is, in words of a report."""
        if self.requests is not None:
            return f"{self.requests} requests in flight"
        return f"{self.per_second:g} requests per second"


class LoadProfile(Model):
    """A whole load: steps in order of time, of which the first begins at 0, and the last before the end."""

    lasts: Annotated[Duration, Field(alias="for")]
    """How long it lasts, from its beginning."""
    steps: Annotated[tuple[LoadStep, ...], Field(min_length=1)]
    """From when on there is which load."""

    def step_at(self, seconds: float) -> LoadStep:
        """The step that the load is in at a moment."""
        return next(step for step in reversed(self.steps) if step.at <= seconds or step is self.steps[0])

    def end_of(self, step: LoadStep) -> float:
        """When ``step`` ends: at the next one, or with the load."""
        later = [other.at for other in self.steps if other.at > step.at]
        return min(later, default=self.lasts)


def constant(requests: int, lasts: int) -> LoadProfile:
    """From the beginning to the end as many requests in flight; ``lasts`` in seconds."""
    return LoadProfile(lasts=lasts, steps=(LoadStep(requests=requests),))
