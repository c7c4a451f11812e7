"""How much is asked, and when: steps of load, from a file or from the command line.

Load is either requests in flight, so many users who each ask again as soon as they have their answer (a closed loop, as an
autoscaler's target of running and waiting requests counts them), or requests per second from users who do not wait for each
other (an open one, in which a queue that is not served grows without end).
"""

import itertools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Self

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from eks_accelerators.accelerators import yaml_limits

_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?")
LONGEST_SECONDS = 24 * 3600
MOST_REQUESTS = 5000
"""In flight, or a second: more than that takes longer to simulate than anyone waits."""


class LoadProfileError(ValueError):
    """A load that cannot be; says where, what was found, what is allowed and what to write."""


def seconds_of(text: str) -> int:
    """The seconds of a duration such as `30m`, `1h30m` or `90s`. Raises `ValueError`."""
    found = _DURATION.fullmatch(text.strip())
    if not found or not any(found.groups()):
        raise ValueError("write a duration such as 30m, 1h30m or 90s")
    hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return hours * 3600 + minutes * 60 + seconds


def _duration(value: Any) -> Any:
    return seconds_of(value) if isinstance(value, str) else value


Seconds = Annotated[int, BeforeValidator(_duration), Field(ge=0, le=LONGEST_SECONDS)]


class _Shape(BaseModel):
    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True, allow_inf_nan=False
    )


class LoadStep(_Shape):
    """From a moment on, this load. One of ``requests`` and ``per_second``."""

    at: Seconds = 0
    """When it begins, from the beginning of the load."""
    requests: Annotated[int, Field(ge=0, le=MOST_REQUESTS)] | None = None
    """Requests in flight at any moment."""
    per_second: Annotated[float, Field(ge=0, le=MOST_REQUESTS)] | None = None
    """Requests that arrive per second."""
    prompt_tokens: Annotated[int, Field(ge=1, le=10**7)] = 512
    """Tokens of a prompt: on average, each between half and one and a half of it."""
    output_tokens: Annotated[int, Field(ge=1, le=10**7)] = 256
    """Tokens of an answer, likewise."""

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.requests is None) == (self.per_second is None):
            raise ValueError("write one of requests (in flight) and perSecond")
        return self

    @property
    def longest(self) -> int:
        """Tokens of the longest prompt with the longest answer."""
        return -(-3 * self.prompt_tokens // 2) + -(-3 * self.output_tokens // 2)

    def __str__(self) -> str:
        """How much load there is, in words of a report."""
        if self.requests is not None:
            return f"{self.requests} requests in flight"
        return f"{self.per_second:g} requests per second"


class LoadProfile(_Shape):
    """A whole load. ``lasts`` is its end, in seconds from its beginning."""

    lasts: Annotated[Seconds, Field(alias="for")]
    steps: Annotated[tuple[LoadStep, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        moments = [step.at for step in self.steps]
        if moments[0] != 0:
            raise ValueError("steps.0.at: the first step begins at 0")
        for number, (before, after) in enumerate(itertools.pairwise(moments), 1):
            if after <= before:
                raise ValueError(f"steps.{number}.at: steps are in order of time, found {after} s after {before} s")
        if self.lasts <= moments[-1]:
            raise ValueError(f"for: ends at {self.lasts} s, before or when the last step begins ({moments[-1]} s)")
        return self

    def step_at(self, seconds: float) -> LoadStep:
        """The step that the load is in at a moment."""
        return next(step for step in reversed(self.steps) if step.at <= seconds or step is self.steps[0])

    def end_of(self, step: LoadStep) -> float:
        """When ``step`` ends: at the next one, or with the load."""
        later = [other.at for other in self.steps if other.at > step.at]
        return min(later, default=self.lasts)


def constant(requests: int, lasts: int) -> LoadProfile:
    """From the beginning to the end as many requests in flight. Raises `LoadProfileError`."""
    return _parsed({"for": lasts, "steps": [{"requests": requests}]}, "--requests")


def read_profile(path: Path) -> LoadProfile:
    """The profile in a file of YAML or JSON. Raises `LoadProfileError`."""
    try:
        found = yaml_limits.load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise LoadProfileError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise LoadProfileError(f"{path}: not UTF-8") from None
    except yaml.YAMLError as error:
        raise LoadProfileError(f"{path}: not YAML: {error}") from None
    return _parsed(found, str(path))


def _parsed(found: Any, where: str) -> LoadProfile:
    try:
        return LoadProfile.model_validate(found)
    except ValidationError as error:
        raise LoadProfileError("; ".join(f"{where}: {_said(each)}" for each in error.errors())) from None


def _said(error: Any) -> str:
    path = ".".join(map(str, _as_written(error["loc"])))
    message = str(error["msg"]).removeprefix("Value error, ")
    found = error["input"]
    shown = "" if isinstance(found, dict | list) else f" (found {found!r})"
    return f"{path}: {message}{shown}" if path else f"{message}{shown}"


def _as_written(location: Sequence[Any]) -> list[Any]:
    return ["for" if part == "lasts" else part for part in location]
