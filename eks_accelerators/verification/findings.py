"""What a look at a cluster finds: one value for each thing looked at, and one for each cause of what is wrong."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from eks_accelerators.verification.codes import CODES
from eks_accelerators.verification.severity import FindingSeverity


@dataclass(frozen=True, slots=True)
class VerificationFinding:
    """One thing that was looked at.

    ``where`` is a node, a node group, a workload or a namespace; ``nodes`` are those that it is about, if any.
    ``expected`` and ``found`` are for people. ``evidence`` are further signs of the same cause.
    """

    code: str
    where: str
    severity: FindingSeverity
    expected: str
    found: str
    nodes: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """Where the expectation comes from, as its code says."""
        return CODES[self.code].expected_by

    @property
    def next_step(self) -> str | None:
        """What to do; None where nothing is wrong."""
        return CODES[self.code].next_step if self.severity.failed else None

    @property
    def runbook(self) -> str | None:
        """The page that says more, below `docs/`; None where nothing is wrong."""
        return f"runbooks/{CODES[self.code].runbook}" if self.severity.failed else None


@dataclass(frozen=True, slots=True)
class Subject:
    """What a check is about: ``where`` for people, and the nodes, if it is about any."""

    where: str
    nodes: tuple[str, ...] = ()

    def passed(self, code: str, expected: str, found: str = "") -> VerificationFinding:
        """The finding that this subject is as ``expected``."""
        return VerificationFinding(code, self.where, FindingSeverity.PASS, expected, found or expected, self.nodes)

    def failed(
        self, code: str, expected: str, found: str, severity: FindingSeverity | None = None
    ) -> VerificationFinding:
        """It is not as expected; ``severity`` is by default that of the code."""
        return VerificationFinding(code, self.where, severity or CODES[code].severity, expected, found, self.nodes)

    def not_verified(self, code: str, expected: str, why: str) -> VerificationFinding:
        """Nobody could look, and ``why``."""
        return VerificationFinding(code, self.where, FindingSeverity.NOT_VERIFIED, expected, why, self.nodes)

    def judged(self, code: str, expected: str, found: str, *, holds: bool) -> VerificationFinding:
        """The finding that it is as expected if that ``holds``, else that it is not."""
        return self.passed(code, expected, found) if holds else self.failed(code, expected, found)


def by_cause(findings: Iterable[VerificationFinding]) -> list[VerificationFinding]:
    """The findings with what follows from others on the same node told as their evidence; the worst first.

    One cause has many signs: a GPU that falls off the bus is an XID, a device less, a count that does not match.
    """
    listed = _one_of_each(dict.fromkeys(findings))
    failed = [each for each in listed if each.severity.failed]
    causes: dict[VerificationFinding, list[str]] = {}
    explained: dict[VerificationFinding, VerificationFinding] = {}
    for each in failed:
        cause = next((other for other in failed if _explains(other, each)), None)
        if cause is not None:
            explained[each] = cause
    for each, cause in explained.items():
        causes.setdefault(_root(cause, explained), []).append(f"{each.code}: {each.found}")
    told = [replace(each, evidence=(*each.evidence, *causes.get(each, ()))) for each in listed if each not in explained]
    return sorted(told, key=lambda each: each.severity.rank)


def _one_of_each(findings: Iterable[VerificationFinding]) -> list[VerificationFinding]:
    """What fails twice in one place is told once, by its worst: two tools see the same. So is what could not be looked at twice
    for the same reason: two levels want the same.
    """
    alike: dict[object, list[VerificationFinding]] = {}
    for each in findings:
        alike.setdefault(_key(each), []).append(each)
    return [_together(each) for each in alike.values()]


def _key(finding: VerificationFinding) -> object:
    if finding.severity.failed:
        return finding.code, finding.where
    if finding.severity is FindingSeverity.NOT_VERIFIED:
        return finding.code, finding.where, finding.found
    return finding


def _together(alike: Sequence[VerificationFinding]) -> VerificationFinding:
    first = min(alike, key=lambda each: each.severity.rank)
    if first.severity is FindingSeverity.NOT_VERIFIED:
        return replace(first, expected="; ".join(dict.fromkeys(each.expected for each in alike)))
    others = [each.found for each in alike if each is not first]
    return replace(first, evidence=(*first.evidence, *others)) if others else first


def _explains(cause: VerificationFinding, sign: VerificationFinding) -> bool:
    return sign.code in CODES[cause.code].explains and not set(cause.nodes).isdisjoint(sign.nodes)


def _root(cause: VerificationFinding, explained: dict[VerificationFinding, VerificationFinding]) -> VerificationFinding:
    """The first cause. Codes explain each other in one direction only, so there is one."""
    seen = {cause}
    while cause in explained and explained[cause] not in seen:
        cause = explained[cause]
        seen.add(cause)
    return cause
