"""What a user asks of `accel simulate`."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

FOLDER = ".simulations"
"""Beside Pulumi.yaml: one simulation for each stack, from command to command."""


class Action(StrEnum):
    """What `accel simulate` does with a stack."""

    UP = "up"
    PREVIEW = "preview"
    REFRESH = "refresh"
    DESTROY = "destroy"
    STATUS = "status"
    WATCH = "watch"
    LOAD = "load"


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """Options of `accel simulate STACK load`, as the user wrote them."""

    server: str | None = None
    """Name of a model server; by default the only one of the first kind that can be asked."""
    requests: int | None = None
    """Requests in flight at any moment."""
    lasts: str | None = None
    """Length of the load, such as `30m`."""
    profile: Path | None = None
    """File of a load, in place of the two."""
    picture: Path | None = None
    """File to draw the timeline into."""
    pace: float = 30.0
    """Simulated seconds per second of wall time."""
    faults: tuple[str, ...] = ()
    """Faults and when they strike, as `FAULT[@+TIME]`."""
    seed: int = 0
    """Of what is random in the load."""
    request_seconds: float | None = None
    """Seconds that a request takes, of servers whose models nobody here knows."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of `accel simulate`, as the user wrote them."""

    action: Action = Action.UP
    state: Path | None = None
    """Folder of the simulation; by default the stack's own."""
    fresh: bool = False
    """Discard the simulation that is in the folder, and begin a new one."""
    at: str | None = None
    """Moment to which the clock goes first."""
    fail: tuple[str, ...] = ()
    """Operations that fail, as `TYPE[:NAME][=REASON]`."""
    throttle: int | None = None
    """Every so-manieth call to AWS is throttled."""
    keep: bool = False
    """Keep the API server up until Ctrl-C."""
    helm: bool = False
    """Render charts with Helm from their repositories."""
    account: Path | None = None
    """File that says what the account has."""
    as_json: bool = False
    as_markdown: bool = False
    load: LoadOptions = LoadOptions()
