"""Rules and expressions in simulated time, as a Prometheus gets them that goes by the wall clock."""

import re

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.monitoring.rule_files import as_rule_file
from eks_accelerators.monitoring.rules import rules_of
from eks_accelerators.simulator.pace import Pace, PacedClock
from eks_accelerators.simulator.prometheus.compression import duration, expression, milliseconds, rule_file, written
from tests.monitoring.promtool import needs_promtool, promtool
from tests.monitoring.stacks import CLAIMED, EVERYTHING, NEURON, stack_of

needs_engine, without_promtool = needs_promtool

CLOCK = PacedClock(Pace(60.0), wall_begin=1000.0, simulated_begin=5000.0)
DURATIONS = re.compile(r"\[([0-9a-z]+)(?::([0-9a-z]*))?\]|offset ([0-9a-z]+)")
SIMULATED_TIME = "(5000.0 + 60.0 * (time() - 1000.0))"


@pytest.mark.parametrize(
    ("simulated", "wall"),
    [
        ("10m", "10s"),
        ("1h30m", "90s"),
        ("30s", "500ms"),
        ("15s", "250ms"),
        ("1d", "1440s"),
        ("1w", "10080s"),
        ("1y", "525600s"),
        ("90ms", "2ms"),
        ("1ms", "1ms"),  # what is something stays something
        ("0s", "0s"),
    ],
)
def test_durations(simulated, wall):
    assert duration(simulated, CLOCK.pace) == wall


@pytest.mark.parametrize("text", ["", "10", "m", "1m1h", "1.5m", "-5m", "10 m", "5min"])
def test_what_is_no_duration(text):
    with pytest.raises(ValueError, match="allowed: a duration of Prometheus"):
        duration(text, CLOCK.pace)


@given(st.integers(0, 10**12))
def test_what_is_written_is_read_back(length):
    assert milliseconds(written(length / 1000)) == length


@pytest.mark.parametrize(
    ("simulated", "wall"),
    [
        ("up", "up"),
        ("rate(tokens_total[5m]) * 60 > 8", "rate(tokens_total[5s]) * 60 > 8"),
        ("max_over_time(sum(queue)[1h:5m])", "max_over_time(sum(queue)[60s:5s])"),
        ("max_over_time(queue[1h:])", "max_over_time(queue[60s:])"),
        ("rate(tokens_total[300])", "rate(tokens_total[5s])"),
        ("a - a offset 15m", "a - a offset 15s"),
        ("a offset -1h + 5", "a offset -60s + 5"),
        ("a OFFSET 1h", "a OFFSET 60s"),
        ("sum(a offset 6h) >= 0", "sum(a offset 360s) >= 0"),
        ("a @ 5060.5", "a @ 1001.008"),
        ("a @ start()", "a @ start()"),
        ('a{reason="[5m] offset 5m"}', 'a{reason="[5m] offset 5m"}'),
        ("a{reason='[5m]', x=`[5m]`} > 30", "a{reason='[5m]', x=`[5m]`} > 30"),
        (r'label_replace(a[5m], "x", "\"[5m]", "y", "(.+)")', r'label_replace(a[5s], "x", "\"[5m]", "y", "(.+)")'),
        ("a # the last [5m]\n[10m]", "a # the last [5m]\n[10s]"),
        ("rate(\n  namespace:tokens:rate5m[ 5m ]\n)", "rate(\n  namespace:tokens:rate5m[ 5s ]\n)"),
        ("1e6 * a / (3600 * b > 0x1f)", "1e6 * a / (3600 * b > 0x1f)"),
        ("end - time() < 6 * 3600", f"end - {SIMULATED_TIME} < 6 * 3600"),
        ("sum by (time) (offset_total)", "sum by (time) (offset_total)"),
    ],
)
def test_expressions(simulated, wall):
    assert expression(simulated, CLOCK) == wall


def rules_of_stack(patch):
    return as_rule_file(rules_of(stack_of(patch), frozenset(Exporter)))


def durations_of(rules):
    """Every duration in a rule file, in milliseconds, in its order."""
    texts = []
    for rule in [rule for group in rules["groups"] for rule in group["rules"]]:
        texts += [text for found in DURATIONS.findall(rule["expr"]) for text in found if text]
        texts += [rule[key] for key in ("for", "keep_firing_for") if key in rule]
    return [milliseconds(text) for text in texts]


@pytest.mark.parametrize("patch", [{}, EVERYTHING, CLAIMED, NEURON])
def test_every_duration_of_a_stack_s_rules_is_divided_and_nothing_else_is_changed(patch):
    rules = rules_of_stack(patch)

    compressed = rule_file(rules, CLOCK)

    assert durations_of(rules)
    assert durations_of(compressed) == [length / 60 for length in durations_of(rules)]
    assert blanked(compressed) == blanked(rules)


def blanked(rules):
    """All rules without the lengths of their durations, and with the time as it is asked in simulated time."""
    found = []
    for rule in [rule for group in rules["groups"] for rule in group["rules"]]:
        text = DURATIONS.sub("", rule["expr"]).replace(SIMULATED_TIME, "time()")
        found.append(rule | {key: "" for key in ("for", "keep_firing_for") if key in rule} | {"expr": text})
    return found


def test_times_of_a_group_are_divided_too():
    rules = {"groups": [{"name": "g", "interval": "1m", "query_offset": "30s", "limit": 3, "rules": []}]}

    assert rule_file(rules, CLOCK)["groups"] == [
        {"name": "g", "interval": "1s", "query_offset": "500ms", "limit": 3, "rules": []}
    ]


@pytest.mark.parametrize("factor", [1, 7.3, 60, 1000])
@pytest.mark.parametrize("patch", [EVERYTHING, CLAIMED])
@needs_engine
@without_promtool
def test_promtool_agrees_that_they_are_rules(patch, factor, tmp_path):
    clock = PacedClock.beginning_now(Pace(factor))
    (tmp_path / "rules.yaml").write_text(yaml.safe_dump(rule_file(rules_of_stack(patch), clock)), encoding="utf-8")

    code, said = promtool("check", "rules", str(tmp_path / "rules.yaml"))

    assert code == 0, said
