"""The launch of instances for scaling groups, and why EC2 has none to give.

A launch that fails is no refusal of the operation that wanted it: the group keeps why, and its node group shows it. Where a zone
has no capacity, another zone of the group is tried.
"""

import hashlib
import ipaddress
from collections.abc import Sequence
from typing import Any

from eks_accelerators.accelerators import instance_types, system_instance_types
from eks_accelerators.simulator.aws import scaling_activities
from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.capacity_blocks import TERMINATED_BEFORE_END, state_of
from eks_accelerators.simulator.aws.errors import AwsError
from eks_accelerators.simulator.aws.model import InstanceRecord, ScalingGroup
from eks_accelerators.simulator.aws.refusals import ApiRefusal
from eks_accelerators.simulator.chapters import Chapter

CHAPTER = Chapter(
    __doc__,
    source="EC2 API error codes; EKS user guide `capacity-blocks-mng`; read 2026-11-20. A zone that has no capacity: EC2 Auto Scaling "
    "user guide `ec2-auto-scaling-availability-zone-balanced`, balanced best effort, the default; read 2026-11-22.",
)

_STANDARD_QUOTA = "L-1216C47A"
"""Running On-Demand Standard instances. Source: EC2 instance types guide `ec2-instance-quotas`."""
NO_CAPACITY = ApiRefusal(
    "InsufficientInstanceCapacity",
    "We currently do not have sufficient {instance_type} capacity in the Availability Zone you requested ({zone}).",
)
OVER_QUOTA = ApiRefusal(
    "VcpuLimitExceeded",
    "You have requested more vCPU capacity than your current vCPU limit of {limit} allows for the instance "
    "bucket that the specified instance type belongs to ({code}; {used} in use, {instance_type} needs "
    "{vcpus}).",
)
BLOCK_GONE = ApiRefusal("InvalidCapacityReservationId.NotFound", "'{reservation}' does not exist.")
BLOCK_NOT_ACTIVE = ApiRefusal(
    "InvalidCapacityReservationState", "The Capacity Block {reservation} is {state} (starts {start} UTC)."
)
BLOCK_ENDS = ApiRefusal(
    "InvalidCapacityReservationState", "The Capacity Block {reservation} ends {end} UTC; EC2 terminates its instances."
)
BLOCK_ELSEWHERE = ApiRefusal("InvalidParameterValue", "{reservation} is in {zone}, the subnet in {subnet_zone}.")
BLOCK_FULL = ApiRefusal("ReservationCapacityExceeded", "All {count} instances of {reservation} are in use.")

FAILURES = (
    NO_CAPACITY,
    OVER_QUOTA,
    BLOCK_GONE,
    BLOCK_NOT_ACTIVE,
    BLOCK_ENDS,
    BLOCK_ELSEWHERE,
    BLOCK_FULL,
)
"""Everything that a launch fails with."""


def settle(account: Backend) -> None:
    """Launch and terminate until every group has the instances it wants, as far as EC2 has them."""
    for group in account.state.scaling_groups():
        for instance in group.instances[max(group.desired, 0) :]:
            scaling_activities.terminated(account.state, group, instance.id)
        del group.instances[max(group.desired, 0) :]
        before, group.failure = group.failure, None
        while len(group.instances) < group.desired and not group.invalid:
            try:
                group.instances.append(_launch(account, group))
                scaling_activities.launched(account.state, group, group.instances[-1].id)
            except AwsError as error:
                group.failure = f"{error.code}: {error.message}"
                scaling_activities.failed(account.state, group, group.failure, is_new=group.failure != before)
                if group.failure != before:
                    account.state.happened.append(
                        (account.state.now, f"node group {group.node_group}: {group.failure}")
                    )
                break


def replace_instances(account: Backend, group: ScalingGroup) -> None:
    """Other instances in place of all that run, as a rolling update leaves them."""
    group.instances.clear()
    settle(account)


def _launch(account: Backend, group: ScalingGroup) -> InstanceRecord:
    refusals: list[AwsError] = []
    subnets = account.moto("ec2", "describe_subnets", {"SubnetIds": group.subnet_ids})["Subnets"]
    by_id = {subnet["SubnetId"]: subnet for subnet in subnets}
    for kind in group.instance_types:
        for offset in range(len(group.subnet_ids)):
            subnet = by_id[group.subnet_ids[(len(group.instances) + offset) % len(group.subnet_ids)]]
            try:
                if group.reservation_id and group.capacity_type == "CAPACITY_BLOCK":
                    _check_block(account, group, subnet)
                else:
                    check_capacity(account, kind, group.capacity_type, subnet["AvailabilityZone"])
            except AwsError as error:
                refusals.append(error)
                continue
            group.launched += 1
            _tell_of_another(account, group, refusals, subnet["AvailabilityZone"])
            return instance_in(account, subnet, kind, f"{group.name}/{group.launched}", group.reservation_id)
    raise refusals[0]


