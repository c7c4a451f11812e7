"""Quotas of EC2, as Service Quotas answers them."""

from typing import Any

from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.model import ACCOUNT_ID
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.aws.refusals import ApiRefusal
from eks_accelerators.simulator.aws.usage import usage_metric
from eks_accelerators.simulator.chapters import Chapter

operation = operations_of(Chapter(__doc__, source="Service Quotas API, GetServiceQuota (botocore 1.44.5)."))

UNLIMITED = 1_000_000
"""vCPUs of a quota that nobody has set: the account is assumed to have enough."""

NO_SERVICE = ApiRefusal("NoSuchResourceException", "The request failed because the specified service does not exist.")


@operation("service-quotas", "get_service_quota", refusals=(NO_SERVICE,))
def get_service_quota(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """A quota of EC2 by its code."""
    code = parameters["QuotaCode"]
    if parameters["ServiceCode"] != "ec2":
        raise NO_SERVICE()
    arn = f"arn:aws:servicequotas:{account.state.region}:{ACCOUNT_ID}:ec2/{code}"
    value = float(account.state.quotas.get(code, UNLIMITED))
    return {
        "Quota": {
            "ServiceCode": "ec2",
            "ServiceName": "Amazon Elastic Compute Cloud (Amazon EC2)",
            "QuotaArn": arn,
            "QuotaCode": code,
            "QuotaName": code,
            "Value": value,
            "Unit": "None",
            "Adjustable": True,
            "GlobalQuota": False,
            "UsageMetric": usage_metric(code),
        }
    }
