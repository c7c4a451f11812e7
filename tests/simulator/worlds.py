"""Simulations for tests: a stack file with changes, or an example, in a folder of its own."""

import copy
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from eks_accelerators.settings.headroom import GroupHeadroom, headroom_of
from eks_accelerators.settings.load import load_stack_file
from eks_accelerators.settings.resolved_stack import resolve_stack
from eks_accelerators.simulator.engine import Program
from eks_accelerators.simulator.outcome import Outcome
from eks_accelerators.simulator.program import program_at
from eks_accelerators.simulator.simulation import Simulation, opened
from eks_accelerators.simulator.stack import SimulatedStack, simulated_stack

PROJECT = Path(__file__).resolve().parents[2]
NOW = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
"""A Monday. The clock of every simulation begins here."""

Change = Callable[[dict[str, Any]], None]


def stack_file(folder: Path, stack: str, change: Change | None = None) -> Path:
    """The stack file of ``stack`` with ``change`` made to its `config`, written to ``folder``."""
    read = yaml.safe_load((PROJECT / "stacks" / f"Pulumi.{stack}.yaml").read_text())
    config = copy.deepcopy(read["config"])
    if change:
        change(config)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"Pulumi.{stack}.yaml"
    path.write_text(yaml.safe_dump({**read, "config": config}))
    return path


def load(
    folder: Path, stack: str, change: Change | None = None, account: Mapping[str, Any] | None = None
) -> SimulatedStack:
    """The stack, changed, as the simulation takes it; its settings must have no error."""
    path = stack_file(folder / "stacks", stack, change)
    checked = load_stack_file(path, NOW)
    return simulated_stack(stack, path, PROJECT / "__main__.py", checked.require().settings, NOW, account)


def room_on(folder: Path, stack: str, group: str, change: Change | None = None) -> GroupHeadroom:
    """What the plan of the changed stack says of the room on a node group."""
    settings = load_stack_file(stack_file(folder, stack, change), NOW).require().settings
    return headroom_of(resolve_stack(settings), group)


@contextmanager
def simulation(
    folder: Path, engines: Mapping[str, Path], stack: SimulatedStack, *, kubernetes: bool = True
) -> Iterator[Simulation]:
    """The simulation of ``stack`` in ``folder``, new or as it was left."""
    with opened(
        folder / "state", engines, region=stack.region, now=NOW, world=stack.world, kubernetes=kubernetes
    ) as sim:
        yield sim


def example(name: str, config: Mapping[str, Any]) -> Program:
    """The example called ``name``; keys of ``config`` without a namespace are its own."""
    keys = {key if ":" in key else f"{name}:{key}": value for key, value in config.items()}
    return Program(program_at(PROJECT / "examples" / name / "__main__.py"), name, "dev", keys)


def changed(outcome: Outcome) -> set[tuple[str, str, str]]:
    """Operation, type and name of every resource that changed, components and the stack left out."""
    return {
        (step.op, step.type, step.name)
        for step in outcome.steps
        if step.op not in ("same", "read", "refresh") and not step.type.startswith(("eks-accelerators:", "pulumi:"))
    }
