"""What time brings: scheduled sizes, the start and the end of Capacity Blocks, one after the other."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from eks_accelerators.accelerators.capacity_blocks import SCALE_DOWN_ACTION
from eks_accelerators.simulator.aws.clock import next_event, upcoming
from eks_accelerators.simulator.aws.schedules import next_run
from tests.simulator.aws.accounts import NOW, RESERVATION, START, furnish, opened, refused, reservation
from tests.simulator.aws.test_node_group_refusals import BLOCK_TEMPLATE, BY_BLOCK

END = START + timedelta(days=1)


@pytest.mark.parametrize(
    ("recurrence", "zone", "now", "next_one"),
    [
        pytest.param("0 8 * * *", "Etc/UTC", "2026-11-23T07:59", "2026-11-23T08:00", id="today"),
        pytest.param("0 8 * * *", "Etc/UTC", "2026-11-23T08:00", "2026-11-24T08:00", id="never-the-present"),
        pytest.param("0 8 * * MON-FRI", "Etc/UTC", "2026-11-27T09:00", "2026-11-30T08:00", id="after-the-weekend"),
        pytest.param("30 0 1 1,6,12 *", "Etc/UTC", "2026-11-23T09:00", "2026-12-01T00:30", id="months"),
        pytest.param("0 8 * * *", "America/New_York", "2026-11-23T09:00", "2026-11-23T13:00", id="winter-time"),
        pytest.param("0 8 * * *", "America/New_York", "2027-03-13T13:00", "2027-03-14T12:00", id="summer-time-begins"),
        pytest.param("0 8 * * *", "Asia/Kolkata", "2026-11-23T09:00", "2026-11-24T02:30", id="half-hours"),
    ],
)
def test_when_an_action_runs_next(recurrence, zone, now, next_one):
    def moment(text):
        return datetime.fromisoformat(text).replace(tzinfo=UTC)

    assert next_run(recurrence, zone, moment(now)) == moment(next_one)


@pytest.fixture
def place(tmp_path):
    """An account with a Capacity Block, and a node group of one node that may have three."""
    with opened(tmp_path, {"capacityReservations": [reservation()]}) as aws:
        place = furnish(aws)
        place.create(scalingConfig={"minSize": 0, "desiredSize": 1, "maxSize": 3})
        yield place


def action(place, name="later", group="gpu", **what):
    scaling = place.group(group)["resources"]["autoScalingGroups"][0]["name"]
    return {"AutoScalingGroupName": scaling, "ScheduledActionName": name, **what}


def schedule(place, name="later", group="gpu", **what):
    place.aws.call("autoscaling", "put_scheduled_update_group_action", **action(place, name, group, **what))


def actions(place, group="gpu"):
    """Name and next start of the scheduled actions."""
    scaling = place.group(group)["resources"]["autoScalingGroups"][0]["name"]
    found = place.aws.call("autoscaling", "describe_scheduled_actions", AutoScalingGroupName=scaling)
    return {each["ScheduledActionName"]: each["StartTime"] for each in found["ScheduledUpdateGroupActions"]}


def day(text):
    """`Tue 08:00` of the week that begins at `NOW`."""
    name, clock = text.split()
    hours, minutes = clock.split(":")
    midnight = NOW.replace(hour=0) + timedelta(days=["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].index(name))
    return midnight + timedelta(hours=int(hours), minutes=int(minutes))


def over_time(place, *moments, group="gpu"):
    """Min, desired, max and running instances at each moment."""
    found = {}
    for text in moments:
        place.aws.set_clock(day(text))
        found[text] = place.sizes(group)
    return found


@pytest.mark.parametrize(
    ("scheduled", "expected"),
    [
        pytest.param(
            [{"StartTime": day("Tue 08:00"), "DesiredCapacity": 3}],
            {"Tue 07:59": (0, 1, 3, 1), "Tue 08:00": (0, 3, 3, 3), "Wed 08:00": (0, 3, 3, 3)},
            id="once",
        ),
        pytest.param(
            [{"StartTime": day("Tue 08:00"), "MinSize": 2}],
            {"Mon 10:00": (0, 1, 3, 1), "Tue 08:00": (2, 2, 3, 2)},
            id="desired-follows-the-minimum",
        ),
        pytest.param(
            [{"StartTime": day("Tue 08:00"), "MaxSize": 0}],
            {"Tue 08:00": (0, 0, 0, 0)},
            id="desired-follows-the-maximum",
        ),
        pytest.param(
            [{"StartTime": day("Tue 08:00"), "MinSize": 3, "DesiredCapacity": 4, "MaxSize": 5}],
            {"Tue 08:00": (3, 4, 5, 4)},
            id="all-three",
        ),
        pytest.param(
            [
                {"Recurrence": "0 8 * * MON-FRI", "DesiredCapacity": 2},
                {"Recurrence": "0 18 * * MON-FRI", "DesiredCapacity": 0},
            ],
            {
                "Mon 10:00": (0, 1, 3, 1),
                "Mon 18:00": (0, 0, 3, 0),
                "Tue 08:00": (0, 2, 3, 2),
                "Fri 17:59": (0, 2, 3, 2),
                "Fri 18:00": (0, 0, 3, 0),
                "Sun 23:59": (0, 0, 3, 0),
            },
            id="working-hours",
        ),
        pytest.param(
            [{"Recurrence": "0 8 * * *", "TimeZone": "America/New_York", "DesiredCapacity": 2}],
            {"Mon 12:59": (0, 1, 3, 1), "Mon 13:00": (0, 2, 3, 2)},
            id="hours-of-new-york",
        ),
        pytest.param(
            [
                {"StartTime": day("Wed 03:00"), "Recurrence": "0 8 * * *", "DesiredCapacity": 2},
                {"StartTime": day("Wed 05:00"), "DesiredCapacity": 0},
            ],
            {
                "Tue 23:00": (0, 1, 3, 1),
                "Wed 03:00": (0, 2, 3, 2),
                "Wed 07:00": (0, 0, 3, 0),
                "Wed 08:00": (0, 2, 3, 2),
            },
            id="at-its-start-then-by-its-recurrence",
        ),
    ],
)
def test_sizes_over_time(place, scheduled, expected):
    for number, what in enumerate(scheduled):
        schedule(place, f"action-{number}", **what)

    assert over_time(place, *expected) == expected


def test_an_action_that_ran_once_is_gone_and_one_that_recurs_has_its_next_start(place):
    schedule(place, "once", StartTime=day("Tue 08:00"), DesiredCapacity=2)
    schedule(place, "daily", Recurrence="0 7 * * *", DesiredCapacity=3)
    assert actions(place) == {"once": day("Tue 08:00"), "daily": day("Tue 07:00")}

    place.aws.set_clock(day("Tue 09:00"))

    assert actions(place) == {"daily": day("Wed 07:00")}


def test_an_action_that_does_not_fit_any_more_fails_and_says_so(place):
    schedule(place, StartTime=day("Tue 08:00"), DesiredCapacity=3)
    sizes = {"minSize": 0, "desiredSize": 1, "maxSize": 2}
    place.aws.call("eks", "update_nodegroup_config", clusterName="ml", nodegroupName="gpu", scalingConfig=sizes)

    assert over_time(place, "Tue 08:00") == {"Tue 08:00": (0, 1, 2, 1)}
    assert [what for _, what in place.aws.state.happened] == [
        "node group gpu: later",
        "node group gpu: later failed: Desired capacity must be between the specified min size and max size",
    ]


@pytest.mark.parametrize(
    ("what", "words"),
    [
        pytest.param(
            {"StartTime": NOW - timedelta(seconds=1), "DesiredCapacity": 1},
            "Given start time is in the past",
            id="start-is-past",
        ),
        pytest.param({"StartTime": NOW, "DesiredCapacity": 1}, "Given start time is in the past", id="start-is-now"),
        pytest.param({"DesiredCapacity": 1}, "StartTime or Recurrence is needed", id="no-time"),
        pytest.param(
            {"StartTime": day("Tue 08:00")},
            "At least one of MinSize, MaxSize or DesiredCapacity is needed",
            id="no-size",
        ),
        pytest.param({"Recurrence": "0 8 * *", "DesiredCapacity": 1}, "Invalid recurrence: 0 8 * *", id="four-fields"),
        pytest.param(
            {"Recurrence": "0 25 * * *", "DesiredCapacity": 1}, "Invalid recurrence: 0 25 * * *", id="no-such-hour"
        ),
        pytest.param(
            {"Recurrence": "0 8 * * *", "TimeZone": "Mars/Olympus", "DesiredCapacity": 1},
            "Invalid time zone: Mars/Olympus",
            id="no-such-zone",
        ),
        pytest.param(
            {"StartTime": day("Tue 08:00"), "MinSize": 2, "MaxSize": 1},
            "Min size must be less than or equal to max size",
            id="min-over-max",
        ),
        pytest.param(
            {"StartTime": day("Tue 08:00"), "DesiredCapacity": 4},
            "Desired capacity must be between the specified min size and max size",
            id="more-than-the-group-may-have",
        ),
        pytest.param(
            {"ScheduledActionName": SCALE_DOWN_ACTION, "StartTime": day("Tue 08:00"), "DesiredCapacity": 1},
            f"The scheduled action '{SCALE_DOWN_ACTION}' is EKS's own",
            id="facts-74-eks-s-own",
        ),
        pytest.param(
            {"AutoScalingGroupName": "eks-gone", "StartTime": day("Tue 08:00"), "DesiredCapacity": 1},
            "AutoScalingGroup name not found - eks-gone",
            id="group-that-is-not-there",
        ),
    ],
)
def test_actions_that_auto_scaling_refuses(place, what, words):
    wanted = {**action(place), **what}

    assert refused(place, "put_scheduled_update_group_action", wanted, "autoscaling") == ("ValidationError", words)


def test_an_action_that_is_not_there_cannot_be_deleted(place):
    assert refused(place, "delete_scheduled_action", action(place), "autoscaling") == (
        "ValidationError",
        "Scheduled action name not found: later",
    )


def block_nodes(place, desired=0):
    place.create(
        nodegroupName="block",
        **BY_BLOCK,
        launchTemplate=place.template(BLOCK_TEMPLATE),
        scalingConfig={"minSize": 0, "desiredSize": desired, "maxSize": 4},
    )


def at(place, moment, group="block"):
    place.aws.set_clock(moment)
    return place.sizes(group)


def before_end(minutes):
    return END - timedelta(minutes=minutes)


def test_facts_74_the_drain_before_the_end_is_eks_s_own(place):
    block_nodes(place)
    drain = action(place, SCALE_DOWN_ACTION, "block")

    assert actions(place, "block") == {SCALE_DOWN_ACTION: before_end(40)}
    assert refused(place, "delete_scheduled_action", drain, "autoscaling") == (
        "ValidationError",
        f"The scheduled action '{SCALE_DOWN_ACTION}' is EKS's own",
    )


def test_the_life_of_a_capacity_block(place):
    block_nodes(place)
    schedule(place, "start", "block", StartTime=START, DesiredCapacity=4)

    assert at(place, START - timedelta(seconds=1)) == (0, 0, 4, 0)
    assert at(place, START) == (0, 4, 4, 4), "delivered before the action of the same moment"
    assert at(place, before_end(40) - timedelta(seconds=1)) == (0, 4, 4, 4)
    assert at(place, before_end(40)) == (0, 0, 4, 0)
    assert at(place, END + timedelta(days=1)) == (0, 0, 4, 0)
    assert place.aws.state.happened == [
        (START, f"Capacity Block {RESERVATION} is delivered"),
        (START, "node group block: start"),
        (before_end(40), f"node group block: {SCALE_DOWN_ACTION}"),
        (before_end(30), f"EC2 terminates what still runs in {RESERVATION}"),
        (END, f"Capacity Block {RESERVATION} has ended"),
    ]


def test_what_is_scaled_up_again_after_the_drain_is_terminated(place):
    block_nodes(place)
    at(place, before_end(35))
    place.aws.call(
        "eks", "update_nodegroup_config", clusterName="ml", nodegroupName="block", scalingConfig={"desiredSize": 2}
    )
    assert place.sizes("block") == (0, 2, 4, 2)

    assert at(place, before_end(30)) == (0, 2, 4, 0)
    assert at(place, END) == (0, 2, 4, 0)
    assert place.sizes("gpu") == (0, 1, 3, 1), "other nodes stay"
    assert place.aws.state.happened[-3:] == [
        (
            before_end(30),
            f"node group block: InvalidCapacityReservationState: The Capacity Block {RESERVATION} ends 2026-12-02 11:30 "
            "UTC; EC2 terminates its instances.",
        ),
        (END, f"Capacity Block {RESERVATION} has ended"),
        (
            END,
            f"node group block: InvalidCapacityReservationState: The Capacity Block {RESERVATION} is expired (starts "
            "2026-12-01 11:30 UTC).",
        ),
    ]


def test_what_is_due_and_when(place):
    block_nodes(place)
    schedule(place, "start", "block", StartTime=START, DesiredCapacity=4)
    schedule(place, "nightly", Recurrence="0 2 * * *", DesiredCapacity=0)
    state = place.aws.state

    assert [(event.at, event.what) for event in upcoming(state, END)] == [
        (day("Tue 02:00"), "node group gpu: nightly"),
        (START, f"Capacity Block {RESERVATION} is delivered"),
        (START, "node group block: start"),
        (before_end(40), f"node group block: {SCALE_DOWN_ACTION}"),
        (before_end(30), f"EC2 terminates what still runs in {RESERVATION}"),
        (END, f"Capacity Block {RESERVATION} has ended"),
    ]
    assert next_event(state, day("Tue 01:59")) is None
    assert next_event(state, day("Tue 02:00")).what == "node group gpu: nightly"


def test_a_block_whose_state_is_given_has_no_clock(tmp_path):
    with opened(tmp_path, {"capacityReservations": [reservation(state="payment-pending")]}) as aws:
        aws.set_clock(END)
        assert aws.state.happened == []


def test_time_does_not_run_backwards(place):
    place.aws.set_clock(day("Tue 08:00"))

    with pytest.raises(ValueError, match="stands at 2026-11-24 08:00 UTC and does not run backwards"):
        place.aws.set_clock(day("Tue 07:59"))
    place.aws.set_clock(day("Tue 08:00"))
    assert place.aws.state.now == day("Tue 08:00")


def test_the_clock_shows_whole_seconds_of_utc(place):
    place.aws.set_clock(datetime(2026, 11, 24, 9, 0, 0, 999_999, timezone(timedelta(hours=1))))

    assert place.aws.state.now == datetime(2026, 11, 24, 8, 0, tzinfo=UTC)


def test_many_small_steps_bring_what_one_large_step_brings(tmp_path_factory):
    found = []
    for minutes in (60 * 24 * 10, 7 * 60, 55):
        folder = tmp_path_factory.mktemp("account")
        with opened(folder, {"capacityReservations": [reservation()]}) as aws:
            place = furnish(aws)
            place.create(scalingConfig={"minSize": 0, "desiredSize": 1, "maxSize": 3})
            block_nodes(place)
            schedule(place, "start", "block", StartTime=START, DesiredCapacity=4)
            schedule(place, "day", Recurrence="0 8 * * MON-FRI", DesiredCapacity=3)
            schedule(place, "night", Recurrence="0 18 * * MON-FRI", DesiredCapacity=0)
            while aws.state.now < END:
                aws.set_clock(min(aws.state.now + timedelta(minutes=minutes), END))
            found.append((place.sizes(), place.sizes("block"), aws.state.happened))

    assert found[0] == found[1] == found[2]
