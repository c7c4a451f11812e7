"""Whether the servers that a load asks are there at its time, or come while it lasts."""

from datetime import datetime, timedelta

from eks_accelerators.settings.autoscaling import Autoscaling
from eks_accelerators.settings.scheduled_nodes import hours_within

_AHEAD = timedelta(days=366)


def asleep(stack: str, path: str, scaling: Autoscaling | None, now: datetime, seconds: float) -> str | None:
    """Why no server of ``path`` is there within so many seconds from ``now``, and what to do; None where its schedule keeps some
    then. To be asked where there is none: one that is there always is not deployed.
    """
    if scaling is None or scaling.least > 0:
        return f"no server of {path} is deployed; run `accel simulate {stack} up`"
    begins = [begin for hours in scaling.schedule for begin, _ in hours_within(hours, now, now + _AHEAD)]
    first = min(begins, default=None)
    if first is not None and first < now + timedelta(seconds=seconds):
        return None
    when = f"before {first:%Y-%m-%dT%H:%M}Z" if first else "within a year"
    return (
        f"{path}.autoscaling.min is 0, and its schedule keeps no server at {now:%Y-%m-%dT%H:%M}Z, nor {when}; use --at"
    )
