"""Service quotas of EC2 as they apply to the account, and how to ask for more."""

from collections.abc import Iterable, Mapping

from eks_accelerators.accelerators import quotas
from eks_accelerators.capacity.aws_calls import Answer, Aws, Call
from eks_accelerators.capacity.aws_calls.call import PascalCase


class UsageMetric(PascalCase):
    """The CloudWatch metric of a quota's usage."""

    metric_namespace: str
    metric_name: str
    metric_dimensions: Mapping[str, str]
    metric_statistic_recommendation: str = "Maximum"


class QuotaAnswer(PascalCase):
    """A quota, as Service Quotas answers it: its value in vCPUs, and the metric of its usage if it has one."""

    value: float
    usage_metric: UsageMetric | None = None


def quota_call(region: str, code: str) -> Call[QuotaAnswer]:
    """The account's own value; refused where nobody ever asked for one."""
    return Call("service-quotas", "get_service_quota", region, "Quota", QuotaAnswer, _named(code))


def default_call(region: str, code: str) -> Call[QuotaAnswer]:
    """The value of an account that never asked for more."""
    return Call("service-quotas", "get_aws_default_service_quota", region, "Quota", QuotaAnswer, _named(code))


def applied(aws: Aws, region: str, codes: Iterable[str]) -> dict[str, Answer[QuotaAnswer]]:
    """What each of the quotas allows, by code: the account's own value, else AWS's default."""
    listed = list(codes)
    own = dict(zip(listed, aws.ask_all(quota_call(region, code) for code in listed), strict=True))
    lacking = [code for code, answer in own.items() if answer.refusal == "NoSuchResourceException"]
    defaults = aws.ask_all(default_call(region, code) for code in lacking)
    return {**own, **dict(zip(lacking, defaults, strict=True))}


def increase_command(region: str, code: str, wanted: int) -> str:
    """The command that asks AWS for more."""
    return (
        f"aws service-quotas request-service-quota-increase --region {region} --service-code {quotas.SERVICE} "
        f"--quota-code {code} --desired-value {wanted}"
    )


def _named(code: str) -> dict[str, str]:
    return {"ServiceCode": quotas.SERVICE, "QuotaCode": code}
