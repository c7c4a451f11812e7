"""How much of a quota is in use, and how much of that by the stack itself."""

from collections import Counter
from collections.abc import Mapping
from datetime import timedelta

from eks_accelerators.accelerators import instance_types, quotas, system_instance_types
from eks_accelerators.capacity.aws_calls import Answer, Call
from eks_accelerators.capacity.aws_calls.call import PascalCase
from eks_accelerators.capacity.preflight.inquiry import Inquiry
from eks_accelerators.capacity.service_quotas import UsageMetric

_USAGE = timedelta(hours=3)
"""How far back the newest figure of usage is looked for. CloudWatch has one every five minutes."""


class Usage(PascalCase):
    """Figures of a metric, the newest first."""

    id: str
    values: list[float]


class DescribedInstance(PascalCase):
    """An instance, as `DescribeInstances` answers it: its type, and how it was bought."""

    instance_type: str
    instance_lifecycle: str | None = None


class Launched(PascalCase):
    """Instances of one launch: a `Reservation` of `DescribeInstances`."""

    instances: list[DescribedInstance]


def usage_call(inquiry: Inquiry, metrics: Mapping[str, UsageMetric]) -> Call[list[Usage]]:
    """The newest figures of the metrics of several quotas, by code."""
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


def used_vcpus(usage: Answer[list[Usage]] | None, code: str, metrics: Mapping[str, UsageMetric]) -> int | None:
    """How many vCPUs run; no figure in the last hours means that none does, no metric that nobody knows."""
    if usage is None or usage.failure or code not in metrics:
        return None
    figures = [value for each in usage.value if each.id == _metric_id(code) for value in each.values]
    return int(figures[0]) if figures else 0


def own_instances_call(inquiry: Inquiry) -> Call[list[Launched]]:
    """The running instances of the stack, by its tags."""
    filters = [
        {"Name": "tag:stack", "Values": [inquiry.stack]},
        {"Name": "tag:owner", "Values": [inquiry.settings.owner]},
        {"Name": "instance-state-name", "Values": ["pending", "running"]},
    ]
    return Call("ec2", "describe_instances", inquiry.region, "Reservations", list[Launched], {"Filters": filters})


def vcpus_of(launched: list[Launched], code: str, *, spot: bool) -> int:
    """How many vCPUs of them count against a quota. Those of a Capacity Block count against none of these."""
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


def _metric_id(code: str) -> str:
    return code.lower().replace("-", "_")
