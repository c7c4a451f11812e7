"""The reservation of each Capacity Block."""

from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise

from eks_accelerators.accelerators.capacity_blocks import (
    DRAIN_BEFORE_END,
    Reservation,
    has_drained,
    reservation_problems,
)
from eks_accelerators.capacity.aws_calls import Answer
from eks_accelerators.capacity.preflight.checks.capacity_reservations import Reserved, every_reservation
from eks_accelerators.capacity.preflight.inquiry import Inquiry
from eks_accelerators.capacity.preflight.registry import check
from eks_accelerators.capacity.preflight.result import CheckFinding, ok, problem, warning
from eks_accelerators.settings.model.capacity_blocks import CapacityBlockSettings
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup


@check("capacity-block-reservation", "capacityBlocks")
def capacity_block_reservation(inquiry: Inquiry) -> Iterator[CheckFinding]:
    """The reservation is a Capacity Block that is paid for, of the type and size of its node group, in a zone of the
    network, and not about to end.

    A block that has not begun reports no capacity: its size is in a tag. Sources: EC2 User Guide
    `capacity-blocks-view`; EKS user guide `capacity-blocks-mng`; DescribeCapacityReservations.
    """
    named = {name: block for name, block in inquiry.settings.capacity_blocks.items() if block.reservation_id}
    if not named:
        return
    answer = inquiry.aws.ask(every_reservation(inquiry.region))
    there = {each.capacity_reservation_id: each for each in answer.value}
    for name, block in named.items():
        path, found = f"capacityBlocks.{name}.reservationId", there.get(str(block.reservation_id))
        if found is None or found.end is None:
            missing = f"this account has no Capacity Block {block.reservation_id} in {inquiry.region}"
            fix = "name a reservation of this account and region: `accel blocks list`"
            yield problem(path, missing, fix, answer)
            continue
        users = [group for group in inquiry.groups.values() if name in group.settings.blocks]
        if has_drained(found.end, inquiry.now) and any(group.settings.blocks[-1] != name for group in users):
            yield ok(path, f"{_told(found)}; the next block takes over", answer)
            continue
        findings = [each for group in users for each in _unsuitable(inquiry, path, block, found, group, answer)]
        yield from findings
        if not findings:
            yield ok(path, _told(found), answer)


@check("capacity-block-rotation-times", "nodeGroups")
def capacity_block_rotation_times(inquiry: Inquiry) -> Iterator[CheckFinding]:
    """Blocks that follow each other on a node group do not overlap, lie in one zone, and leave no gap that nobody knows of.

    Another zone replaces the node group. A gap is told as it is: nodes are gone until the next block begins. Source:
    DescribeCapacityReservations.
    """
    groups = [group for group in inquiry.groups.values() if len(group.settings.blocks) > 1]
    if not groups:
        return
    answer = inquiry.aws.ask(every_reservation(inquiry.region))
    there = {each.capacity_reservation_id: each for each in answer.value}
    for group in groups:
        ids = [inquiry.settings.capacity_blocks[name].reservation_id for name in group.settings.blocks]
        for index, (one, other) in enumerate(pairwise(ids)):
            before, after = there.get(str(one)), there.get(str(other))
            if before is None or after is None or before.end is None:
                continue  # capacity-block-reservation tells it
            path = f"nodeGroups.{group.name}.nextCapacityBlocks[{index}]"
            if after.start < before.end:
                found = (
                    f"{other} begins {after.start:%Y-%m-%d %H:%M}, before {one} ends ({before.end:%Y-%m-%d %H:%M} UTC)"
                )
                yield problem(path, found, "put the blocks in the order of their times, or on two node groups", answer)
            elif after.availability_zone_id != before.availability_zone_id:
                found = f"{other} is in {after.availability_zone}, {one} in {before.availability_zone}"
                yield warning(path, found, "expect a new node group when it takes over", answer)
            else:
                gap = after.start - before.end
                told = f"{gap} after {one} ends" if gap else f"when {one} ends"
                yield ok(path, f"{other} begins {told}", answer)


@check("capacity-block-scheduled-scaling", "nodeGroups")
def capacity_block_scheduled_scaling(inquiry: Inquiry) -> Iterator[CheckFinding]:
    """No scheduled action of one's own sets a size in the last 40 minutes of a block, when EKS scales to zero itself.

    Source: EKS user guide `capacity-blocks-mng`.
    """
    groups = [group for group in inquiry.groups.values() if group.settings.capacity_block]
    timed = [(group, action) for group in groups for action in group.settings.scheduled_scaling if action.start_time]
    if not timed:
        return
    answer = inquiry.aws.ask(every_reservation(inquiry.region))
    ends = {each.capacity_reservation_id: each.end for each in answer.value}
    for group, action in timed:
        block = inquiry.settings.capacity_blocks.get(group.settings.blocks[-1])
        end = ends.get((block.reservation_id if block else None) or "")
        at = datetime.fromisoformat(str(action.start_time))
        index = group.settings.scheduled_scaling.index(action)
        path = f"nodeGroups.{group.name}.scheduledScaling[{index}].startTime"
        if end and at > end - DRAIN_BEFORE_END:
            found = f"{action.name} at {at:%Y-%m-%d %H:%M} UTC is inside the last 40 minutes of the block, or after it"
            yield problem(path, found, f"set it before {end - DRAIN_BEFORE_END:%Y-%m-%dT%H:%M:%SZ}", answer)
        elif end:
            yield ok(path, f"{action.name} is due before EKS drains the block", answer)


def _unsuitable(
    inquiry: Inquiry,
    path: str,
    block: CapacityBlockSettings,
    found: Reserved,
    group: ResolvedNodeGroup,
    answer: Answer[list[Reserved]],
) -> Iterator[CheckFinding]:
    assert found.end is not None
    expect = block.expect
    for each in reservation_problems(
        Reservation(
            id=found.capacity_reservation_id,
            reservation_type=found.reservation_type,
            state=found.state,
            instance_type=found.instance_type,
            instance_count=found.size,
            zone=found.availability_zone,
            zone_id=found.availability_zone_id,
            start=found.start,
            end=found.end,
        ),
        instance_type=group.type.name,
        max_size=group.settings.size.max,
        zones=inquiry.settings.network.zones,
        now=inquiry.now,
        expected={
            "start": expect.start.isoformat() if expect.start else None,
            "end": expect.end.isoformat() if expect.end else None,
            "zone": expect.zone,
            "instance_count": expect.instance_count,
        },
    ):
        yield problem(path, each.found, each.fix, answer)


def _told(found: Reserved) -> str:
    return (
        f"{found.capacity_reservation_id} is {found.state}: {found.size} x {found.instance_type} in "
        f"{found.availability_zone} ({found.availability_zone_id}), {found.start:%Y-%m-%d %H:%M} to "
        f"{found.end:%Y-%m-%d %H:%M} UTC"
    )
