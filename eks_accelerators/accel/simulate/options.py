"""What a user asks of `accel simulate`."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

FOLDER = ".simulations"
"""Beside Pulumi.yaml: one simulation for each stack, from command to command."""


class Action(StrEnum):
    """What to do."""

    UP = "up"
    PREVIEW = "preview"
    REFRESH = "refresh"
    DESTROY = "destroy"
    STATUS = "status"
    WATCH = "watch"


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one command."""

    action: Action = Action.UP
    state: Path | None = None
    """Folder of the simulation; by default the stack's own."""
    fresh: bool = False
    """Begin anew."""
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
