"""What is set on the scaling group that EKS makes for a node group: tags and scheduled sizes."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pulumi
import pulumi_aws as aws

from eks_accelerators.accelerators import clock
from eks_accelerators.accelerators.autoscaler import OWN_TAG, PREFIX, node_template_tags
from eks_accelerators.components.base import Component
from eks_accelerators.components.wiring import CapacityBlockRef
from eks_accelerators.settings.model.node_autoscaling import NodeAutoscaler
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup

_UNCHANGED = -1
"""Leaves a size as it is."""


def tag_for_autoscaler(
    component: Component[Any], name: str, group: ResolvedNodeGroup, scaling_group: pulumi.Output[str]
) -> None:
    """Tags from which Cluster Autoscaler learns what a node of an empty group would be, and that it may touch the group.

    What it would be is said of every group: whoever runs an autoscaler of their own has it find what they want.
    """
    tags = node_template_tags(group.labels, group.taints, group.template_resources)
    if group.settings.autoscaler is NodeAutoscaler.CLUSTER_AUTOSCALER:
        tags[OWN_TAG] = "true"
    for key, value in tags.items():
        aws.autoscaling.Tag(
            f"{name}-{key.removeprefix(PREFIX)}",
            autoscaling_group_name=scaling_group,
            tag=aws.autoscaling.TagTagArgs(key=key, value=value, propagate_at_launch=False),
            opts=component.child(),
        )


def schedule_sizes(
    component: Component[Any], name: str, group: ResolvedNodeGroup, scaling_group: pulumi.Output[str]
) -> None:
    """The sizes that the settings want at a time of day."""
    for action in group.settings.scheduled_scaling:
        aws.autoscaling.Schedule(
            f"{name}-{action.name}",
            scheduled_action_name=action.name,
            autoscaling_group_name=scaling_group,
            recurrence=action.recurrence,
            start_time=action.start_time,
            min_size=_UNCHANGED if action.min is None else action.min,
            desired_capacity=_UNCHANGED if action.desired is None else action.desired,
            max_size=_UNCHANGED if action.max is None else action.max,
            opts=component.child(),
        )


def schedule_block_start(
    component: Component[Any],
    name: str,
    group: ResolvedNodeGroup,
    scaling_group: pulumi.Output[str],
    block: CapacityBlockRef,
) -> None:
    """All nodes at the start of a Capacity Block. Nothing at its end: EKS scales down by itself."""
    aws.autoscaling.Schedule(
        f"{name}-capacity-block-start",
        scheduled_action_name="capacity-block-start",
        autoscaling_group_name=scaling_group,
        start_time=pulumi.Output.from_input(block["start"]).apply(_not_in_the_past),
        min_size=_UNCHANGED,
        desired_capacity=group.settings.size.max,
        max_size=_UNCHANGED,
        opts=component.child(
            # The action runs once: its time computed again may not touch one that has run, as Auto Scaling refuses a
            # time in the past. Another block has another start. And it fails where it asks for more nodes than the
            # group may have, so that another size is another action.
            ignore_changes=["startTime", "desiredCapacity"],
            replacement_trigger=pulumi.Output.all(block["reservation_id"], group.settings.size.max),
            delete_before_replace=True,  # both have the same name on the scaling group
        ),
    )


def _not_in_the_past(start: str) -> str:
    """Auto Scaling takes no action in the past: a block that has begun is scaled up in five minutes."""
    wanted = datetime.fromisoformat(start).astimezone(UTC)
    soon = clock.now() + timedelta(minutes=5)
    return max(wanted, soon).strftime("%Y-%m-%dT%H:%M:%SZ")
