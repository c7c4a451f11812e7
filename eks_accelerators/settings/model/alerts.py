"""Alerts, and who is told of them."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from eks_accelerators.settings.model.base import ConfigSecret, Model

RUNBOOKS = "docs/runbooks"
"""Where the pages of the alerts are in this repository."""


class AlertSeverity(StrEnum):
    """How soon somebody has to look: at once, today, or when there is time. Nobody is woken by less than `critical`."""

    CRITICAL = "critical"
    WARNING = "warning"
    INFO = "info"


class SnsReceiver(Model):
    """A topic of Amazon SNS."""

    topic_arn: Annotated[str, StringConstraints(pattern=r"^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}$")]
    """ARN of a standard topic, there already."""

    @property
    def partition(self) -> str:
        """The partition of the topic, such as `aws-cn`."""
        return self.topic_arn.split(":")[1]

    @property
    def region(self) -> str:
        """The region of the topic."""
        return self.topic_arn.split(":")[3]


class SlackWebhook(Model):
    """Where the address of the webhook comes from: never the address itself, which is a secret."""

    config_secret: ConfigSecret
    """Name of a Pulumi secret: `pulumi config set --secret <name>`."""


class SlackReceiver(Model):
    """A channel of Slack."""

    channel: Annotated[str, StringConstraints(pattern=r"^[#@]?[^\s#@]{1,80}$")]
    """Name of the channel, such as `#gpu-alerts`."""
    webhook: SlackWebhook
    """Incoming webhook that posts to the channel."""


class AlertReceiver(Model):
    """Who is told. One of the two."""

    sns: SnsReceiver | None = None
    """A topic of Amazon SNS."""
    slack: SlackReceiver | None = None
    """A channel of Slack."""


class AlertsSettings(Model):
    """Alerts, and who is told of them."""

    enabled: bool = False
    """Deploy the alerts that concern the stack and whose metrics somebody scrapes."""
    receiver: AlertReceiver | None = None
    """Who is told; without one they are seen in Prometheus and Alertmanager only."""
    severities: Annotated[tuple[AlertSeverity, ...], Field(min_length=1)] = (
        AlertSeverity.CRITICAL,
        AlertSeverity.WARNING,
    )
    """Which alerts the receiver is told of, by severity; all are deployed."""
    runbooks_url: Annotated[str, StringConstraints(pattern=r"^https?://[^\s/?#@]+(/\S*)?$")] | None = None
    """Where people read the runbooks, such as `https://github.com/acme/gpus/blob/main/docs/runbooks`: messages have a link to their
    page there. By default they name the page in this repository."""

    @property
    def runbooks(self) -> str:
        """The address below which the pages of the alerts are, without a slash at its end."""
        return (self.runbooks_url or RUNBOOKS).rstrip("/")
