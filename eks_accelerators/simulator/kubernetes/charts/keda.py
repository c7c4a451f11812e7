"""Stand-in for the chart `keda`: the operator, the server of external metrics, the webhooks, and the CRDs.

Source: kedacore/charts at cbb9bb8 (chart 2.20.2), `keda/values.yaml`, `templates/manager`, `templates/metrics-server`,
`templates/webhooks`, `templates/crds`, read 2026-11-22. The CRDs take any content. Nobody answers in these pods, so the
APIService of external metrics and the webhook's configuration are left out: with them the API server would ask in vain. Left
out too: Services, network policies, certificates of cert-manager.
"""

from collections.abc import Mapping
from typing import Any

from eks_accelerators.simulator.kubernetes import objects
from eks_accelerators.simulator.kubernetes.charts.errors import ChartNotSimulatedError
from eks_accelerators.simulator.kubernetes.charts.release import ChartRelease, completed
from eks_accelerators.simulator.kubernetes.objects import Manifest

CHART = "keda"
GROUP = "keda.sh"

_PARTS = {"operator": "manager", "metricServer": "metrics-server", "webhooks": "webhooks"}
"""Parts as the values of accounts, resources and security contexts name them."""
_READ = ["get", "list", "watch"]
_WRITE = ["get", "list", "patch", "update", "watch"]
_OPEN_MONITOR = {"enabled": False, "interval": "", "scrapeTimeout": "", "namespace": ""}
_MONITOR = {**_OPEN_MONITOR, "additionalLabels": {}, "relabelings": [], "metricRelabelings": []}
_PLACE: dict[str, Any] = {
    "revisionHistoryLimit": 10,
    "replicaCount": 1,
    "dnsConfig": {},
    "useHostNetwork": False,
    "affinity": {},
    "livenessProbe": {},
    "readinessProbe": {},
    "nodeSelector": {},
    "tolerations": [],
}


def _account(name: str) -> dict[str, Any]:
    return {"create": True, "name": name, "automountServiceAccountToken": True, "annotations": {}}


def _metrics() -> dict[str, Any]:
    return {"enabled": False, "port": 8080, "serviceMonitor": {"enabled": False}}


_DEFAULTS: dict[str, Any] = {
    "image": {
        "keda": {"registry": "ghcr.io", "repository": "kedacore/keda", "tag": ""},
        "metricsApiServer": {"registry": "ghcr.io", "repository": "kedacore/keda-metrics-apiserver", "tag": ""},
        "webhooks": {"registry": "ghcr.io", "repository": "kedacore/keda-admission-webhooks", "tag": ""},
        "pullPolicy": "Always",
    },
    "clusterName": "kubernetes-default",
    "clusterDomain": "cluster.local",
    "crds": {"install": True, "additionalAnnotations": {}},
    "watchNamespace": "",
    "imagePullSecrets": [],
    "networkPolicy": {"enabled": False},
    "operator": {"name": "keda-operator", "dnsPolicy": "ClusterFirst", "disableCompression": True, **_PLACE},
    "metricsServer": {"enabled": True, "dnsPolicy": "ClusterFirst", "disableCompression": True, **_PLACE},
    "webhooks": {
        "enabled": True,
        "name": "keda-admission-webhooks",
        "port": "",
        "healthProbePort": 8081,
        "timeoutSeconds": 10,
        "failurePolicy": "Ignore",
        **_PLACE,
    },
    "upgradeStrategy": {"operator": {}, "metricsApiServer": {}, "webhooks": {}},
    "podDisruptionBudget": {"operator": {}, "metricServer": {}, "webhooks": {}},
    "additionalLabels": {},
    "additionalAnnotations": {},
    "podAnnotations": {"keda": {}, "metricsAdapter": {}, "webhooks": {}},
    "podLabels": {"keda": {}, "metricsAdapter": {}, "webhooks": {}},
    "rbac": {
        "create": True,
        "aggregateToDefaultRoles": False,
        "enabledCustomScaledRefKinds": True,
        "controlPlaneServiceAccountsNamespace": "kube-system",
        "scaledRefKinds": [{"apiGroup": "*", "kind": "*"}],
    },
    "serviceAccount": {
        "operator": _account("keda-operator"),
        "metricServer": _account("keda-metrics-server"),
        "webhooks": _account("keda-webhook"),
    },
    "podIdentity": {},
    "logging": {},
    "securityContext": {
        part: {
            "capabilities": {"drop": ["ALL"]},
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "seccompProfile": {"type": "RuntimeDefault"},
        }
        for part in _PARTS
    },
    "podSecurityContext": {part: {"runAsNonRoot": True} for part in _PARTS},
    "service": {"type": "ClusterIP", "portHttps": 443, "portHttpsTarget": 6443, "annotations": {}},
    "resources": {
        part: {"limits": {"cpu": 1, "memory": "1000Mi"}, "requests": {"cpu": "100m", "memory": "100Mi"}}
        for part in _PARTS
    },
    "nodeSelector": {},
    "tolerations": [],
    "topologySpreadConstraints": {"operator": [], "metricsServer": [], "webhooks": []},
    "affinity": {},
    "priorityClassName": "",
    "http": {},
    "profiling": {},
    "extraArgs": {},
    "env": [],
    "volumes": {},
    "prometheus": {
        "metricServer": {**_metrics(), "podMonitor": {"enabled": False}},
        "operator": {**_metrics(), "podMonitor": dict(_MONITOR), "prometheusRules": {"enabled": False}},
        "webhooks": {**_metrics(), "prometheusRules": {"enabled": False}},
    },
    "opentelemetry": {},
    "certificates": {"autoGenerated": True, "certManager": {"enabled": False}},
    "permissions": {
        "metricServer": {"restrict": {"secret": False}},
        "operator": {"restrict": {"secret": False, "namesAllowList": []}},
    },
    "extraObjects": [],
    "asciiArt": True,
    "customManagedBy": "",
    "enableServiceLinks": True,
}
_CLOSED = frozenset({"resources", "securityContext", "podSecurityContext"})
"""By part here, and no container's own."""

