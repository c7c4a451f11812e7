"""Service quotas: what is allowed, what is used, and what the stack needs at its largest size, update included."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from accelerators import instance_types, quotas, system_instance_types
from capacity.asking import Answer, Call
from capacity.asking.call import PascalCase
from capacity.preflight.checks.reserved import every_reservation
from capacity.preflight.inquiry import Inquiry
from capacity.preflight.registry import check
from capacity.preflight.result import Finding, not_known, ok, problem, unknown
from settings.model.node_groups import CapacityType, UpdateStrategy
from settings.resolved import ResolvedNodeGroup

_USAGE = timedelta(hours=3)
"""How far back the newest figure of usage is looked for. CloudWatch has one every five minutes."""


class UsageMetric(PascalCase):
    """The CloudWatch metric of a quota's usage."""

    metric_namespace: str
    metric_name: str
    metric_dimensions: Mapping[str, str]
    metric_statistic_recommendation: str = "Maximum"


class Quota(PascalCase):
    """A quota's value in vCPUs."""

    value: float
    usage_metric: UsageMetric | None = None


class Usage(PascalCase):
    """Figures of a metric, the newest first."""

    id: str
    values: list[float]


class Request(PascalCase):
    """An increase that somebody asked for."""

    desired_value: float
    status: str


class Described(PascalCase):
    """A running instance."""

    instance_type: str
    instance_lifecycle: str | None = None
    capacity_reservation_id: str | None = None


class Launched(PascalCase):
    """Instances that were launched together."""

    instances: list[Described]


@dataclass(slots=True)
class Need:
    """vCPUs that count against one quota. ``parts`` say what they are for, by the path of a setting."""

    vcpus: int = 0
    parts: dict[str, str] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    """Paths of settings whose vCPUs are not known."""

    def add(self, path: str, count: int, kind: str, vcpus: int | None, surge: int = 0) -> None:
        """Add ``count`` instances, and ``surge`` more while they are updated."""
        if vcpus is None:
            self.unknown.append(path)
            return
        self.vcpus += (count + surge) * vcpus
        self.parts[path] = f"{count}{f' + {surge} while updating' if surge else ''} x {kind} ({vcpus} vCPUs)"


def quota(region: str, code: str) -> Call[Quota]:
    """The quota as it applies to the account."""
    parameters = {"ServiceCode": quotas.SERVICE, "QuotaCode": code}
    return Call("service-quotas", "get_service_quota", region, "Quota", Quota, parameters)


def default_quota(region: str, code: str) -> Call[Quota]:
    """The quota of an account that never asked for more."""
    parameters = {"ServiceCode": quotas.SERVICE, "QuotaCode": code}
    return Call("service-quotas", "get_aws_default_service_quota", region, "Quota", Quota, parameters)


def applied(inquiry: Inquiry, code: str) -> Answer[Quota]:
    """The quota's value: the account's own, else AWS's default."""
    answer = inquiry.aws.ask(quota(inquiry.region, code))
    if answer.refusal == "NoSuchResourceException":
        return inquiry.aws.ask(default_quota(inquiry.region, code))
    return answer


@check("quota-on-demand", "nodeGroups")
def quota_on_demand(inquiry: Inquiry) -> Iterator[Finding]:
    """The on-demand quota of each family holds the largest size of all its groups, and what an update adds.

    What runs already counts, except the stack's own nodes. Source: Service Quotas GetServiceQuota, the metric that it names
    in `AWS/Usage`, and DescribeInstances.
    """
    needs: dict[str, Need] = {}
    system = inquiry.settings.system_node_group
    kind = system_instance_types.find(system.instance_types[0])
    surge = _surge(len(inquiry.settings.network.zones), 1, minimal=False)
    needs.setdefault(quotas.standard_on_demand(), Need()).add(
        "systemNodeGroup.size.max", system.size.max, system.instance_types[0], kind.vcpus if kind else None, surge
    )
    for group in inquiry.groups.values():
        code = group.type.quota.on_demand_code
        if group.settings.bought_as is CapacityType.ON_DEMAND and code:
            _add(needs.setdefault(code, Need()), group)
    yield from _held(inquiry, needs, spot=False)


