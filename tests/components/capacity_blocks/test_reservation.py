"""A reservation is read from AWS at deployment; one that does not suit stops its node group."""

import json
from datetime import timedelta

import pulumi
import pytest

from eks_accelerators.accelerators.capacity_blocks import REQUESTED_QUANTITY_TAG
from eks_accelerators.components import AcceleratorNodeGroup, CapacityBlock
from eks_accelerators.settings.problems import SettingsError
from tests.components.examples import EXAMPLES, RESERVATION_ID, deployed
from tests.components.harness import Deployment, attempt, reservation
from tests.conftest import NOW

WANTED = {
    key: value
    for key, value in EXAMPLES[AcceleratorNodeGroup].items()
    if key not in ("size", "instance_type", "node_role_arn")
}


def with_nodes(answer=None, *, block=None, size=None, preview=False) -> Deployment:
    """A Capacity Block and the node group that launches into it."""

    def program():
        found = CapacityBlock("block", {**EXAMPLES[CapacityBlock], **(block or {})})
        nodes = {**WANTED, "instance_type": "p5.48xlarge", "size": size or {"max": 4}, "capacity_block": found.ref}
        AcceleratorNodeGroup("gpu", nodes)

    return attempt(program, answers={"getCapacityBlockReservation": reservation(**(answer or {}))}, preview=preview)


SCHEDULED = {"state": "scheduled", "instanceCount": 0, "tags": {REQUESTED_QUANTITY_TAG: "4"}}
SOON = {"endDate": (NOW + timedelta(minutes=40)).isoformat()}
UNSUITABLE = [
    pytest.param({"availabilityZone": "us-east-2c", "availabilityZoneId": "use2-az3"}, {}, "no subnet", id="1-zone"),
    pytest.param({"state": "expired"}, {}, "is expired", id="2-expired"),
    pytest.param({"state": "cancelled"}, {}, "is cancelled", id="2-cancelled"),
    pytest.param({"state": "payment-pending"}, {}, "the upfront fee is not paid", id="3-payment-pending"),
    pytest.param({"state": "payment-failed"}, {}, "the upfront fee is not paid", id="3-payment-failed"),
    pytest.param(SOON, {}, "EKS drains it 40 minutes before", id="4-about-to-end"),
    pytest.param({"reservationType": "default"}, {}, "is an on-demand reservation", id="5-no-capacity-block"),
    pytest.param({"instanceType": "p5e.48xlarge"}, {}, "holds p5e.48xlarge", id="6-other-type"),
    pytest.param({"instanceCount": 2}, {}, "exceeds the 2 instances", id="7-too-small"),
    pytest.param(
        {**SCHEDULED, "tags": {REQUESTED_QUANTITY_TAG: "2"}}, {}, "exceeds the 2 instances", id="7-too-small-to-come"
    ),
    pytest.param({}, {"expect": {"zone": "us-east-2a"}}, "not us-east-2a", id="other-zone-than-stated"),
    pytest.param({}, {"expect": {"end": "2026-12-31T11:30:00Z"}}, "has end", id="other-end-than-stated"),
]


@pytest.mark.parametrize(("answer", "block", "expected"), UNSUITABLE)
def test_an_unsuitable_reservation_fails_and_no_node_is_registered(answer, block, expected):
    deployment = with_nodes(answer, block=block)

    assert isinstance(deployment.error, pulumi.RunError), "Pulumi prints its words alone, and no traceback"
    assert expected in f"{deployment.error}{deployment.log}"
    assert deployment.of("NodeGroup") == deployment.of("LaunchTemplate") == deployment.of("Schedule") == []


def test_8_nodes_that_must_run_before_the_start_are_refused():
    deployment = with_nodes(SCHEDULED, size={"min": 1, "max": 4})

    assert isinstance(deployment.error, SettingsError)
    assert deployment.of("NodeGroup") == []


def test_8_no_node_is_wanted_before_the_start():
    deployment = with_nodes(SCHEDULED)

    assert deployment.error is None
    assert deployment.one("NodeGroup").inputs["scalingConfig"]["desiredSize"] == 0


def test_every_problem_is_named():
    deployment = with_nodes({"state": "expired", "instanceType": "p4d.24xlarge", "instanceCount": 1})

    text = f"{deployment.error}{deployment.log}"
    assert all(expected in text for expected in ("is expired", "holds p4d.24xlarge", "exceeds the 1 instance"))


def test_a_suitable_reservation_is_what_the_nodes_launch_into():
    deployment = with_nodes()

    template, nodes = deployment.one("LaunchTemplate").inputs, deployment.one("NodeGroup").inputs
    target = template["capacityReservationSpecification"]["capacityReservationTarget"]
    assert target == {"capacityReservationId": RESERVATION_ID}
    assert nodes["subnetIds"] == ["subnet-b"]
    assert nodes["scalingConfig"]["desiredSize"] == 4


def test_a_preview_asks_aws_nothing_and_fails_nothing():
    assert with_nodes({"state": "expired"}, preview=True).error is None


def test_outputs(snapshot):
    answer = reservation(endDate="2026-11-27T11:30:00Z")
    deployment = deployed(CapacityBlock, answers={"getCapacityBlockReservation": answer}, name="block")

    assert deployment.component_outputs("CapacityBlock") == snapshot


@pytest.fixture(scope="module")
def block_alone():
    return deployed(CapacityBlock, name="block")


def test_word_of_delivery_and_end(block_alone):
    pattern = json.loads(block_alone.one("EventRule").inputs["eventPattern"])

    assert pattern == {
        "source": ["aws.ec2"],
        "detail-type": [
            "Capacity Block Delivered",
            "Capacity Block Reservation Delivered",
            "Capacity Block Expiration Warning",
            "Capacity Block Reservation Expiration Warning",
        ],
        "detail": {"capacity-reservation-id": [RESERVATION_ID]},
    }
    topic = "arn:aws:sns:us-east-2:123456789012:block-capacity-block-1a2b3c4"
    assert block_alone.one("EventTarget").inputs["arn"] == topic
    assert block_alone.one("TopicSubscription").inputs == {
        "topic": topic,
        "protocol": "email",
        "endpoint": "ml@example.com",
    }


def test_only_this_rule_and_alarms_of_the_account_may_publish(block_alone):
    policy = json.loads(block_alone.one("TopicPolicy").inputs["policy"])

    rule, alarms = policy["Statement"]
    assert policy["Version"] == "2012-10-17"
    assert alarms["Principal"] == {"Service": "cloudwatch.amazonaws.com"}
    assert alarms["Condition"] == {"StringEquals": {"aws:SourceAccount": "123456789012"}}
    assert rule == {
        "Effect": "Allow",
        "Principal": {"Service": "events.amazonaws.com"},
        "Action": "sns:Publish",
        "Resource": "arn:aws:sns:us-east-2:123456789012:block-capacity-block-1a2b3c4",
        "Condition": {
            "ArnEquals": {"aws:SourceArn": "arn:aws:events:us-east-2:123456789012:rule/block-capacity-block-1a2b3c4"}
        },
    }


def test_nobody_is_written_to_unless_asked():
    assert deployed(CapacityBlock, without=("notification_email",)).of("TopicSubscription") == []