def _tell_of_another(account: Backend, group: ScalingGroup, refusals: Sequence[AwsError], zone: str) -> None:
    """Say that EC2 had no capacity elsewhere, where a launch has found some in ``zone``."""
    short = next((each for each in refusals if each.code == NO_CAPACITY.code), None)
    if short is not None:
        what = f"node group {group.node_group}: {short.code}: {short.message} Launched in {zone}."
        account.state.happened.append((account.state.now, what))


def check_capacity(account: Backend, kind: str, capacity_type: str, zone: str) -> None:
    """Refuse an instance, bought as ON_DEMAND or SPOT, of which EC2 has none or that a quota does not allow."""
    if any(short == kind and place in (None, zone) for short, place in account.state.without_capacity):
        raise NO_CAPACITY(instance_type=kind, zone=zone)
    code, vcpus = _quota(kind, capacity_type)
    limit = account.state.quotas.get(code) if code else None
    if limit is None:
        return
    used = vcpus_in_use(account, code)
    if used + vcpus > limit:
        raise OVER_QUOTA(limit=limit, code=code, used=used, instance_type=kind, vcpus=vcpus)


def vcpus_in_use(account: Backend, code: str | None) -> int:
    """How many vCPUs of all running instances that count against a quota."""
    return sum(
        _quota(instance.instance_type, capacity_type)[1]
        for capacity_type, instance in account.state.running()
        if _quota(instance.instance_type, capacity_type)[0] == code
    )


def _check_block(account: Backend, group: ScalingGroup, subnet: dict[str, Any]) -> None:
    block = account.state.blocks.get(group.reservation_id or "")
    if block is None:
        raise BLOCK_GONE(reservation=group.reservation_id)
    state = state_of(block, account.state.now)
    if state != "active":
        raise BLOCK_NOT_ACTIVE(reservation=block.id, state=state, start=f"{block.start:%Y-%m-%d %H:%M}")
    if account.state.now >= block.end - TERMINATED_BEFORE_END:
        raise BLOCK_ENDS(reservation=block.id, end=f"{block.end:%Y-%m-%d %H:%M}")
    if subnet["AvailabilityZone"] != block.zone:
        raise BLOCK_ELSEWHERE(reservation=block.id, zone=block.zone, subnet_zone=subnet["AvailabilityZone"])
    used = sum(i.reservation_id == block.id for other in account.state.scaling_groups() for i in other.instances)
    if used >= block.instance_count:
        raise BLOCK_FULL(count=block.instance_count, reservation=block.id)


def _quota(kind: str, capacity_type: str) -> tuple[str | None, int]:
    """Quota code and vCPUs of an instance; the code is None where none is known."""
    found = instance_types.find(kind)
    if found is None:
        system = system_instance_types.find(kind)
        return _STANDARD_QUOTA, system.vcpus if system else 0
    quota = found.quota
    return (quota.spot_code if capacity_type == "SPOT" else quota.on_demand_code), found.vcpus


def instance_in(
    account: Backend, subnet: dict[str, Any], kind: str, launch: str, reservation_id: str | None = None
) -> InstanceRecord:
    """An instance at the first free address of a subnet; its ID follows from ``launch``, a name of its launch alone."""
    taken = {each.private_ip for _, each in account.state.running() if each.subnet_id == subnet["SubnetId"]}
    network = ipaddress.ip_network(subnet["CidrBlock"])
    # AWS keeps the first four addresses of a subnet and the last.
    candidates = (str(network[number]) for number in range(4, network.num_addresses - 1))
    return InstanceRecord(
        id=f"i-{hashlib.sha256(launch.encode()).hexdigest()[:17]}",
        instance_type=kind,
        subnet_id=subnet["SubnetId"],
        zone=subnet["AvailabilityZone"],
        zone_id=subnet["AvailabilityZoneId"],
        private_ip=next(address for address in candidates if address not in taken),
        launched=account.state.now,
        reservation_id=reservation_id,
    )