@check("quota-spot", "nodeGroups")
def quota_spot(inquiry: Inquiry) -> Iterator[Finding]:
    """The Spot quota of each family holds the largest size of all its Spot groups. Sources: as for on demand."""
    needs: dict[str, Need] = {}
    for group in inquiry.groups.values():
        if group.settings.bought_as is not CapacityType.SPOT:
            continue
        code = group.type.quota.spot_code
        if code is None:
            found = f"no source gives the code of the Spot quota of {group.type.family}"
            fix = "look for it: aws service-quotas list-service-quotas --service-code ec2"
            yield not_known(f"nodeGroups.{group.name}.capacityType", found, fix)
        else:
            _add(needs.setdefault(code, Need()), group)
    yield from _held(inquiry, needs, spot=True)


@check("quota-capacity-blocks", "capacityBlocks")
def quota_capacity_blocks(inquiry: Inquiry) -> Iterator[Finding]:
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
        answer, reserved = applied(inquiry, code), inquiry.aws.ask(every_reservation(inquiry.region))
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


def _add(need: Need, group: ResolvedNodeGroup) -> None:
    update = group.settings.update
    at_once = (
        update.max_unavailable or -(-group.settings.size.max * (update.max_unavailable_percentage or 0) // 100) or 1
    )
    surge = _surge(len(group.zones), at_once, minimal=group.update_strategy is UpdateStrategy.MINIMAL)
    need.add(f"nodeGroups.{group.name}.size.max", group.settings.size.max, group.type.name, group.type.vcpus, surge)


def _surge(zones: int, max_unavailable: int, *, minimal: bool) -> int:
    return quotas.update_surge(zones=zones, max_unavailable=max_unavailable, minimal=minimal)


def _held(inquiry: Inquiry, needs: Mapping[str, Need], *, spot: bool) -> Iterator[Finding]:
    if not needs:
        return
    own = inquiry.aws.ask(_own_instances(inquiry))
    answers = {code: applied(inquiry, code) for code in needs} if len(needs) == 1 else _all_applied(inquiry, needs)
    metrics = {
        code: each.found.usage_metric for code, each in answers.items() if each.found and each.found.usage_metric
    }
    usage = inquiry.aws.ask(_usage(inquiry, metrics)) if metrics else None
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
        used = _used(usage, code, metrics)
        rests_on = tuple(each for each in (answer, usage, own) if each is not None)
        if used is None or own.failure:
            yield from _without_usage(inquiry, path, code, need, rests_on)
            continue
        others = max(0, used - _vcpus_of_own(own.value, code, spot=spot))
        yield _judged(inquiry, path, code, answer, need.vcpus, others, _told(need), rests_on)


def _all_applied(inquiry: Inquiry, needs: Mapping[str, Need]) -> dict[str, Answer[Quota]]:
    """All at once; those without a value of the account's own are asked for their default."""
    first = dict(zip(needs, inquiry.aws.ask_all(quota(inquiry.region, code) for code in needs), strict=True))
    lacking = [code for code, answer in first.items() if answer.refusal == "NoSuchResourceException"]
    defaults = inquiry.aws.ask_all(default_quota(inquiry.region, code) for code in lacking)
    return {**first, **dict(zip(lacking, defaults, strict=True))}


def _judged(
    inquiry: Inquiry,
    path: str,
    code: str,
    answer: Answer[Quota],
    need: int,
    used: int,
    need_text: str,
    rests_on: tuple[Answer[Any], ...],
) -> Finding:
    allowed = int(answer.value.value)
    found = f"{quotas.name(code)} ({code}) allows {allowed} vCPUs, {used} used by others; {need_text}"
    if allowed - used >= need:
        return ok(path, found, *rests_on)
    pending = inquiry.aws.ask(_requests(inquiry.region, code))
    asked = [each for each in pending.found or () if each.status in ("PENDING", "CASE_OPENED")]
    if asked:
        found += f"; an increase to {int(asked[-1].desired_value)} was asked for and is {asked[-1].status.lower()}"
    return problem(path, found, _increase(inquiry, code, need + used), *rests_on)


def _increase(inquiry: Inquiry, code: str, wanted: int) -> str:
    return (
        f"aws service-quotas request-service-quota-increase --region {inquiry.region} --service-code {quotas.SERVICE} "
        f"--quota-code {code} --desired-value {wanted}"
    )


def _told(need: Need) -> str:
    return f"{', '.join(need.parts.values())} need {need.vcpus}"


def _without_usage(
    inquiry: Inquiry, path: str, code: str, need: Need, rests_on: tuple[Answer[Any], ...]
) -> Iterator[Finding]:
    """A quota that is too low whatever is used is a problem; whether a higher one is enough is unknown."""
    allowed = int(rests_on[0].value.value)
    if allowed < need.vcpus:
        found = f"{quotas.name(code)} ({code}) allows {allowed} vCPUs; {_told(need)}"
        yield problem(path, found, _increase(inquiry, code, need.vcpus), *rests_on)
        return
    found = f"{quotas.name(code)} ({code}) allows {allowed} vCPUs, and how many are used is not known; {_told(need)}"
    failed = next((each.failure.line for each in rests_on if each.failure), "CloudWatch has no figure")
    yield not_known(path, f"{found} ({failed})", "compare them in the console of Service Quotas", *rests_on)


def _usage(inquiry: Inquiry, metrics: Mapping[str, UsageMetric]) -> Call[list[Usage]]:
    queries = [
        {
            "Id": _metric_id(code),
            "MetricStat": {
                "Metric": {
                    "Namespace": metric.metric_namespace,
                    "MetricName": metric.metric_name,
                    "Dimensions": [{"Name": key, "Value": value} for key, value in metric.metric_dimensions.items()],
                },
                "Period": 300,
                "Stat": metric.metric_statistic_recommendation,
            },
        }
        for code, metric in metrics.items()
    ]
    parameters = {"MetricDataQueries": queries, "StartTime": inquiry.now - _USAGE, "EndTime": inquiry.now}
    return Call("cloudwatch", "get_metric_data", inquiry.region, "MetricDataResults", list[Usage], parameters)


def _used(usage: Answer[list[Usage]] | None, code: str, metrics: Mapping[str, UsageMetric]) -> int | None:
    """How many vCPUs run; no figure in the last hours means that none does, no metric that nobody knows."""
    if usage is None or usage.failure or code not in metrics:
        return None
    figures = [value for each in usage.value if each.id == _metric_id(code) for value in each.values]
    return int(figures[0]) if figures else 0


def _metric_id(code: str) -> str:
    return code.lower().replace("-", "_")


def _own_instances(inquiry: Inquiry) -> Call[list[Launched]]:
    filters = [
        {"Name": "tag:stack", "Values": [inquiry.stack]},
        {"Name": "tag:owner", "Values": [inquiry.settings.owner]},
        {"Name": "instance-state-name", "Values": ["pending", "running"]},
    ]
    return Call("ec2", "describe_instances", inquiry.region, "Reservations", list[Launched], {"Filters": filters})


def _vcpus_of_own(launched: list[Launched], code: str, *, spot: bool) -> int:
    kinds = Counter(
        instance.instance_type
        for each in launched
        for instance in each.instances
        if (instance.instance_lifecycle == "spot") is spot and instance.instance_lifecycle != "capacity-block"
    )
    return sum(count * _vcpus(kind, code, spot=spot) for kind, count in kinds.items())


def _vcpus(kind: str, code: str, *, spot: bool) -> int:
    if found := instance_types.find(kind):
        own = found.quota.spot_code if spot else found.quota.on_demand_code
        return found.vcpus if own == code else 0
    plain = system_instance_types.find(kind)
    return plain.vcpus if plain and not spot and code == quotas.standard_on_demand() else 0


def _requests(region: str, code: str) -> Call[list[Request]]:
    parameters = {"ServiceCode": quotas.SERVICE, "QuotaCode": code}
    operation = "list_requested_service_quota_change_history_by_quota"
    return Call("service-quotas", operation, region, "RequestedQuotas", list[Request], parameters)
