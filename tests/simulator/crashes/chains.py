"""The crash matrix as chains: one simulation, in which run after run is struck until all of it has been."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pulumi.automation.events import EngineEvent

from eks_accelerators.simulator.engine import Program
from eks_accelerators.simulator.outcome import Action, Outcome
from eks_accelerators.simulator.providers import helm_release
from eks_accelerators.simulator.providers.aws import KINDS
from eks_accelerators.simulator.providers.aws_provider import Done, identity
from eks_accelerators.simulator.simulation import Simulation
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

    After the last operation a run is over: no engine is killed after it, nor after what had to wait for it.
    """
    chain, before = Chain(), len(simulation.done)
    while (left := operations - 1 - len(chain.struck)) > 0:
        killer = Killer(simulation, recorded=True, at_once=min(at_once, left))
        with killer.at_work():
            outcome = simulation.run(action, program, faults=[killer], listen=killer.hear, flags=FLAGS)
        chain.outcomes.append(outcome)
        if outcome.ok:
            break
        assert outcome.crashed, outcome.errors
        assert killer.killed
        chain.struck += [(done.action, done.token, done.name) for done in killer.struck]
    chain.outcomes.append(simulation.run(action, program, flags=FLAGS))
    assert chain.outcomes[-1].ok, chain.outcomes[-1].errors
    chain.done = simulation.done[before:]
    return chain


@dataclass(slots=True)
class Orphan:
    """Something that AWS made and the engine does not know."""

    token: str
    name: str
    urn: str
    inputs: dict[str, Any]
    """As the engine had asked for it, from its record of the operation."""
    id: str | None = None
    """None where it was still being made when the engine was killed."""
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
        return "found again" if self.again == self.id else "left over"


@dataclass(slots=True)
class UnrecordedChain(Chain):
    """A chain of runs that were killed between AWS's answer and the engine's record of it."""

    orphans: list[Orphan] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    """By URN: what the next run was told when it wanted to change or remove something once more."""

    @property
    def survived(self) -> list[Operation]:
        """What was struck and needed nobody."""
        helped = {("create", orphan.token, orphan.name) for orphan in self.orphans if orphan.fate != "found again"}
        helped |= {(action, *identity(urn)) for action in ("update", "delete") for urn in self.refused}
        return [operation for operation in self.struck if operation not in helped]


def killed_when_unrecorded(
    simulation: Simulation, action: Action, program: Program, *, at_once: int, wanted: Wanted
) -> UnrecordedChain:
    """Run after run, of which each is killed when AWS has done operations and the engine has not heard of it.

    What the next run is refused because of that is fixed as a user would: what was made and is in the way is removed
    by hand, and `refresh` tells the engine of what was changed already, or half made.
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

        known = _begun(simulation)
        with killer.at_work():
            outcome = simulation.run(action, program, faults=[killer], listen=hear, flags=FLAGS)
        chain.outcomes.append(outcome)
        chain.done = simulation.done[before:]
        _fix(simulation, program, chain, refusals)
        if killer.killed:
            begun = [each for each in _begun(simulation) if each not in known]
            _note(chain, killer, {each["urn"]: each.get("inputs", {}) for each in [*known, *begun]})
        assert outcome.ok or killer.killed or refusals, outcome.messages
        assert chain.runs < _MOST_RUNS
    _look_back(chain)
    return chain


def remove_by_hand(simulation: Simulation, orphan: Orphan) -> None:
    """Remove something without the engine."""
    inputs = orphan.inputs
    if orphan.token in KINDS:
        assert orphan.id, orphan
        KINDS[orphan.token].delete(simulation.account, orphan.id, inputs)
    elif orphan.token == helm_release.TOKEN:
        helm_release.uninstall(simulation.cluster.api, inputs, None)
    else:
        metadata = inputs["metadata"]
        simulation.cluster.api.delete(
            inputs["apiVersion"], inputs["kind"], metadata["name"], metadata.get("namespace"), wait_seconds=60
        )


def _begun(simulation: Simulation) -> list[dict[str, Any]]:
    """What the engine has begun and knows no end of. It keeps creations from run to run."""
    operations = simulation.engine.state(PROJECT, STACK).get("pending_operations") or []
    return [each["resource"] for each in operations]


def _note(chain: UnrecordedChain, killer: Killer, asked: Mapping[str, dict[str, Any]]) -> None:
    """Note what was struck. What was still at work is too, such as a Deployment that waits for its pods."""
    urns = {identity(urn): urn for urn in asked}
    struck = {(done.action, done.token, done.name): done.id for done in killer.struck}
    for operation in [*struck, *sorted(killer.interrupted)]:
        action, token, name = operation
        if operation not in chain.struck:
            chain.struck.append(operation)
        if action == "create":
            urn = urns[token, name]
            chain.orphans.append(Orphan(token, name, urn, asked[urn], struck.get(operation)))


def _fix(simulation: Simulation, program: Program, chain: UnrecordedChain, refusals: Mapping[str, str]) -> None:
    for urn, refusal in refusals.items():
        orphans = [orphan for orphan in chain.orphans if orphan.urn == urn]
        _identify(orphans, chain.done)
        for orphan in orphans:
            orphan.refusal = refusal
            remove_by_hand(simulation, orphan)
        if not orphans:
            chain.refused[urn] = refusal
    if refusals:  # also after a removal: an internet gateway that was refused is half made, and not attached
        outcome = simulation.run("refresh", program)
        assert outcome.ok, outcome.errors


def _look_back(chain: UnrecordedChain) -> None:
    """Find what was made in the place of orphans."""
    for urn in {orphan.urn for orphan in chain.orphans}:
        made = [done for done in chain.done if (done.action, done.urn) == ("create", urn)]
        orphans = [orphan for orphan in chain.orphans if orphan.urn == urn]
        _identify(orphans, made[:-1])
        for orphan in orphans:
            orphan.again = made[-1].id if made else None


def _identify(orphans: list[Orphan], done: list[Done]) -> None:
    """Find the IDs of those that were finished when their engine was dead."""
    known = {orphan.id for orphan in orphans}
    urns = {orphan.urn for orphan in orphans}
    nobodys = [each.id for each in done if each.action == "create" and each.urn in urns and each.id not in known]
    for orphan in orphans:
        if orphan.id is None and nobodys:
            orphan.id = nobodys.pop(0)
