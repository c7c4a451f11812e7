"""CloudWatch alarms, of which moto keeps the tags when they are deleted."""

from typing import Any

from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.chapters import Chapter

operation = operations_of(Chapter(__doc__, source="CloudWatch API (botocore 1.44.5)."))


@operation("cloudwatch", "delete_alarms")
def delete_alarms(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Delete them with their tags: the next of the same name begins without."""
    for alarm in account.moto("cloudwatch", "describe_alarms", {"AlarmNames": parameters["AlarmNames"]})[
        "MetricAlarms"
    ]:
        which = {"ResourceARN": alarm["AlarmArn"]}
        keys = [tag["Key"] for tag in account.moto("cloudwatch", "list_tags_for_resource", which)["Tags"]]
        if keys:
            account.moto("cloudwatch", "untag_resource", {**which, "TagKeys": keys})
    return account.moto("cloudwatch", "delete_alarms", parameters)
