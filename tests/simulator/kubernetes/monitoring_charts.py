"""Values for the charts of monitoring, and what matters of what they make, in a form that two renderings can be held by."""

from eks_accelerators.components.charts import values_of
from eks_accelerators.components.kube_prometheus_stack import stack_values
from eks_accelerators.monitoring.node_labels import ALLOWED
from eks_accelerators.settings.release_inputs import KubePrometheusStackInputs

STACK, METRICS = "kube-prometheus-stack", "kube-state-metrics"
SLACK = KubePrometheusStackInputs(slack_channel="#gpus", grafana=True, storage_gib=100, retention_days=14)
SNS = KubePrometheusStackInputs(topic_arn="arn:aws:sns:us-east-2:111122223333:alerts")

CASES = {
    "stack alone": (STACK, values_of(STACK, stack_values(KubePrometheusStackInputs()))),
    "stack with Grafana and Slack": (STACK, values_of(STACK, stack_values(SLACK))),
    "stack with a topic": (STACK, values_of(STACK, stack_values(SNS))),
    "metrics of the cluster": (METRICS, values_of(METRICS, {"metricLabelsAllowlist": [ALLOWED]})),
}
"""Chart and values, as the components give them."""

_LEFT_OUT = ("ConfigMap", "PrometheusRule")
_OF_THE_OPERATOR = ("StatefulSet",)
_GOVERNING = ("prometheus-operated", "alertmanager-operated")
_SERVER = (
    *("affinity", "image", "persistentVolumeClaimRetentionPolicy", "podMonitorSelector", "probeSelector", "replicas"),
    *("resources", "retention", "retentionSize", "ruleSelector", "scrapeConfigSelector", "secrets", "securityContext"),
    *("serviceAccountName", "serviceMonitorSelector", "storage", "tolerations"),
)
_POD = ("affinity", "hostNetwork", "hostPID", "nodeSelector", "securityContext", "serviceAccountName", "tolerations")


def told(objects):
    """What matters of each object, by kind, namespace and name; what the chart's templates leave to the operator is not."""
    return {
        f"{one['kind']} {one['metadata'].get('namespace', '-')}/{one['metadata']['name']}": _of(one)
        for one in objects
        if one["kind"] not in (*_LEFT_OUT, *_OF_THE_OPERATOR) and one["metadata"]["name"] not in _GOVERNING
    }


def _of(one):
    spec = one.get("spec", {})
    if one["kind"] in ("Prometheus", "Alertmanager"):
        return {key: spec[key] for key in _SERVER if key in spec}
    if one["kind"] in ("Deployment", "DaemonSet"):
        pod = spec["template"]["spec"]
        images = [container["image"] for container in pod["containers"]]
        arguments = [
            arg for container in pod["containers"] if "state" in container["name"] for arg in container["args"]
        ]
        requests = [container.get("resources", {}).get("requests") for container in pod["containers"]]
        return {
            **{key: pod[key] for key in _POD if pod.get(key)},
            "images": images,
            "arguments": arguments,
            "requests": requests,
            "selector": spec["selector"]["matchLabels"],
        }
    if one["kind"] == "Service":
        return {"selector": spec["selector"], "port": spec["ports"][0]["port"]}
    if one["kind"] in ("ClusterRoleBinding",):
        return {"role": one["roleRef"]["name"], "accounts": [subject["name"] for subject in one["subjects"]]}
    return {}
