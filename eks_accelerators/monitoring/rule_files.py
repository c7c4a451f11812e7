"""Rules as Prometheus reads them: a PrometheusRule for the Prometheus Operator, or a plain rule file.

Sources: Prometheus documentation 3, `configuration/recording_rules` and `alerting_rules`; prometheus-operator v0.93,
PrometheusRule `monitoring.coreos.com/v1`, whose `spec` is a rule file; Amazon Managed Service for Prometheus takes the
same file as a rule groups namespace; read 2026-11-22.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import yaml

from eks_accelerators.monitoring.alerts import Alert
from eks_accelerators.monitoring.recording_rules import RecordingRule
from eks_accelerators.monitoring.rules import RuleGroup
from eks_accelerators.settings.model.alerts import RUNBOOKS


def as_rule_file(groups: Iterable[RuleGroup], runbooks: str = RUNBOOKS) -> dict[str, Any]:
    """The content of a rule file. ``runbooks`` is the address below which the pages of the alerts are."""
    return {
        "groups": [
            {"name": f"accelerators-{group.name}", "rules": [_rule(rule, runbooks) for rule in group.rules]}
            for group in groups
        ]
    }


def as_text(rule_file: Mapping[str, Any]) -> str:
    """The text of a rule file."""
    return yaml.safe_dump(dict(rule_file), sort_keys=False, width=1000)


def _rule(rule: RecordingRule | Alert, runbooks: str) -> dict[str, Any]:
    if isinstance(rule, RecordingRule):
        recorded: dict[str, Any] = {"record": rule.name, "expr": rule.expression}
        return {**recorded, "labels": dict(rule.labels)} if rule.labels else recorded
    times = {"for": rule.held, "keep_firing_for": rule.kept}
    return {
        "alert": rule.name,
        "expr": rule.expression,
        **{key: value for key, value in times.items() if value},
        "labels": {"severity": rule.severity.value},
        "annotations": {
            "summary": rule.summary,
            "description": rule.description,
            "runbook_url": f"{runbooks}/{rule.runbook}.md",
        },
    }
