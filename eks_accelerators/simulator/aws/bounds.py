"""From when to when a simulated account has a clock."""

from datetime import UTC, datetime

EARLIEST = datetime(2018, 6, 5, tzinfo=UTC)
"""Before it there was no EKS. Source: AWS News Blog, "Amazon EKS - Now Generally Available"."""

LATEST = datetime(2100, 1, 1, tzinfo=UTC)
"""Facts end long before: no known Kubernetes version is supported then. What is worked out from the clock, such as the
next 60 days and the end of a deployment, stays far from the last moment that Python has (9999-12-31)."""


def in_bounds(moment: datetime) -> datetime:
    """``moment``, which is aware; raises `ValueError` with the bounds where an account cannot have it."""
    if not EARLIEST <= moment <= LATEST:
        raise ValueError(
            f"{moment.isoformat()} is outside of what is simulated, {EARLIEST:%Y-%m-%d} to {LATEST:%Y-%m-%d}"
        )
    return moment
