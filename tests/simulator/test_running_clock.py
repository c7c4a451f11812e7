"""The account's clock while it runs: what is due happens by itself, and an instance is a node after the time that nodes take."""

from datetime import timedelta

import pytest

from eks_accelerators.accelerators.durations import node_seconds
from eks_accelerators.simulator.pace import Pace
from eks_accelerators.simulator.running_clock import running
from tests.polls import until
from tests.simulator.aws.accounts import CLUSTER, NOW, furnish, opened

PACE = Pace(200)


@pytest.fixture
def place(tmp_path):
    with opened(tmp_path, {"insufficientCapacity": [{"instanceType": "g5.xlarge"}]}) as aws:
        yield furnish(aws)


def scaling(place):
    return place.aws.state.clusters[CLUSTER].node_groups["gpu"].scaling


def resize(place, desired):
    name = scaling(place).name
    place.aws.call("autoscaling", "set_desired_capacity", AutoScalingGroupName=name, DesiredCapacity=desired)


def test_what_was_there_is_a_node_and_what_comes_is_one_after_its_time(place):
    place.create()
    with running(place.aws, PACE) as clock:
        resize(place, 2)
        first, second = scaling(place).instances
        assert clock.has_joined(first)

        def has_joined():
            joined = clock.has_joined(second)
            assert not joined or clock.now >= joins
            return joined

        joins = second.launched + timedelta(seconds=node_seconds("g6.2xlarge"))
        until(has_joined)


def test_what_is_due_happens_by_itself(place):
    place.create()
    place.aws.call(
        "autoscaling",
        "put_scheduled_update_group_action",
        AutoScalingGroupName=scaling(place).name,
        ScheduledActionName="night",
        StartTime=NOW + timedelta(minutes=2),
        DesiredCapacity=0,
    )
    with running(place.aws, PACE):
        until(lambda: scaling(place).desired == 0)
    assert place.aws.state.now >= NOW + timedelta(minutes=2)


def test_a_launch_that_failed_is_tried_again_as_long_as_it_is_wanted(place):
    place.create(instanceTypes=["g5.xlarge"], scalingConfig={"minSize": 0, "desiredSize": 0, "maxSize": 2})
    with running(place.aws, PACE):
        resize(place, 1)
        until(lambda: len(scaling(place).activities) > 2)

        place.aws.state.without_capacity.clear()
        until(lambda: len(scaling(place).instances) == 1)
        assert scaling(place).failure is None


def test_afterwards_the_clock_stands_where_it_came_to(place):
    with running(place.aws, PACE) as clock:
        until(lambda: clock.now > NOW + timedelta(minutes=1))
    stands = place.aws.state.now

    assert stands >= NOW + timedelta(minutes=1)
    place.create()
    assert place.aws.state.now == stands
