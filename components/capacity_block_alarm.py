"""An alarm for the dearest silence: a Capacity Block is active, paid for, and nothing runs in it."""

from datetime import datetime
from typing import Any

import pulumi
import pulumi_aws as aws

from eks_accelerators.accelerators.capacity_blocks import DRAIN_BEFORE_END
from eks_accelerators.components.base import Component

PERIOD_SECONDS, PERIODS = 300, 3
"""EC2 sends figures of a reservation every five minutes: three of them are 15 minutes."""


def alarm_when_idle(
    component: Component[Any],
    name: str,
    topic_arn: pulumi.Input[str],
    reservation_id: pulumi.Input[str],
    end: pulumi.Input[str],
    tags: dict[str, str],
) -> None:
    """An alarm when no instance has run in an active block for 15 minutes, until EKS drains it.

    It sees instances, not nodes: one that runs and has not joined the cluster does not raise it. Source: EC2 User Guide,
    CloudWatch metrics of Capacity Reservations (`AWS/EC2CapacityReservations`), from general knowledge; that EC2 sends them of
    Capacity Blocks too was not tried, and without figures there is no alarm.
    """
    expression = pulumi.Output.from_input(end).apply(_expression)
    aws.cloudwatch.MetricAlarm(
        name,
        alarm_description="A Capacity Block is active, and no instance runs in it",
        comparison_operator="GreaterThanOrEqualToThreshold",
        threshold=1,
        evaluation_periods=PERIODS,
        treat_missing_data="notBreaching",
        alarm_actions=[topic_arn],
        metric_queries=[
            _query("total", "TotalInstanceCount", reservation_id),
            _query("used", "UsedInstanceCount", reservation_id),
            aws.cloudwatch.MetricAlarmMetricQueryArgs(
                id="idle", expression=expression, label="active and idle", return_data=True
            ),
        ],
        tags=tags,
        opts=component.child(),
    )


def _query(
    identifier: str, metric: str, reservation_id: pulumi.Input[str]
) -> "aws.cloudwatch.MetricAlarmMetricQueryArgs":
    return aws.cloudwatch.MetricAlarmMetricQueryArgs(
        id=identifier,
        metric=aws.cloudwatch.MetricAlarmMetricQueryMetricArgs(
            namespace="AWS/EC2CapacityReservations",
            metric_name=metric,
            period=PERIOD_SECONDS,
            stat="Maximum",
            dimensions={"CapacityReservationId": reservation_id},
        ),
    )


def _expression(end: str) -> str:
    """1 where instances are there and none is used. In the last 40 minutes that is as it should be."""
    drain = int((datetime.fromisoformat(end) - DRAIN_BEFORE_END).timestamp())
    return f"IF(total > 0 AND used < 1 AND EPOCH(total) < {drain}, 1, 0)"
