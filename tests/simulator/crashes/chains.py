"""The crash matrix as chains: one simulation, in which run after run is struck until all of it has been."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from pulumi.automation.events import EngineEvent

from simulator.engine import Action, Outcome, Program
from simulator.providers import helm_release
from simulator.providers.aws import KINDS
from simulator.providers.aws_provider import Done, identity
from simulator.simulation import Simulation
from tests.simulator.crashes.sabotage import FailsOnce, Killer, Operation, Wanted
from tests.simulator.crashes.stacks import FLAGS, PROJECT, STACK

_MOST_RUNS = 400
_ON = (*FLAGS, "--continue-on-error")


@dataclass(slots=True)
class Chain:
    """What a chain of runs tried, and what came of it."""

    struck: list[Operation] = field(default_factory=list)
    """In order."""
    done: list[Done] = field(default_factory=list)
    """All that AWS and the cluster have done in the chain."""
    outcomes: list[Outcome] = field(default_factory=list)

    @property
    def runs(self) -> int:
        """How often the engine ran."""
        return len(self.outcomes)

    @property
    def tally(self) -> Counter[str]:
        """Operations that were struck, by action."""
        return Counter(action for action, _, _ in self.struck)

    @property
    def survived(self) -> list[Operation]:
        """What was struck and is done in the end, once."""
        counted = Counter((done.action, done.token, done.name) for done in self.done)
        return [operation for operation in self.struck if counted[operation] == 1]

    @property
    def twice(self) -> dict[tuple[str, str], int]:
        """What was done more than once: action and URN."""
        counted = Counter((done.action, done.urn) for done in self.done)
        return {key: count for key, count in counted.items() if count > 1}


def each_fails_once(
    simulation: Simulation, action: Action, program: Program, *, wanted: Wanted, keep_going: bool
) -> Chain:
    """Run after run, in which each operation that is ``wanted`` fails the first time. With ``keep_going`` the engine
    goes on with what does not depend on a failure; without, it begins nothing more.
    """
    chain, sabotage, before = Chain(), FailsOnce(wanted), len(simulation.done)
    while not chain.outcomes or not chain.outcomes[-1].ok:
        so_far = len(sabotage.failed)
        chain.outcomes.append(simulation.run(action, program, faults=[sabotage], flags=_ON if keep_going else FLAGS))
        assert chain.outcomes[-1].ok or len(sabotage.failed) > so_far, chain.outcomes[-1].errors
    chain.struck, chain.done = sorted(sabotage.failed), simulation.done[before:]
    return chain


def killed_when_recorded(
    simulation: Simulation, action: Action, program: Program, *, at_once: int, operations: int
) -> Chain:
    """Run after run, of which each is killed when ``at_once`` more of all ``operations`` are done and written down.

    After the last operation a run is over: it is the only one that no engine is killed after.
    """
    chain, before = Chain(), len(simulation.done)
    while left := operations - 1 - len(chain.struck):
        killer = Killer(simulation, recorded=True, at_once=min(at_once, left))
        with killer.at_work():
            outcome = simulation.run(action, program, faults=[killer], listen=killer.hear, flags=FLAGS)
        assert outcome.crashed, outcome.errors
        assert killer.killed
        chain.outcomes.append(outcome)
        chain.struck += [(done.action, done.token, done.name) for done in killer.struck]
    chain.outcomes.append(simulation.run(action, program, flags=FLAGS))
    assert chain.outcomes[-1].ok, chain.outcomes[-1].errors
    chain.done = simulation.done[before:]
    return chain


@dataclass(slots=True)
class Orphan:
    """Something that AWS made and the engine does not know."""

    done: Done
    inputs: dict[str, Any]
    """As the engine had asked for it, from its record of the operation."""
    refusal: str | None = None
    """What the next run was told when it wanted to make it again."""
    again: str | None = None
    """The ID of what the next run made in its place. The same ID: it was found, or written over."""

    @property
    def fate(self) -> str:
        """What becomes of it: `found again` has become the engine's own, `refused` was in the way of another until it
        was removed, `left over` is there beside another.
        """
        if self.refusal is not None:
            return "refused"
        return "found again" if self.again == self.done.id else "left over"


@dataclass(slots=True)
class UnrecordedChain(Chain):
    """A chain of runs that were killed between AWS's answer and the engine's record of it."""

    orphans: dict[str, Orphan] = field(default_factory=dict)
    """By URN: what was made."""
    refused: dict[str, str] = field(default_factory=dict)
    """By URN: what the next run was told when it wanted to change or remove something once more."""

    @property
    def survived(self) -> list[Operation]:
        """What was struck and needed nobody."""
        helped = {orphan.done.urn for orphan in self.orphans.values() if orphan.fate != "found again"} | set(
            self.refused
        )
        known = {identity(urn) for urn in helped}
        return [operation for operation in self.struck if operation[1:] not in known]


def killed_when_unrecorded(
    simulation: Simulation,
    action: Action,
    program: Program,
    *,
    at_once: int,
    wanted: Wanted,
) -> UnrecordedChain:
    """Run after run, of which each is killed when AWS has done operations and the engine has not heard of it.

    What the next run is refused because of that is mended as a user would: what was made and is in the way is removed
    by hand; where a change is refused as it was made already, `refresh` tells the engine.
    """
    chain, before = UnrecordedChain(), len(simulation.done)
    while not chain.outcomes or not chain.outcomes[-1].ok:
        killer = Killer(
            simulation,
            recorded=False,
            at_once=at_once,
            wanted=lambda operation: operation not in chain.struck and wanted(operation),
        )
        refusals: dict[str, str] = {}

        def hear(event: EngineEvent, killer: Killer = killer, refusals: dict[str, str] = refusals) -> None:
            killer.hear(event)
            said = event.diagnostic_event
            if said and said.severity == "error" and said.urn:
                refusals[said.urn] = said.message.strip()

        with killer.at_work():
            outcome = simulation.run(action, program, faults=[killer], listen=hear, flags=FLAGS)
        chain.outcomes.append(outcome)
        for done in simulation.done[before:]:
            if done.action == "create" and (orphan := chain.orphans.get(done.urn)) and done is not orphan.done:
                orphan.again = done.id
        _mend(simulation, program, chain, refusals)
        if killer.killed:
            _note(simulation, chain, killer)
        assert outcome.ok or killer.killed or refusals, outcome.errors
        assert chain.runs < _MOST_RUNS
    chain.done = simulation.done[before:]
    return chain


def remove_by_hand(simulation: Simulation, orphan: Orphan) -> None:
    """Remove something without the engine."""
    token, identifier, inputs = orphan.done.token, orphan.done.id, orphan.inputs
    if token == "aws:cloudwatch/eventTarget:EventTarget":  # its own name is in the ID alone
        inputs = {**inputs, "targetId": identifier.removeprefix(f"{inputs['rule']}-")}
    if token in KINDS:
        KINDS[token].delete(simulation.account, identifier, inputs)
    elif token == helm_release.TOKEN:
        helm_release.uninstall(simulation.cluster.api, inputs, None)
    else:
        metadata = inputs["metadata"]
        simulation.cluster.api.delete(
            inputs["apiVersion"], inputs["kind"], metadata["name"], metadata.get("namespace"), wait_seconds=60
        )


def _note(simulation: Simulation, chain: UnrecordedChain, killer: Killer) -> None:
    operations = simulation.engine.state(PROJECT, STACK).get("pending_operations") or []
    asked = {each["resource"]["urn"]: each["resource"].get("inputs", {}) for each in operations}
    urns = {identity(urn): urn for urn in asked}
    # What was still at work when the engine was killed, such as a Deployment that waits for its pods.
    cut_short = [Done(action, token, name, urns[token, name], "") for action, token, name in sorted(killer.interrupted)]
    for done in [*killer.struck, *cut_short]:
        chain.struck.append((done.action, done.token, done.name))
        if done.action == "create":
            chain.orphans[done.urn] = Orphan(done, asked[done.urn])


def _mend(simulation: Simulation, program: Program, chain: UnrecordedChain, refusals: dict[str, str]) -> None:
    for urn, refusal in refusals.items():
        orphan = chain.orphans.get(urn)
        if orphan:
            orphan.refusal = refusal
            remove_by_hand(simulation, orphan)
        else:
            chain.refused[urn] = refusal
    if refusals:
        outcome = simulation.run("refresh", program)
        assert outcome.ok, outcome.errors
