"""The quota of Capacity Blocks: vCPUs of blocks that are active at the same time, by family."""

from collections.abc import Iterable
from datetime import datetime

from eks_accelerators.accelerators import instance_types
from eks_accelerators.capacity.aws_calls import Aws
from eks_accelerators.capacity.blocks.account_reservations import AccountReservation
from eks_accelerators.capacity.service_quotas import applied, increase_command


def quota_problems(
    aws: Aws,
    instance_type: str,
    count: int,
    start: datetime,
    end: datetime,
    held: Iterable[AccountReservation],
    region: str,
) -> list[str]:
    """Why the quota does not allow a block of that size beside those held. Raises `UnansweredError`.

    Empty also for a type whose quota has no known code: then AWS alone knows.
    """
    kind = instance_types.get(instance_type)
    code = kind.quota.capacity_block_code
    if code is None:
        return []
    beside = sum(
        vcpus(block) for block in held if not block.is_over and block.overlaps(start, end) and _code(block) == code
    )
    need, allowed = kind.vcpus * count + beside, applied(aws, region, [code])[code].value.value
    if need <= allowed:
        return []
    others = f", beside blocks of {beside} at that time" if beside else ""
    return [
        f"the quota {code} in {region} allows {allowed:g} vCPUs of Capacity Blocks; {count} x {instance_type} need "
        f"{kind.vcpus * count}{others}. Ask for more: {increase_command(region, code, need)}"
    ]


def vcpus(block: AccountReservation) -> int:
    """VCPUs of a block; 0 where type or size is not known."""
    kind = instance_types.find(block.instance_type)
    return kind.vcpus * (block.count or 0) if kind else 0


def _code(block: AccountReservation) -> str | None:
    kind = instance_types.find(block.instance_type)
    return kind.quota.capacity_block_code if kind else None
