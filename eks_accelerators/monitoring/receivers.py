"""Whom Alertmanager tells of which alerts: its configuration, for our own and for Amazon's.

Sources: Alertmanager 0.34 documentation, `configuration` (routes, `sns_configs`, `slack_configs`, `api_url_file`); Amazon Managed
Service for Prometheus user guide, `AMP-alertmanager-config` and `AMP-alertmanager-receiver`: SNS alone of these two; read
2026-11-22.
"""

from collections.abc import Sequence
from typing import Any

from eks_accelerators.settings.model.alerts import AlertSeverity

SLACK_SECRET, SLACK_KEY = "alertmanager-slack", "webhook"  # a name and a key, no secret
"""Kubernetes Secret with the address of the webhook, which Alertmanager reads from a file."""

NOBODY, TEAM = "null", "team"
"""Names of the receivers: nobody, and who is told."""

_SUBJECT = "{{ .Status | toUpper }} {{ .CommonLabels.severity }}: {{ .CommonLabels.alertname }}"
_TEXT = (
    "{{ range .Alerts }}{{ .Annotations.summary }}\n{{ .Annotations.description }}\n{{ .Annotations.runbook_url }}\n\n"
    "{{ end }}"
)


def alertmanager_config(
    severities: Sequence[AlertSeverity], *, topic_arn: str | None = None, slack_channel: str | None = None
) -> dict[str, Any]:
    """The configuration: alerts of ``severities`` are told to the topic or the channel, all others to nobody.

    Without either it tells nobody of anything. Alerts of one name on one node come as one message.
    """
    told = _slack(slack_channel) if slack_channel else {}
    if topic_arn:
        told = _sns(topic_arn)
    chosen = {"receiver": TEAM, "matchers": [f'severity =~ "{"|".join(severities)}"']}
    return {
        "route": {
            "receiver": NOBODY,
            "group_by": ["alertname", "node"],
            "group_wait": "30s",
            "group_interval": "5m",
            "repeat_interval": "12h",
            # It fires always, to show that alerts get through: not to people.
            "routes": [{"receiver": NOBODY, "matchers": ['alertname = "Watchdog"']}, *([chosen] if told else [])],
        },
        "receivers": [{"name": NOBODY}, *([{"name": TEAM, **told}] if told else [])],
    }


def region_of(topic_arn: str) -> str:
    """The region of a topic, which requests to it are signed for."""
    return topic_arn.split(":")[3]


def _sns(topic_arn: str) -> dict[str, Any]:
    told = {
        "topic_arn": topic_arn,
        "sigv4": {"region": region_of(topic_arn)},
        "subject": _SUBJECT,
        "message": _TEXT,
        "send_resolved": True,
    }
    return {"sns_configs": [told]}


def _slack(channel: str) -> dict[str, Any]:
    told = {
        "api_url_file": f"/etc/alertmanager/secrets/{SLACK_SECRET}/{SLACK_KEY}",
        "channel": channel,
        "title": _SUBJECT,
        "text": _TEXT,
        "send_resolved": True,
    }
    return {"slack_configs": [told]}
