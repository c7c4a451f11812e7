"""A real Prometheus scrapes an exporter of this test's own, one minute in a second."""

import time
from itertools import pairwise

import pytest

from eks_accelerators.simulator.pace import Pace, PacedClock
from eks_accelerators.simulator.processes import ServerError
from eks_accelerators.simulator.prometheus.answers import AlertState
from eks_accelerators.simulator.prometheus.configuration import PrometheusSettings
from eks_accelerators.simulator.prometheus.server import PrometheusError, prometheus
from tests.polls import until
from tests.simulator.exporter import exporting
from tests.simulator.further import further

pytestmark = [pytest.mark.engines, pytest.mark.slow]

FACTOR, MIDNIGHT = 60, 1_795_305_600.0
QUEUE = 'vllm:num_requests_waiting{model_name="llama"}'
RULES = {
    "groups": [
        {
            "name": "queue",
            "rules": [
                {"record": "queue:max10m", "expr": "max_over_time(vllm:num_requests_waiting[10m])"},
                {
                    "alert": "QueueGrowing",
                    "expr": "vllm:num_requests_waiting > 4",
                    "for": "3m",
                    "keep_firing_for": "2m",
                    "labels": {"severity": "warning"},
                    "annotations": {"summary": "{{ $value }} wait for {{ $labels.model_name }}"},
                },
                {"alert": "EndIsNear", "expr": f"vector({MIDNIGHT + 2 * 3600 + 300}) - time() < 2 * 3600"},
            ],
        }
    ]
}


@pytest.fixture(scope="module")
def program():
    return further("prometheus")["prometheus"]


def eventually(question):
    """Wait until there is an answer."""
    return until(question, every=0.05)


@pytest.fixture
def world(program, tmp_path):
    """The exporter, and the Prometheus that scrapes it every 15 s."""
    clock = PacedClock.beginning_now(Pace(FACTOR), MIDNIGHT)
    with exporting(f"{QUEUE} 0") as exporter:
        file = exporter.targets(tmp_path / "targets.json", job="vllm", instance="llama-0:8000")
        settings = PrometheusSettings([file], RULES, scrape_seconds=15, evaluation_seconds=15)
        with prometheus(program, settings, clock) as server:
            yield exporter, server


def test_it_scrapes_records_and_alerts(world):
    """What holds for 3 simulated minutes fires after them, and for 2 minutes after it held last."""
    exporter, server = world

    eventually(lambda: server.query("queue:max10m"))
    (found,) = server.query("vllm:num_requests_waiting")
    assert (found.labels["job"], found.labels["instance"], found.value) == ("vllm", "llama-0:8000", 0)
    assert server.query("up")[0].value == 1
    assert [alert for alert in server.alerts() if alert.name == "QueueGrowing"] == []

    exporter.samples = [f"{QUEUE} 9"]

    def state():
        return next((alert for alert in server.alerts() if alert.name == "QueueGrowing"), None)

    def fires():
        alert = state()
        return alert if alert and alert.state is AlertState.FIRING else None

    firing = eventually(fires)
    assert server.query('max_over_time(ALERTS{alertname="QueueGrowing", alertstate="pending"}[1h])')
    assert firing.annotations["summary"] == "9 wait for llama"
    assert firing.labels["severity"] == "warning"
    assert MIDNIGHT < firing.since < server.clock.now() - 170

    exporter.samples = [f"{QUEUE} 1"]
    began = server.clock.now()
    eventually(lambda: state() is None)
    assert server.clock.now() - began > 100  # kept for 2 minutes
    (recorded,) = server.query_range("queue:max10m", began, began + 100, 15)
    assert {value for _, value in recorded.points} == {9}  # for 10 minutes


def test_what_is_asked_and_answered_is_in_simulated_time(world):
    _, server = world
    eventually(lambda: server.query("vllm:num_requests_waiting"))

    before = server.clock.now()
    assert before - 1 <= server.query("time()")[0].value <= server.clock.now() + 1
    now = server.clock.now()
    (series,) = server.query_range("vllm:num_requests_waiting", now - 600, now, 15)
    moments = [moment for moment, _ in series.points]
    assert MIDNIGHT <= moments[0] <= moments[-1] <= now + 1
    assert [round(b - a) for a, b in pairwise(moments)] == [15] * (len(moments) - 1)


def test_an_alert_on_the_time_goes_by_the_simulated_one(world):
    """Two hours are left 5 minutes after midnight."""
    _, server = world

    (alert,) = eventually(server.alerts)

    assert alert.name == "EndIsNear"
    assert alert.since - MIDNIGHT >= 300
    assert MIDNIGHT + 2 * 3600 + 300 - server.clock.now() <= alert.value <= 7200


class Tokens:
    """A counter that has grown by 1,000 in each second when somebody looks."""

    def __init__(self):
        self._began = time.monotonic()

    def __iter__(self):
        yield f"tokens_total {1000 * (time.monotonic() - self._began):.0f}"


def test_a_rate_is_what_the_exporter_does_in_a_wall_second(world):
    """A counter that grows by 1,000 each wall second: its rate over 5 simulated minutes is 1,000."""
    exporter, server = world
    exporter.samples = Tokens()
    eventually(lambda: server.query("count_over_time(tokens_total[10m]) > 20"))

    assert server.query("rate(tokens_total[5m])")[0].value == pytest.approx(1000, rel=0.2)


def test_an_exporter_that_fails_is_down_and_its_series_are_gone(world):
    exporter, server = world
    eventually(lambda: server.query("vllm:num_requests_waiting"))

    exporter.samples = []

    eventually(lambda: server.query("up == 0"))
    assert server.query("vllm:num_requests_waiting") == []
    assert "503" in server.targets()[0]["lastError"]


def test_an_expression_that_is_none_is_refused_in_its_words(world):
    with pytest.raises(PrometheusError, match=r"bad_data.*parse error"):
        world[1].query("sum(")


def test_one_that_has_been_stopped_does_not_answer(program):
    with prometheus(program, PrometheusSettings([]), PacedClock.beginning_now(Pace(1))) as server:
        assert server.alerts() == []

    assert not server.is_ready()
    with pytest.raises(PrometheusError, match="does not answer"):
        server.query("up")


def test_rules_that_it_cannot_read_are_said(program):
    rules = {"groups": [{"name": "g", "rules": [{"record": "a", "expr": "sum("}]}]}

    with pytest.raises(ServerError, match="parse error"):
        prometheus(program, PrometheusSettings([], rules), PacedClock.beginning_now(Pace(1))).__enter__()
