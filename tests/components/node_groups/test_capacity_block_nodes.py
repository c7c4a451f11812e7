"""Nodes on a Capacity Block: what EKS demands of group and template, and when they start."""

import pulumi_aws as aws
import pytest

from tests.components.harness import UNKNOWN
from tests.components.node_groups.example import block, group, nodes, template

SCHEDULED = {"state": "scheduled", "start": "2026-12-01T11:30:00+00:00"}


def test_the_template_says_market_reservation_and_type():
    made = template(block())

    assert made["instanceType"] == "p5.48xlarge"
    assert made["instanceMarketOptions"] == {"marketType": "capacity-block"}
    assert made["capacityReservationSpecification"] == {
        "capacityReservationTarget": {"capacityReservationId": "cr-0123456789abcdef0"}
    }


def test_the_group_says_capacity_block_and_no_type():
    made = nodes(block())

    assert made["capacityType"] == "CAPACITY_BLOCK"
    assert "instanceTypes" not in made
    assert made["updateConfig"]["updateStrategy"] == "MINIMAL"


@pytest.mark.parametrize(
    ("state", "desired"), [pytest.param("scheduled", 0, id="not-begun"), pytest.param("active", 4, id="begun")]
)
def test_nodes_are_wanted_once_the_block_has_begun(state, desired):
    """Before the start the scaling group would log launch errors."""
    made = nodes(block(state=state))

    assert made["scalingConfig"] == {"minSize": 0, "desiredSize": desired, "maxSize": 4}


def test_the_number_of_nodes_is_pulumi_s():
    """With a change of any size EKS is told the desired one too: one from before the start would end all nodes."""
    assert group(block(state="scheduled")).one("NodeGroup").ignore_changes == ()


@pytest.mark.parametrize(
    ("ref", "start"),
    [
        pytest.param(SCHEDULED, "2026-12-01T11:30:00Z", id="to-come"),
        pytest.param({**SCHEDULED, "start": "2026-12-01T06:30:00-05:00"}, "2026-12-01T11:30:00Z", id="other-time-zone"),
        pytest.param({}, "2026-11-20T12:05:00Z", id="begun-so-in-five-minutes"),
    ],
)
def test_the_group_is_scaled_up_at_the_start(ref, start):
    schedule = group(block(**ref)).one("Schedule")

    assert schedule.inputs == {
        "autoscalingGroupName": "eks-gpu-1a2b3c4",
        "scheduledActionName": "capacity-block-start",
        "startTime": start,
        "minSize": -1,
        "desiredCapacity": 4,
        "maxSize": -1,
    }
    assert schedule.ignore_changes == ("startTime", "desiredCapacity")


OTHER_START = {"start": "2026-12-01T11:30:00+00:00", "state": "scheduled"}


@pytest.mark.parametrize(
    ("changes", "is_another"),
    [
        pytest.param(block(**OTHER_START), False, id="another-time"),
        pytest.param(block(reservation_id="cr-0fedcba9876543210"), True, id="another-block"),
        pytest.param({**block(), "size": {"max": 3}}, True, id="fewer-nodes"),
    ],
)
def test_another_block_or_size_is_another_action(changes, is_another):
    """One that has run cannot be changed, and one that asks for more nodes than the group may have fails."""
    first, second = (group(each).one("Schedule").raw.replacement_trigger for each in (block(), changes))

    assert (first != second) is is_another


def test_nothing_scales_down_as_eks_does():
    assert [schedule.name for schedule in group(block()).of("Schedule")] == ["gpu-capacity-block-start"]


BY_NAME = [{"id": "subnet-a", "zone": "us-east-2a"}, {"id": "subnet-b", "zone": "us-east-2b"}]
BY_ID = [{"id": "subnet-a", "zone": "use2-az1"}, {"id": "subnet-b", "zone": "use2-az2"}]


@pytest.mark.parametrize("subnets", [pytest.param(BY_NAME, id="by-name"), pytest.param(BY_ID, id="by-id")])
def test_only_subnets_in_the_block_s_zone(subnets):
    assert nodes({**block(), "subnets": subnets})["subnetIds"] == ["subnet-b"]


def test_what_a_preview_does_not_know():
    def changes():
        later = aws.sns.Topic("read-later").arn
        return block(reservation_id=later, zone=later, zone_id=later, start=later, state=later)

    made = nodes(changes, preview=True)

    assert made["subnetIds"] == UNKNOWN
    assert made["scalingConfig"]["desiredSize"] == UNKNOWN


def test_the_whole_group(snapshot):
    deployment = group({**block(**SCHEDULED), "efa": {"enabled": False}})

    assert deployment.one("LaunchTemplate").inputs == snapshot(name="template")
    assert deployment.one("NodeGroup").inputs == snapshot(name="nodes")
