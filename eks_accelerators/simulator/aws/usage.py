"""vCPUs in use by quota, as the metrics of `AWS/Usage` count them."""

from typing import Any

from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.errors import NotSimulatedError
from eks_accelerators.simulator.aws.launches import vcpus_in_use
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.chapters import Chapter

operation = operations_of(Chapter(__doc__, source="CloudWatch user guide, usage metrics."))

NAMESPACE, METRIC, DIMENSION = "AWS/Usage", "ResourceCount", "Class"


def usage_metric(code: str) -> dict[str, Any]:
    """The metric of a quota's usage. Its class is the quota's code here; AWS has words for it."""
    return {
        "MetricNamespace": NAMESPACE,
        "MetricName": METRIC,
        "MetricDimensions": {DIMENSION: code, "Resource": "vCPU", "Service": "EC2", "Type": "Resource"},
        "MetricStatisticRecommendation": "Maximum",
    }


@operation("cloudwatch", "get_metric_data")
def get_metric_data(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """The newest figure of each metric of usage; no other metric is simulated."""
    return {"MetricDataResults": [_result(account, query) for query in parameters["MetricDataQueries"]]}


def _result(account: Backend, query: dict[str, Any]) -> dict[str, Any]:
    metric = query["MetricStat"]["Metric"]
    if (metric["Namespace"], metric["MetricName"]) != (NAMESPACE, METRIC):
        raise NotSimulatedError(f"the metric {metric['Namespace']} {metric['MetricName']} is not simulated")
    code = next(each["Value"] for each in metric["Dimensions"] if each["Name"] == DIMENSION)
    return {"Id": query["Id"], "Values": [float(vcpus_in_use(account, code))], "StatusCode": "Complete"}