_KINDS = (
    (GROUP, "v1alpha1", "ScaledObject", "scaledobjects", True),
    (GROUP, "v1alpha1", "ScaledJob", "scaledjobs", True),
    (GROUP, "v1alpha1", "TriggerAuthentication", "triggerauthentications", True),
    (GROUP, "v1alpha1", "ClusterTriggerAuthentication", "clustertriggerauthentications", False),
    ("eventing.keda.sh", "v1alpha1", "CloudEventSource", "cloudeventsources", True),
    ("eventing.keda.sh", "v1alpha1", "ClusterCloudEventSource", "clustercloudeventsources", False),
)
_NOT_SIMULATED = (
    *("networkPolicy.enabled", "certificates.certManager.enabled", "extraObjects"),
    *("prometheus.operator.serviceMonitor.enabled", "prometheus.operator.prometheusRules.enabled"),
    *("prometheus.metricServer.serviceMonitor.enabled", "prometheus.metricServer.podMonitor.enabled"),
    *("prometheus.webhooks.serviceMonitor.enabled", "prometheus.webhooks.prometheusRules.enabled"),
)


def manifests(version: str, release: str, namespace: str, values: Mapping[str, Any]) -> list[Manifest]:
    """CRDs, and for each part its account, rights and Deployment; a PodMonitor, whose CRD the chart does not bring."""
    made = ChartRelease(CHART, version, release, namespace, completed(CHART, _DEFAULTS, values, closed=_CLOSED))
    for path in _NOT_SIMULATED:
        if made.value(path):
            raise ChartNotSimulatedError(CHART, path)
    result: list[Manifest] = []
    if made.value("crds.install"):
        result += [
            objects.custom_resource_definition(group, version, kind, plural, namespaced=namespaced)
            for group, version, kind, plural, namespaced in _KINDS
        ]
    operator = str(made.value("operator.name"))
    result += _part(made, "operator", "operator", operator, "keda", _operator_rules(made))
    if made.value("metricsServer.enabled"):
        name = f"{operator}-metrics-apiserver"
        result += _part(made, "metricServer", "metricsServer", name, "metricsApiServer", _metrics_rules(made))
    if made.value("webhooks.enabled"):
        name = str(made.value("webhooks.name"))
        result += _part(made, "webhooks", "webhooks", name, "webhooks", _webhook_rules())
    if made.value("prometheus.operator.podMonitor.enabled"):
        result.append(_pod_monitor(made, operator))
    return result


