"""What Prometheus answers: values, series over time, and alerts. Moments are simulated, in seconds since 1970.

Source: Prometheus documentation 3, `querying/api`, read 2026-11-22.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from eks_accelerators.simulator.pace import PacedClock

_NAME = "alertname"


class AlertState(StrEnum):
    """Held for less than its `for`, or for long enough."""

    PENDING = "pending"
    FIRING = "firing"


@dataclass(frozen=True, slots=True)
class Value:
    """One series of an instant query, `__name__` among its labels where it has one."""

    labels: Mapping[str, str]
    value: float


@dataclass(frozen=True, slots=True)
class Series:
    """One series of a range query: moments and values."""

    labels: Mapping[str, str]
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class ActiveAlert:
    """One alert that is pending or firing, for one set of labels, since the simulated moment ``since``."""

    name: str
    state: AlertState
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    since: float
    value: float


def values(answer: Mapping[str, Any]) -> list[Value]:
    """Of an instant query: a vector, or a scalar, which has no labels."""
    if answer["resultType"] == "scalar":
        return [Value({}, float(answer["result"][1]))]
    return [Value(found["metric"], float(found["value"][1])) for found in answer["result"]]


def series(answer: Mapping[str, Any], clock: PacedClock) -> list[Series]:
    """Series of a range query's answer, at simulated moments."""
    return [
        Series(found["metric"], tuple((clock.simulated(at), float(value)) for at, value in found["values"]))
        for found in answer["result"]
    ]


def alert(found: Mapping[str, Any], clock: PacedClock) -> ActiveAlert:
    """An element of `alerts`, as `/api/v1/alerts` answers it, at simulated moments."""
    since = datetime.fromisoformat(found["activeAt"]).timestamp()
    return ActiveAlert(
        name=found["labels"][_NAME],
        state=AlertState(found["state"]),
        labels={name: value for name, value in found["labels"].items() if name != _NAME},
        annotations=found["annotations"],
        since=clock.simulated(since),
        value=float(found["value"]),
    )
