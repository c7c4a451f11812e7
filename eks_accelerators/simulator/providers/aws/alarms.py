"""CloudWatch alarms: a silence that should be heard of."""

from typing import Any

from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.providers.aws import tags
from eks_accelerators.simulator.providers.calls import Calls
from eks_accelerators.simulator.providers.kind import Created, Kind
from eks_accelerators.simulator.providers.resource_facts import ONE_CALL, Permissions, ResourceFacts
from eks_accelerators.simulator.providers.values import observed

CHAPTER = Chapter(
    __doc__,
    source=("pulumi-aws 7.51, documentation of its resources; CloudWatch API (botocore 1.44.5); read 2026-11-21."),
)

_NAMES = {
    "actionsEnabled": "ActionsEnabled",
    "alarmActions": "AlarmActions",
    "alarmDescription": "AlarmDescription",
    "comparisonOperator": "ComparisonOperator",
    "evaluationPeriods": "EvaluationPeriods",
    "threshold": "Threshold",
    "treatMissingData": "TreatMissingData",
}


class MetricAlarmKind(Kind):
    """`aws.cloudwatch.MetricAlarm` over metric queries, whose ID is its name. No metric is simulated: it stays silent."""

    token = "aws:cloudwatch/metricAlarm:MetricAlarm"
    properties = frozenset({*_NAMES, "metricQueries", "name", "tags"})
    inside = {
        "metricQueries": frozenset({"expression", "id", "label", "metric", "returnData"}),
        "metricQueries.metric": frozenset({"dimensions", "metricName", "namespace", "period", "stat"}),
    }
    changeable = frozenset({*_NAMES, "metricQueries", "tags"})
    name_property = "name"
    longest_name = 255
    calls = frozenset(
        {
            "cloudwatch.delete_alarms",
            "cloudwatch.describe_alarms",
            "cloudwatch.list_tags_for_resource",
            "cloudwatch.put_metric_alarm",
            "cloudwatch.tag_resource",
            "cloudwatch.untag_resource",
        }
    )
    facts = ResourceFacts(
        called="notices",
        replacing=("name",),
        scope="alarms",
        permissions=(Permissions("any", ("cloudwatch:DescribeAlarms",)),),
        durations=ONE_CALL,
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        self._put(aws, inputs, with_tags=True)
        return Created(inputs["name"], {"arn": self._found(aws, inputs["name"])["AlarmArn"]})

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        alarms = aws.call("cloudwatch", "describe_alarms", AlarmNames=[identifier])["MetricAlarms"]
        if not alarms:
            return None
        listed = aws.call("cloudwatch", "list_tags_for_resource", ResourceARN=alarms[0]["AlarmArn"])["Tags"]
        return {
            **{name: alarms[0].get(key) for name, key in _NAMES.items() if name in state},
            # What AWS fills in, such as `returnData`, is no drift.
            "metricQueries": observed(state["metricQueries"], [_property(query) for query in alarms[0]["Metrics"]]),
            "tags": tags.mapping(listed),
        }

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        self._put(aws, new, with_tags=False)
        arn = self._found(aws, identifier)["AlarmArn"]
        tags.retag_by_arn(aws, "cloudwatch", arn, old, new)
        return {}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("cloudwatch", "delete_alarms", AlarmNames=[identifier])

    @staticmethod
    def _found(aws: Calls, name: str) -> dict[str, Any]:
        found: dict[str, Any] = aws.call("cloudwatch", "describe_alarms", AlarmNames=[name])["MetricAlarms"][0]
        return found

    @staticmethod
    def _put(aws: Calls, inputs: dict[str, Any], *, with_tags: bool) -> None:
        wanted = {key: inputs[name] for name, key in _NAMES.items() if inputs.get(name) is not None}
        wanted["EvaluationPeriods"] = int(wanted["EvaluationPeriods"])
        aws.call(
            "cloudwatch",
            "put_metric_alarm",
            AlarmName=inputs["name"],
            Metrics=[_query(query) for query in inputs["metricQueries"]],
            **wanted,
            **({"Tags": tags.pairs(inputs.get("tags") or {})} if with_tags else {}),
        )


def _query(wanted: dict[str, Any]) -> dict[str, Any]:
    query: dict[str, Any] = {"Id": wanted["id"], "ReturnData": bool(wanted.get("returnData", False))}
    for name, key in (("expression", "Expression"), ("label", "Label")):
        if wanted.get(name):
            query[key] = wanted[name]
    if metric := wanted.get("metric"):
        dimensions = [{"Name": key, "Value": value} for key, value in (metric.get("dimensions") or {}).items()]
        query["MetricStat"] = {
            "Metric": {"Namespace": metric["namespace"], "MetricName": metric["metricName"], "Dimensions": dimensions},
            "Period": int(metric["period"]),
            "Stat": metric["stat"],
        }
    return query


def _property(query: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"id": query["Id"]}
    for name, key in (("expression", "Expression"), ("label", "Label")):
        if query.get(key):
            found[name] = query[key]
    found["returnData"] = bool(query.get("ReturnData"))
    if stat := query.get("MetricStat"):
        metric = stat["Metric"]
        found["metric"] = {
            "dimensions": {each["Name"]: each["Value"] for each in metric["Dimensions"]},
            "metricName": metric["MetricName"],
            "namespace": metric["Namespace"],
            "period": stat["Period"],
            "stat": stat["Stat"],
        }
    return found


KINDS: tuple[Kind, ...] = (MetricAlarmKind(),)
