"""Service quotas: what is allowed, what is used, and what the stack needs at its largest size, update included."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from eks_accelerators.accelerators import instance_types, quotas, system_instance_types
from eks_accelerators.capacity.aws_calls import Answer, Call
from eks_accelerators.capacity.aws_calls.call import PascalCase
from eks_accelerators.capacity.preflight.checks.capacity_reservations import every_reservation
from eks_accelerators.capacity.preflight.inquiry import Inquiry
from eks_accelerators.capacity.preflight.quota_need import QuotaNeed, add_group
from eks_accelerators.capacity.preflight.quota_usage import own_instances_call, usage_call, used_vcpus, vcpus_of
from eks_accelerators.capacity.preflight.registry import check
from eks_accelerators.capacity.preflight.result import CheckFinding, not_known, ok, problem, unknown
from eks_accelerators.capacity.service_quotas import QuotaAnswer, applied, increase_command
from eks_accelerators.settings.model.node_groups import CapacityType


class Request(PascalCase):
    """An increase that somebody asked for."""

    desired_value: float
    status: str


@check("quota-on-demand", "nodeGroups")
def quota_on_demand(inquiry: Inquiry) -> Iterator[CheckFinding]:
    """The on-demand quota of each family holds the largest size of all its groups, and what an update adds.

    What runs already counts, except the stack's own nodes. Source: Service Quotas GetServiceQuota, the metric that it names
    in `AWS/Usage`, and DescribeInstances.
    """
    needs: dict[str, QuotaNeed] = {}
    system = inquiry.settings.system_node_group
    kind = system_instance_types.find(system.instance_types[0])
    surge = quotas.update_surge(zones=len(inquiry.settings.network.zones), max_unavailable=1, minimal=False)
    needs.setdefault(quotas.standard_on_demand(), QuotaNeed()).add(
        "systemNodeGroup.size.max", system.size.max, system.instance_types[0], kind.vcpus if kind else None, surge
    )
    for group in inquiry.groups.values():
        code = group.type.quota.on_demand_code
        if group.settings.bought_as is CapacityType.ON_DEMAND and code:
            add_group(needs.setdefault(code, QuotaNeed()), group)
    yield from _held(inquiry, needs, spot=False)


@check("quota-spot", "nodeGroups")
def quota_spot(inquiry: Inquiry) -> Iterator[CheckFinding]:
    """The Spot quota of each family holds the largest size of all its Spot groups. Sources: as for on demand."""
    needs: dict[str, QuotaNeed] = {}
    for group in inquiry.groups.values():
        if group.settings.bought_as is not CapacityType.SPOT:
            continue
        code = group.type.quota.spot_code
        if code is None:
            found = f"no source gives the code of the Spot quota of {group.type.family}"
            fix = "look for it: aws service-quotas list-service-quotas --service-code ec2"
            yield not_known(f"nodeGroups.{group.name}.capacityType", found, fix)
        else:
            add_group(needs.setdefault(code, QuotaNeed()), group)
    yield from _held(inquiry, needs, spot=True)


@check("quota-capacity-blocks", "capacityBlocks")
def quota_capacity_blocks(inquiry: Inquiry) -> Iterator[CheckFinding]:
    """The quota of concurrent Capacity Blocks holds a block that is to be bought, beside those that overlap it.

    A block that was bought has passed it. Sources: EC2 User Guide `capacity-blocks-how`; Service Quotas
    GetServiceQuota; DescribeCapacityReservations.
    """
    for name, block in inquiry.settings.capacity_blocks.items():
        purchase = block.purchase
        kind = instance_types.find(purchase.instance_type) if purchase else None
        if purchase is None or kind is None:
            continue
        path, code = f"capacityBlocks.{name}.purchase", kind.quota.capacity_block_code
        if code is None:
            found = f"no source gives the code of the quota of {kind.family} Capacity Blocks"
            yield not_known(path, found, "look for it: aws service-quotas list-service-quotas --service-code ec2")
            continue
        inquiry.aws.begin(every_reservation(inquiry.region))
        answer = applied(inquiry.aws, inquiry.region, [code])[code]
        reserved = inquiry.aws.ask(every_reservation(inquiry.region))
        if answer.failure or reserved.failure:
            yield unknown(path, answer, reserved)
            continue
        end = purchase.start + timedelta(hours=purchase.duration_hours)
        used = sum(
            (each.size or 0) * other.vcpus
            for each in reserved.value
            if each.reservation_type == "capacity-block"
            and each.state in ("active", "scheduled", "payment-pending")
            and (other := instance_types.find(each.instance_type))
            and other.quota.capacity_block_code == code
            and each.start < end
            and (each.end is None or each.end > purchase.start)
        )
        need = purchase.instance_count * kind.vcpus
        need_text = f"{purchase.instance_count} x {kind.name} need {need}"
        yield _judged(inquiry, path, code, answer, need, used, need_text, (answer, reserved))


def _held(inquiry: Inquiry, needs: Mapping[str, QuotaNeed], *, spot: bool) -> Iterator[CheckFinding]:
    if not needs:
        return
    inquiry.aws.begin(own_instances_call(inquiry))
    answers = applied(inquiry.aws, inquiry.region, needs)
    metrics = {
        code: each.found.usage_metric for code, each in answers.items() if each.found and each.found.usage_metric
    }
    usage = inquiry.aws.ask(usage_call(inquiry, metrics)) if metrics else None
    own = inquiry.aws.ask(own_instances_call(inquiry))
    for code, need in needs.items():
        answer, path = answers[code], next(iter(need.parts), next(iter(need.unknown), "nodeGroups"))
        for each in need.unknown:
            yield not_known(
                each, "the vCPUs of this instance type are not known here", "use a type of the table", answer
            )
        if answer.failure:
            yield unknown(path, answer)
            continue
        if not need.parts:
            continue
        used = used_vcpus(usage, code, metrics)
        rests_on = tuple(each for each in (answer, usage, own) if each is not None)
        if used is None or own.failure:
            yield from _without_usage(inquiry, path, code, need, rests_on)
            continue
        others = max(0, used - vcpus_of(own.value, code, spot=spot))
        yield _judged(inquiry, path, code, answer, need.vcpus, others, need.told, rests_on)


def _judged(
    inquiry: Inquiry,
    path: str,
    code: str,
    answer: Answer[QuotaAnswer],
    need: int,
    used: int,
    need_text: str,
    rests_on: tuple[Answer[Any], ...],
) -> CheckFinding:
    allowed = int(answer.value.value)
    found = f"{quotas.name(code)} ({code}) allows {allowed} vCPUs, {used} used by others; {need_text}"
    if allowed - used >= need:
        return ok(path, found, *rests_on)
    pending = inquiry.aws.ask(_requests(inquiry.region, code))
    asked = [each for each in pending.found or () if each.status in ("PENDING", "CASE_OPENED")]
    if asked:
        found += f"; an increase to {int(asked[-1].desired_value)} was asked for and is {asked[-1].status.lower()}"
    return problem(path, found, increase_command(inquiry.region, code, need + used), *rests_on)


def _without_usage(
    inquiry: Inquiry, path: str, code: str, need: QuotaNeed, rests_on: tuple[Answer[Any], ...]
) -> Iterator[CheckFinding]:
    """A quota that is too low whatever is used is a problem; whether a higher one is enough is unknown."""
    allowed = int(rests_on[0].value.value)
    if allowed < need.vcpus:
        found = f"{quotas.name(code)} ({code}) allows {allowed} vCPUs; {need.told}"
        yield problem(path, found, increase_command(inquiry.region, code, need.vcpus), *rests_on)
        return
    found = f"{quotas.name(code)} ({code}) allows {allowed} vCPUs, and how many are used is not known; {need.told}"
    failed = next((each.failure.line for each in rests_on if each.failure), "CloudWatch has no figure")
    yield not_known(path, f"{found} ({failed})", "compare them in the console of Service Quotas", *rests_on)


def _requests(region: str, code: str) -> Call[list[Request]]:
    parameters = {"ServiceCode": quotas.SERVICE, "QuotaCode": code}
    operation = "list_requested_service_quota_change_history_by_quota"
    return Call("service-quotas", operation, region, "RequestedQuotas", list[Request], parameters)
