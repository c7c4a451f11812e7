"""Every alert fires of its fault in a real loop, after about the time that it has to hold, and of nothing else.

Real Pulumi engine, control plane and Prometheus; the exporters are simulated. Faults strike side by side, each its own node.
What needs Cluster Autoscaler or KEDA is in `test_autoscalers_in_trouble.py`, Karpenter in `test_closed_loop_karpenter.py`.
"""

import pytest

from eks_accelerators.monitoring.alerts import ALERTS
from eks_accelerators.simulator.alert_causes import CAUSES, Site
from tests.simulator.faults_loop import DAY, ENDS, FAULTS, HOUR, LASTS, SLOW, STRIKES, loop
from tests.simulator.further import further

pytestmark = [pytest.mark.engines, pytest.mark.slow, pytest.mark.thorough]

LATE = 5
"""Minutes that an alert may come later than it usually does, on a machine that does other things too."""
SAMPLED = 0.6
"""Minutes to which the moments of an alert are known: it is asked every half minute."""
LOOKS_BACK_AN_HOUR = {"AcceleratorPodRestarting"}
"""What has ended too short a time before the end of the loop to be forgotten."""

ELSEWHERE = {Site.SCALED, Site.POOLS, Site.OTHER_SERVERS, Site.OBJECTS}
"""What the stack does not have, or could not do without: all else goes by kube-state-metrics.

`tests/simulator/test_closed_loop_kinds.py` has the latter two.
"""
HERE = [cause for cause in CAUSES if cause.site not in ELSEWHERE]


def held(alert):
    """Minutes."""
    return float(ALERTS[alert].held.removesuffix("m") or 0)


def kept(alert):
    return float(ALERTS[alert].kept.removesuffix("m") or 0)


@pytest.fixture(scope="module")
def seen(engines, tmp_path_factory):
    program = further("prometheus")["prometheus"]
    with loop(tmp_path_factory.mktemp("faults"), engines, program) as running:
        alerts, slow = running.run()
        if running.missed:  # an alert whose series had a gap begins anew
            pytest.skip(f"the machine is too slow for the pace: {len(running.missed)} targets did not answer in time")
        return running, [each for each in alerts if each.name not in SLOW], slow


def of(seen, story):
    """The alerts that fired of it, by name: the first of each."""
    found = {}
    for each in (*seen[1], *seen[2]):
        if each.fires is not None and story.is_about(each):
            found.setdefault(each.name, each)
    return found


def story_of(seen, cause, *, repaired=False):
    (story,) = (
        each for each in seen[0].stories if (each.text, each.site, each.repaired) == (cause.text, cause.site, repaired)
    )
    return story


@pytest.mark.parametrize("cause", HERE, ids=[f"{cause.text} on {cause.site}" for cause in HERE])
def test_its_alerts_fire_when_they_should_and_no_others(seen, cause):
    story = story_of(seen, cause)
    found = of(seen, story)
    if cause.site is Site.BLOCK:  # one story after the other, of one block
        found = {name: each for name, each in found.items() if name in cause.fires}

    assert set(found) == set(cause.fires), found
    for name, each in found.items():
        sampled = SAMPLED if name not in SLOW else SAMPLED * DAY.factor / HOUR.factor
        assert each.fires - each.pending >= held(name) - 2 * sampled
        if name in SLOW:
            continue
        assert each.pending >= story.begins - SAMPLED
        after = each.fires - story.begins
        assert held(name) - SAMPLED <= after <= cause.fires[name] + LATE, f"{name} after {after:.1f} minutes"


def test_what_takes_hours_takes_hours(seen):
    """By the faster clock, from the beginning of the loop on."""
    idle = {each.name: each.fires for each in seen[2] if each.labels.get("namespace") == "idle"}

    assert 58 <= idle["GpuIdleWithPod"] <= 61 + 4 * LATE
    assert 357 <= idle["ModelServerUnused"] <= 361 + 4 * LATE


def test_nothing_fires_that_no_cause_explains(seen):
    stories = seen[0].stories

    assert [
        str(each)
        for each in (*seen[1], *seen[2])
        if each.fires is not None and not any(story.is_about(each) for story in stories)
    ] == []


def test_alerts_are_over_when_their_fault_is(seen):
    fault_ended = ENDS - STRIKES
    left = []
    for cause in FAULTS:
        for each in of(seen, story_of(seen, cause)).values():
            if each.name in LOOKS_BACK_AN_HOUR:
                continue
            latest = max(fault_ended + 16, each.fires + 6 + kept(each.name)) + LATE
            if each.over is None or each.over > latest:
                left.append(f"{cause.text}: {each}")

    assert fault_ended + 16 + LATE < LASTS - STRIKES
    assert left == []


def test_node_repair_ends_what_it_can(seen):
    """Ten minutes after the condition of its accelerators is false the node is another one, and well."""
    cause = next(cause for cause in FAULTS if cause.text == "xid=79")
    ((when, what),) = seen[0].repaired
    found = of(seen, story_of(seen, cause, repaired=True))

    assert "node repair replaces" in what
    assert 10 <= when <= 10 + LATE
    # One that fires as the node goes may come or not.
    assert {name for name, after in cause.fires.items() if after + LATE < when} <= set(found) <= set(cause.fires)
    for name, each in found.items():
        assert each.over is not None
        assert each.over <= (when if not kept(name) else 6 + kept(name)) + LATE
