"""Capacity Blocks that follow each other: the first that is not drained is used, and asked for anew at every deployment."""

from datetime import timedelta

import pytest

from eks_accelerators.components import AcceleratorNodeGroup, CapacityBlock, block_in_turn
from tests.components.capacity_blocks.test_reservation import WANTED
from tests.components.examples import EXAMPLES
from tests.components.harness import attempt, reservation
from tests.conftest import NOW

FIRST, SECOND, THIRD = "cr-0000000000000000a", "cr-0000000000000000b", "cr-0000000000000000c"
DAY = timedelta(days=1)


def window(start, end, **other):
    return reservation(startDate=start.isoformat(), endDate=end.isoformat(), **other)


def rotated(windows):
    """The node group on blocks with these windows, in order."""

    def program():
        names = list(windows)
        blocks = [
            CapacityBlock(
                f"block-{name[-1]}",
                {**EXAMPLES[CapacityBlock], "reservation_id": name, "succeeded": name != names[-1]},
            )
            for name in names
        ]
        nodes = {**WANTED, "instance_type": "p5.48xlarge", "size": {"max": 4}, "capacity_block": block_in_turn(blocks)}
        AcceleratorNodeGroup("gpu", nodes)

    def answer(asked):
        return {**windows[asked["id"]], "id": asked["id"]}

    return attempt(program, answers={"getCapacityBlockReservation": answer})


def used(deployment):
    """Reservation of the launch template, start of the schedule, desired size."""
    template = deployment.one("LaunchTemplate").inputs["capacityReservationSpecification"]
    return (
        template["capacityReservationTarget"]["capacityReservationId"],
        deployment.one("Schedule").inputs["startTime"],
        deployment.one("NodeGroup").inputs["scalingConfig"]["desiredSize"],
    )


@pytest.mark.parametrize(
    ("windows", "expected"),
    [
        pytest.param(
            {FIRST: window(NOW - DAY, NOW + DAY), SECOND: window(NOW + DAY, NOW + 3 * DAY, state="scheduled")},
            (FIRST, "2026-11-20T12:05:00Z", 4),
            id="the-first-is-active",
        ),
        pytest.param(
            {
                FIRST: window(NOW - 2 * DAY, NOW + timedelta(minutes=41)),
                SECOND: window(NOW + DAY, NOW + 3 * DAY, state="scheduled"),
            },
            (FIRST, "2026-11-20T12:05:00Z", 4),
            id="just-before-the-drain",
        ),
        pytest.param(
            {
                FIRST: window(NOW - 2 * DAY, NOW + timedelta(minutes=40)),
                SECOND: window(NOW + DAY, NOW + 3 * DAY, state="scheduled"),
            },
            (SECOND, "2026-11-21T12:00:00Z", 0),
            id="drained",
        ),
        pytest.param(
            {
                FIRST: window(NOW - 4 * DAY, NOW - 2 * DAY, state="expired"),
                SECOND: window(NOW - 2 * DAY, NOW - DAY, state="expired"),
                THIRD: window(NOW - DAY, NOW + DAY),
            },
            (THIRD, "2026-11-20T12:05:00Z", 4),
            id="two-are-over",
        ),
    ],
)
def test_the_block_in_turn(windows, expected):
    deployment = rotated(windows)

    assert deployment.error is None, deployment.log
    assert used(deployment) == expected


def test_every_block_tells_of_itself():
    deployment = rotated(
        {FIRST: window(NOW - DAY, NOW + DAY), SECOND: window(NOW + DAY, NOW + 3 * DAY, state="scheduled")}
    )

    patterns = [rule.inputs["eventPattern"] for rule in deployment.of("EventRule")]
    assert [FIRST in patterns[0], SECOND in patterns[1]] == [True, True]


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        pytest.param(window(NOW - DAY, NOW - DAY / 2, state="expired"), "is expired", id="the-last-is-over"),
        pytest.param(window(NOW + DAY, NOW + 2 * DAY, instanceType="p4d.24xlarge"), "holds p4d", id="another-type"),
        pytest.param(window(NOW + DAY, NOW + 2 * DAY, instanceCount=1), "exceeds the 1 instance", id="too-small"),
    ],
)
def test_a_next_block_that_does_not_suit_is_told_before_its_turn(second, expected):
    deployment = rotated({FIRST: window(NOW - DAY, NOW + DAY / 2), SECOND: second})

    assert deployment.error is not None
    assert expected in f"{deployment.error}{deployment.log}"
    assert deployment.of("NodeGroup") == []


def test_an_alarm_when_nothing_runs_in_the_block():
    deployment = rotated({FIRST: window(NOW - DAY, NOW + DAY)})

    alarm = deployment.one("MetricAlarm").inputs
    *metrics, idle = alarm["metricQueries"]
    assert [(each["id"], each["metric"]["metricName"], each["metric"]["dimensions"]) for each in metrics] == [
        ("total", "TotalInstanceCount", {"CapacityReservationId": FIRST}),
        ("used", "UsedInstanceCount", {"CapacityReservationId": FIRST}),
    ]
    drain = int((NOW + DAY - timedelta(minutes=40)).timestamp())
    assert idle["expression"] == f"IF(total > 0 AND used < 1 AND EPOCH(total) < {drain}, 1, 0)"
    assert {each["metric"]["period"] * alarm["evaluationPeriods"] for each in metrics} == {15 * 60}
    policy = deployment.one("TopicPolicy").inputs["policy"]
    assert "cloudwatch.amazonaws.com" in policy
