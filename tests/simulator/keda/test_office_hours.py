"""The hours of a `cron` trigger by the simulated clock: as a real Prometheus answers."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from eks_accelerators.simulator.keda.office_hours import as_prometheus_trigger
from eks_accelerators.simulator.pace import LIFE, PacedClock
from eks_accelerators.simulator.prometheus.configuration import PrometheusSettings
from eks_accelerators.simulator.prometheus.server import prometheus
from tests.simulator.further import further

BERLIN = ZoneInfo("Europe/Berlin")


def trigger(start, end):
    hours = {"timezone": "Europe/Berlin", "start": start, "end": end, "desiredReplicas": "3"}
    return {"type": "cron", "name": "hours-0", "metadata": hours}


def test_it_is_a_question_to_prometheus():
    """From Monday, 2026-11-23, on; 9 hours a day."""
    begin = datetime(2026, 11, 23, 8, tzinfo=BERLIN).timestamp()
    made = as_prometheus_trigger(trigger("0 9 * * 1-5", "0 18 * * 1-5"), begin, "http://127.0.0.1:9090")

    assert (made["type"], made["name"], made["metadata"]["threshold"]) == ("prometheus", "hours-0", "1")
    assert made["metadata"]["query"].startswith(f"(vector(time()) >= {begin + 3600:.0f} < {begin + 36_000:.0f} or ")
    assert made["metadata"]["query"].endswith(") * 0 + 3 or vector(0)")
    assert made["metadata"]["query"].count(">=") == 20


def test_hours_that_never_come():
    made = as_prometheus_trigger(trigger("0 9 1 1 *", "0 18 1 1 *"), 1_795_305_600.0, "http://127.0.0.1:9090")

    assert made["metadata"]["query"] == "vector(0)"


@pytest.mark.engines
@pytest.mark.slow
@pytest.mark.parametrize(
    ("begun", "asked", "hours", "wanted"),
    [
        ("2026-11-23T08:00", "2026-11-23T08:59", ("0 9 * * 1-5", "0 18 * * 1-5"), 0),
        ("2026-11-23T08:00", "2026-11-23T09:01", ("0 9 * * 1-5", "0 18 * * 1-5"), 3),
        ("2026-11-23T12:00", "2026-11-23T12:01", ("0 9 * * 1-5", "0 18 * * 1-5"), 3),  # it begins within them
        ("2026-11-23T12:00", "2026-11-23T18:01", ("0 9 * * 1-5", "0 18 * * 1-5"), 0),
        ("2026-11-23T12:00", "2026-11-28T12:00", ("0 9 * * 1-5", "0 18 * * 1-5"), 0),  # a Saturday
        ("2026-11-23T12:00", "2026-11-24T02:00", ("0 22 * * *", "0 6 * * *"), 3),  # over midnight
        ("2026-11-23T02:00", "2026-11-23T05:59", ("0 22 * * *", "0 6 * * *"), 3),
        ("2026-11-23T02:00", "2026-11-23T06:01", ("0 22 * * *", "0 6 * * *"), 0),
    ],
)
def test_what_prometheus_answers(begun, asked, hours, wanted):
    begin, now = (datetime.fromisoformat(text).replace(tzinfo=BERLIN).timestamp() for text in (begun, asked))
    made = as_prometheus_trigger(trigger(*hours), begin, "http://127.0.0.1:9090")

    with prometheus(
        further("prometheus")["prometheus"], PrometheusSettings([]), PacedClock.beginning_now(LIFE, now)
    ) as server:
        (answer,) = server.query(made["metadata"]["query"])

    assert answer.value == wanted
