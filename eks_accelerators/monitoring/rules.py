"""The rules of a stack: of all alerts and recording rules those that concern it and whose metrics are emitted."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from eks_accelerators.monitoring.alerts import GROUPS, Alert
from eks_accelerators.monitoring.metrics import Exporter, series
from eks_accelerators.monitoring.promql import series_of
from eks_accelerators.monitoring.recording_rules import NO_ENDS, RecordingRule, recording_rules, unknown_ends
from eks_accelerators.settings.resolved_stack import ResolvedStack

RECORDED = "recorded"
"""The group of the recording rules."""


@dataclass(frozen=True, slots=True)
class RuleGroup:
    """Rules that are evaluated one after the other."""

    name: str
    rules: tuple[RecordingRule | Alert, ...]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An alert that concerns a stack and cannot be deployed, and why."""

    alert: str
    reason: str


@dataclass(frozen=True, slots=True)
class Needs:
    """What rules are made of: the exporters that emit it, and what nobody emits or records."""

    exporters: frozenset[Exporter]
    unknown: frozenset[str]


def rules_of(
    stack: ResolvedStack, emitted: Collection[Exporter], block_ends: Mapping[str, datetime] = NO_ENDS
) -> tuple[RuleGroup, ...]:
    """The rules of a stack whose Prometheus scrapes the exporters ``emitted``; it always has metrics of itself.

    ``block_ends`` says when Capacity Blocks end, by their names in the settings, where AWS was asked.
    """
    every = recording_rules(stack, block_ends)
    groups = [RuleGroup(RECORDED, tuple(rule for rule in every if not _missing(rule, every, emitted)))]
    for name, alerts in GROUPS.items():
        chosen = [alert for alert in _concerned(stack, alerts) if not _missing(alert, every, emitted)]
        groups.append(RuleGroup(name, tuple(chosen)))
    return tuple(group for group in groups if group.rules)


def left_out(
    stack: ResolvedStack, emitted: Collection[Exporter], block_ends: Mapping[str, datetime] = NO_ENDS
) -> tuple[LeftOut, ...]:
    """The alerts that concern a stack and are not among its rules, or say nothing of one of its Capacity Blocks."""
    every = recording_rules(stack, block_ends)
    found = [
        LeftOut(alert.name, f"nobody scrapes {' and '.join(missing)}")
        for alerts in GROUPS.values()
        for alert in _concerned(stack, alerts)
        if (missing := _not_emitted(needs_of(alert.expression, every), emitted))
    ]
    found += [
        LeftOut(alert.name, f"nobody says when capacityBlocks.{block} ends: write its expect.end, or ask AWS")
        for alert in _concerned(stack, GROUPS["capacity-blocks"])
        for block in unknown_ends(stack, block_ends)
    ]
    return tuple(found)


def needs_of(expression: str, recorded: Sequence[RecordingRule]) -> Needs:
    """What an expression needs, by way of what is recorded too."""
    exporters: set[Exporter] = set()
    unknown: set[str] = set()
    for name in series_of(expression):
        rules = [rule for rule in recorded if rule.name == name]
        if name in series():
            exporters.add(series()[name].exporter)
        elif not rules:
            unknown.add(name)
        for rule in rules:
            inner = needs_of(rule.expression, recorded)
            exporters |= inner.exporters
            unknown |= inner.unknown
    return Needs(frozenset(exporters), frozenset(unknown))


def _concerned(stack: ResolvedStack, alerts: Sequence[Alert]) -> Iterator[Alert]:
    return (alert for alert in alerts if alert.concern.applies(stack))


def _missing(rule: Alert | RecordingRule, every: Sequence[RecordingRule], emitted: Collection[Exporter]) -> list[str]:
    """What a rule needs and nobody emits or records."""
    needs = needs_of(rule.expression, every)
    return [*_not_emitted(needs, emitted), *sorted(needs.unknown)]


def _not_emitted(needs: Needs, emitted: Collection[Exporter]) -> list[str]:
    return sorted(needs.exporters.difference(emitted, [Exporter.PROMETHEUS]))
