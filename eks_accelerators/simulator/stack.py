"""A stack file as the simulation takes it: its program, and an account in which it can be deployed.

What the file cannot say of the account is assumed, and said; so is a secret that only its owner can decrypt.
"""

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from eks_accelerators.settings import stack_file
from eks_accelerators.settings.load import PROJECT
from eks_accelerators.settings.model import Settings
from eks_accelerators.simulator.assumptions import assumed_world
from eks_accelerators.simulator.engine import Program
from eks_accelerators.simulator.folder import SimulationError
from eks_accelerators.simulator.program import program_at

_NAME = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.-]{0,99}")
"""Pulumi takes a dash in front too, but then its command line takes the name for an option."""


@dataclass(frozen=True, slots=True)
class SimulatedStack:
    """A stack that can be simulated. ``world`` is what its account holds before the first deployment."""

    program: Program
    region: str
    world: dict[str, Any]
    assumptions: tuple[str, ...]


def simulated_stack(
    name: str, file: Path, program: Path, settings: Settings, now: datetime, account: Mapping[str, Any] | None = None
) -> SimulatedStack:
    """The stack in ``file``, whose settings have no error, and the ``program`` that reads it.

    ``account`` is what a user's account file says; it goes before what is assumed. Raises `SimulationError`
    for a stack that needs what the simulation does not have.
    """
    if not _NAME.fullmatch(name):
        raise SimulationError(f"{name!r} is no name that Pulumi takes for a stack: write letters, digits, _, . and -")
    if settings.network.existing:
        raise SimulationError("network.existing is not simulated: the simulated account has no such VPC")
    config = dict(stack_file.read(file).config)
    named = _secrets(config, settings)
    world, assumed = assumed_world(settings, now, account)
    assumptions = [*(f"{key} is a made-up secret" for key in named), *assumed]
    made = Program(
        run=program_at(program),
        project=PROJECT,
        stack=name,
        config={key: value for key, value in config.items() if key not in named},
        secrets={key: f"simulated-{secrets.token_hex(16)}" for key in named},
    )
    return SimulatedStack(made, settings.region, world, tuple(assumptions))


def _secrets(config: Mapping[str, Any], settings: Settings) -> list[str]:
    """Keys of secrets: those encrypted in the file, and those that the settings name and nobody has set."""
    encrypted = [key for key, value in config.items() if isinstance(value, Mapping) and set(value) == {"secure"}]
    wanted = [f"{PROJECT}:{name}" for name in settings.config_secrets]
    return sorted({*encrypted, *wanted})