def _part(
    made: ChartRelease, part: str, place: str, name: str, image: str, rules: list[Manifest]
) -> list[Manifest]:
    """One program. ``part``, ``place`` and ``image`` are its names among the values, which differ."""
    value = made.value
    account, labels = str(value(f"serviceAccount.{part}.name")), _labels(made, name)
    source = value(f"image.{image}")
    container = objects.filled(
        name=name,
        image=f"{source['registry']}/{source['repository']}:{source['tag'] or made.version}",
        imagePullPolicy=value("image.pullPolicy"),
        securityContext=value(f"securityContext.{part}"),
        resources=value(f"resources.{part}"),
        ports=_ports(made) if part == "operator" else [],
    )
    pod = objects.filled(
        enableServiceLinks=value("enableServiceLinks"),
        priorityClassName=value("priorityClassName"),
        imagePullSecrets=value("imagePullSecrets"),
        serviceAccountName=account,
        securityContext=value(f"podSecurityContext.{part}"),
        containers=[container],
        nodeSelector={"kubernetes.io/os": "linux", **(value(f"{place}.nodeSelector") or value("nodeSelector"))},
        affinity=value(f"{place}.affinity") or value("affinity"),
        topologySpreadConstraints=value(f"topologySpreadConstraints.{place}"),
        tolerations=value(f"{place}.tolerations") or value("tolerations"),
    )
    return [
        objects.service_account(made.metadata(account, labels)),
        objects.cluster_role(objects.metadata(name, labels=labels), rules),
        objects.binding(objects.metadata(name, labels=labels), name, account, made.namespace),
        objects.deployment(
            made.metadata(name, labels),
            replicas=value(f"{place}.replicaCount"),
            selector={"app": name},
            template=objects.pod_template({**labels, "app": name}, pod),
            revisionHistoryLimit=value(f"{place}.revisionHistoryLimit"),
        ),
    ]


def _ports(made: ChartRelease) -> list[Manifest]:
    metrics = {"name": "metrics", "containerPort": made.value("prometheus.operator.port"), "protocol": "TCP"}
    service = {"name": "metricsservice", "containerPort": 9666, "protocol": "TCP"}
    return [metrics, service] if made.value("prometheus.operator.enabled") else [service]


def _operator_rules(made: ChartRelease) -> list[Manifest]:
    """What the operator may do; with the chart's own values it reads all Secrets, and scales whatever can be scaled."""
    own = ["scaledobjects", "scaledjobs", "triggerauthentications"]
    rules = [
        objects.rule([""], ["configmaps", "limitranges", "pods", "services", "serviceaccounts"], _READ),
        objects.rule(["apps"], ["deployments", "replicasets", "statefulsets"], _READ),
        objects.rule(["apps"], ["deployments/scale", "statefulsets/scale"], _WRITE),
        objects.rule(["autoscaling"], ["horizontalpodautoscalers"], [*_WRITE, "create", "delete"]),
        objects.rule([GROUP], [*own, *(f"{each}/status" for each in own)], _WRITE),
    ]
    if not made.value("permissions.operator.restrict.secret"):
        rules.append(objects.rule([""], ["secrets"], ["list", "watch"]))
    if made.value("rbac.enabledCustomScaledRefKinds"):
        for each in made.value("rbac.scaledRefKinds"):
            rules.append(objects.rule([each["apiGroup"]], [f"{each['kind']}/scale"], _WRITE))
            rules.append(objects.rule([each["apiGroup"]], [each["kind"]], ["get"]))
    return rules


def _metrics_rules(made: ChartRelease) -> list[Manifest]:
    rules = [objects.rule(["external.metrics.k8s.io"], ["externalmetrics"], ["get"])]
    if not made.value("permissions.metricServer.restrict.secret"):
        rules.append(objects.rule([""], ["secrets"], ["get", "list", "watch"]))
    return rules


def _webhook_rules() -> list[Manifest]:
    return [
        objects.rule(["autoscaling"], ["horizontalpodautoscalers"], ["list", "watch"]),
        objects.rule([GROUP], ["scaledobjects"], ["list", "watch"]),
        objects.rule(["apps"], ["deployments", "statefulsets"], _READ),
        objects.rule([""], ["limitranges"], ["list"]),
    ]


def _pod_monitor(made: ChartRelease, operator: str) -> Manifest:
    monitor = made.value("prometheus.operator.podMonitor")
    endpoint = objects.filled(
        port="metrics",
        path="/metrics",
        interval=monitor["interval"],
        scrapeTimeout=monitor["scrapeTimeout"],
        relabelings=monitor["relabelings"],
        metricRelabelings=monitor["metricRelabelings"],
    )
    labels = {**_labels(made, operator), **monitor["additionalLabels"]}
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PodMonitor",
        "metadata": made.metadata(operator, labels, monitor["namespace"] or None),
        "spec": {
            "podMetricsEndpoints": [endpoint],
            "namespaceSelector": {"matchNames": [made.namespace]},
            "selector": {"matchLabels": {"app": operator}},
        },
    }


def _labels(made: ChartRelease, name: str) -> dict[str, str]:
    labels = {**made.labels(CHART), "app.kubernetes.io/name": name, "app.kubernetes.io/component": "operator"}
    return {**labels, **made.value("additionalLabels")}
