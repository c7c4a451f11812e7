"""Whom Alertmanager tells: only who is named, of the severities that are named, and never with a secret in the text."""

import pytest

from eks_accelerators.monitoring.receivers import alertmanager_config
from eks_accelerators.settings.model.alerts import AlertSeverity

TOPIC = "arn:aws:sns:eu-west-1:111122223333:alerts"
URGENT = (AlertSeverity.CRITICAL,)


def told(config, **labels):
    """The receiver of an alert, as Alertmanager finds it: the first route that matches, or else the top."""
    for route in config["route"]["routes"]:
        if all(matches(matcher, labels) for matcher in route["matchers"]):
            return route["receiver"]
    return config["route"]["receiver"]


def matches(matcher, labels):
    name, sign, value = matcher.split(" ", 2)
    wanted = value.strip('"').split("|") if sign == "=~" else [value.strip('"')]
    return labels.get(name) in wanted


@pytest.mark.parametrize(
    ("severity", "receiver"), [("critical", "team"), ("warning", "null"), ("info", "null"), ("none", "null")]
)
def test_only_the_severities_that_are_asked_for_are_told(severity, receiver):
    config = alertmanager_config(URGENT, topic_arn=TOPIC)

    assert told(config, alertname="GpuHealthFailed", severity=severity) == receiver


def test_the_alert_that_always_fires_is_told_nobody():
    assert told(alertmanager_config(URGENT, slack_channel="#a"), alertname="Watchdog", severity="critical") == "null"


def test_without_a_receiver_nobody_is_told():
    config = alertmanager_config(URGENT)

    assert told(config, alertname="GpuHealthFailed", severity="critical") == "null"
    assert config["receivers"] == [{"name": "null"}]


def test_requests_to_a_topic_are_signed_for_its_region():
    (sns,) = alertmanager_config(URGENT, topic_arn=TOPIC)["receivers"][1]["sns_configs"]

    assert (sns["topic_arn"], sns["sigv4"]) == (TOPIC, {"region": "eu-west-1"})


def test_the_address_of_a_webhook_is_read_from_a_file():
    (slack,) = alertmanager_config(URGENT, slack_channel="#gpus")["receivers"][1]["slack_configs"]

    assert slack["api_url_file"] == "/etc/alertmanager/secrets/alertmanager-slack/webhook"
    assert "api_url" not in slack
