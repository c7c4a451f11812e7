"""A Capacity Block that was bought: read from AWS, and checked before anything counts on it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pulumi
import pulumi_aws as aws

from eks_accelerators.accelerators import clock
from eks_accelerators.accelerators.capacity_blocks import Reservation, reservation_problems
from eks_accelerators.components.arguments import CapacityBlockArgs
from eks_accelerators.components.base import Component, named
from eks_accelerators.components.capacity_block_alarm import alarm_when_idle
from eks_accelerators.components.validation import as_model
from eks_accelerators.components.wiring import CapacityBlockRef
from eks_accelerators.settings.model.capacity_blocks import CapacityBlockSettings, Expectation

_EVENTS = (
    # The documentation has both spellings, so both are matched.
    "Capacity Block Delivered",
    "Capacity Block Reservation Delivered",
    "Capacity Block Expiration Warning",
    "Capacity Block Reservation Expiration Warning",
)


@dataclass(frozen=True, slots=True)
class CapacityBlockInputs:
    """The reservation as the settings have it, and what a node group wants of it. Fields are those of
    `CapacityBlockArgs`.
    """

    reservation_id: pulumi.Input[str]
    block: CapacityBlockSettings
    instance_type: str
    max_size: int
    zones: Sequence[str]
    succeeded: bool = False
    tags: dict[str, str] | None = None


class CapacityBlock(Component[CapacityBlockInputs]):
    """Zone, type, size, window and state of a reservation, and word of its delivery and end.

    Where the reservation does not suit the node group, every output fails, so that the group is never created.

    Providers: AWS.

    Alone: Reads and checks a reservation that somebody else bought, see `examples/p5-capacity-block`. The Python
    attribute `ref` is what `AcceleratorNodeGroup` takes as `capacity_block`.
    """

    reservation_id: pulumi.Output[str]
    """ID of the reservation, once it is checked."""
    zone: pulumi.Output[str]
    """Name of its Availability Zone."""
    zone_id: pulumi.Output[str]
    """ID of its Availability Zone."""
    instance_type: pulumi.Output[str]
    """Instance type that it holds."""
    instance_count: pulumi.Output[int]
    """Number of instances."""
    start: pulumi.Output[str]
    """Start, RFC 3339 in UTC."""
    end: pulumi.Output[str]
    """End, RFC 3339 in UTC."""
    state: pulumi.Output[str]
    """`active` or `scheduled`."""
    topic_arn: pulumi.Output[str]
    """SNS topic of the delivered and expiration events."""

    def __init__(self, name: str, args: CapacityBlockArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        inputs = CapacityBlockInputs(
            reservation_id=args["reservation_id"],
            block=as_model(CapacityBlockSettings, args, exclude=("reservation_id",)),
            instance_type=args["instance_type"],
            max_size=args["max_size"],
            zones=args["zones"],
            succeeded=args.get("succeeded", False),
            tags=args.get("tags"),
        )
        self._create(name, inputs, opts)

    def _create(self, name: str, inputs: CapacityBlockInputs, opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts, {"reservationId": inputs.reservation_id})
        found = aws.ec2.get_capacity_block_reservation_output(
            id=inputs.reservation_id, opts=pulumi.InvokeOutputOptions(parent=self)
        )
        checked = pulumi.Output.all(id=inputs.reservation_id, found=found).apply(
            lambda known: _checked(known["id"], known["found"], inputs)
        )
        self.reservation_id = checked.apply(lambda block: block.id)
        self.zone = checked.apply(lambda block: block.zone)
        self.zone_id = checked.apply(lambda block: block.zone_id)
        self.instance_type = checked.apply(lambda block: block.instance_type)
        self.instance_count = checked.apply(lambda block: block.instance_count or 0)
        self.start = checked.apply(lambda block: block.start.isoformat())
        self.end = checked.apply(lambda block: block.end.isoformat())
        self.state = checked.apply(lambda block: block.state)
        self.topic_arn = self._notifications(name, inputs)
        self.register_outputs(
            {
                key: getattr(self, key)
                for key in (
                    "reservation_id",
                    "zone",
                    "zone_id",
                    "instance_type",
                    "instance_count",
                    "start",
                    "end",
                    "state",
                    "topic_arn",
                )
            }
        )

    @property
    def ref(self) -> CapacityBlockRef:
        """The block as a node group takes it."""
        return {
            "reservation_id": self.reservation_id,
            "zone": self.zone,
            "zone_id": self.zone_id,
            "start": self.start,
            "state": self.state,
        }

    def _notifications(self, name: str, inputs: CapacityBlockInputs) -> pulumi.Output[str]:
        tags = named(inputs.tags, f"{name}-capacity-block")
        topic = aws.sns.Topic(f"{name}-capacity-block", tags=tags, opts=self.child())
        rule = aws.cloudwatch.EventRule(
            f"{name}-capacity-block",
            description=f"Delivery and end of the Capacity Block {name}",
            event_pattern=self.reservation_id.apply(_event_pattern),
            tags=tags,
            opts=self.child(),
        )
        aws.sns.TopicPolicy(
            f"{name}-capacity-block",
            arn=topic.arn,
            policy=pulumi.Output.all(topic.arn, rule.arn).apply(lambda arns: _topic_policy(arns[0], arns[1])),
            opts=self.child(),
        )
        alarm_when_idle(self, f"{name}-capacity-block-idle", topic.arn, self.reservation_id, self.end, tags)
        aws.cloudwatch.EventTarget(
            f"{name}-capacity-block",
            rule=rule.name,
            # Named by us, a target that Pulumi never heard of is written again; otherwise there would be two of it.
            target_id="capacity-block-notifications",
            arn=topic.arn,
            opts=self.child(),
        )
        if inputs.block.notification_email:
            aws.sns.TopicSubscription(
                f"{name}-capacity-block",
                topic=topic.arn,
                protocol="email",
                endpoint=inputs.block.notification_email,
                opts=self.child(),
            )
        return topic.arn


def _checked(
    reservation_id: str, found: aws.ec2.GetCapacityBlockReservationResult, inputs: CapacityBlockInputs
) -> Reservation:
    reservation = Reservation(
        id=reservation_id,
        reservation_type=found.reservation_type,
        state=found.state,
        instance_type=found.instance_type,
        instance_count=Reservation.size(found.instance_count, found.tags or {}),
        zone=found.availability_zone,
        zone_id=found.availability_zone_id,
        start=datetime.fromisoformat(found.start_date),
        end=datetime.fromisoformat(found.end_date),
    )
    if inputs.succeeded and reservation.is_over(clock.now()):
        return reservation
    problems = reservation_problems(
        reservation,
        instance_type=inputs.instance_type,
        max_size=inputs.max_size,
        zones=inputs.zones,
        now=clock.now(),
        expected=_stated(inputs.block.expect),
    )
    if problems:
        raise pulumi.RunError("\n".join(map(str, problems)))
    return reservation


def _stated(expect: Expectation) -> dict[str, Any]:
    """What the settings state of the reservation, besides its type."""
    return {
        "start": expect.start.isoformat() if expect.start else None,
        "end": expect.end.isoformat() if expect.end else None,
        "zone": expect.zone,
        "instance_count": expect.instance_count,
    }


def _event_pattern(reservation_id: str) -> str:
    return json.dumps(
        {
            "source": ["aws.ec2"],
            "detail-type": list(_EVENTS),
            "detail": {"capacity-reservation-id": [reservation_id]},
        }
    )


def _topic_policy(topic_arn: str, rule_arn: str) -> str:
    """The rule may publish, and the alarms of the account: an alarm names the topic, so the topic cannot name the alarm."""
    account = topic_arn.split(":")[4]
    senders = (
        ("events.amazonaws.com", {"ArnEquals": {"aws:SourceArn": rule_arn}}),
        ("cloudwatch.amazonaws.com", {"StringEquals": {"aws:SourceAccount": account}}),
    )
    statements = [
        {
            "Effect": "Allow",
            "Principal": {"Service": service},
            "Action": "sns:Publish",
            "Resource": topic_arn,
            "Condition": condition,
        }
        for service, condition in senders
    ]
    return json.dumps({"Version": "2012-10-17", "Statement": statements})
