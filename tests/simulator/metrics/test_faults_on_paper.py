"""Each fault fires its alerts and no others, in a real Prometheus with the rules of a stack that has everything.

All strike side by side on a cluster on paper, each its own node. What real controllers add to a fault is left out.
"""

import pytest

from eks_accelerators.monitoring.alerts import ALERTS
from tests.simulator.further import further
from tests.simulator.metrics.faults_on_paper import END, FAULTS, LAST, STRIKE, run

pytestmark = [pytest.mark.engines, pytest.mark.slow, pytest.mark.thorough]

LATE = 4
"""Minutes that an alert may come later than the table says: scrapes are a minute apart, and the machine is busy."""
SAMPLED = 0.6
"""Minutes to which the moments of an alert are known: it is asked every half minute."""
BY_CONTROLLERS = {("kubelet-down", "AcceleratorPodNotReady")}
"""What the node lifecycle controller makes of a fault."""
LOOKS_BACK_AN_HOUR = {"AcceleratorPodRestarting"}
"""What has ended too short a time before all is over to be forgotten."""


def minutes(duration):
    return float(duration.removesuffix("m") or 0)


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    struck, alerts, missed = run(further("prometheus")["prometheus"], tmp_path_factory.mktemp("paper"))
    if missed:  # an alert whose series had a gap begins anew
        pytest.skip(f"the machine is too slow for the pace: {len(missed)} targets did not answer in time")
    return struck, alerts


def of(struck, alerts):
    return {each.name: each for each in alerts if each.fires is not None and struck.is_about(each)}


@pytest.mark.parametrize("number", range(len(FAULTS)), ids=[f"{each.text} on {each.site}" for each in FAULTS])
def test_its_alerts_fire_when_they_should_and_no_others(seen, number):
    struck, alerts = seen
    cause, found = FAULTS[number], of(struck[number], alerts)

    assert set(found) == {name for name in cause.fires if (cause.text, name) not in BY_CONTROLLERS}, found
    for name, each in found.items():
        held = minutes(ALERTS[name].held)
        assert each.fires - each.pending >= held - SAMPLED
        assert held - SAMPLED <= each.fires <= cause.fires[name] + LATE, each


def test_nothing_fires_that_no_fault_explains(seen):
    struck, alerts = seen

    assert [
        str(each) for each in alerts if each.fires is not None and not any(one.is_about(each) for one in struck)
    ] == []


def test_alerts_are_over_when_their_fault_is(seen):
    """After what they look back on, a quarter of an hour at most, or what they are kept for."""
    struck, alerts = seen
    latest = END - STRIKE + 15 + LATE
    late = [
        f"{one.cause.text}: {each}"
        for one in struck
        for each in of(one, alerts).values()
        if each.name not in LOOKS_BACK_AN_HOUR
        and (each.over is None or each.over > max(latest, each.fires + 5 + minutes(ALERTS[each.name].kept) + LATE))
    ]

    assert latest < LAST - STRIKE
    assert late == []
