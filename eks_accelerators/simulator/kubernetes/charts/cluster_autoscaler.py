"""Stand-in for the chart `cluster-autoscaler` on AWS: the program with its flags, and its priorities.

Source: kubernetes/autoscaler at 55c37cd (chart 9.59.0), `cluster-autoscaler/charts/cluster-autoscaler` (values.yaml,
`templates/`), read 2026-11-22. Other clouds, and what the chart can do besides, are left out.
"""

from collections.abc import Mapping
from typing import Any

import yaml

from eks_accelerators.accelerators.autoscaler import EXPANDER_CONFIG_MAP
from eks_accelerators.simulator.kubernetes import objects, roles
from eks_accelerators.simulator.kubernetes.charts.errors import ChartNotSimulatedError, ChartRefusalError
from eks_accelerators.simulator.kubernetes.charts.release import ChartRelease, completed, cut
from eks_accelerators.simulator.kubernetes.objects import Manifest, rule

CHART = "cluster-autoscaler"

_NOTHING = ("affinity", "podAnnotations", "podLabels", "additionalLabels", "nodeSelector", "securityContext")
_DEFAULTS: dict[str, Any] = {
    **{name: {} for name in _NOTHING},
    "autoDiscovery": {
        "clusterName": None,
        "tags": [
            "k8s.io/cluster-autoscaler/enabled",
            "k8s.io/cluster-autoscaler/{{ .Values.autoDiscovery.clusterName }}",
        ],
    },
    "autoscalingGroups": [],
    "awsRegion": "",
    "cloudProvider": "aws",
    "containerSecurityContext": {},
    "expanderPriorities": {},
    "extraArgs": {},
    "customArgs": [],
    "fullnameOverride": "",
    "nameOverride": "",
    "image": {
        "repository": "registry.k8s.io/autoscaling/cluster-autoscaler",
        "tag": "v1.35.0",
        "pullPolicy": "IfNotPresent",
        "pullSecrets": [],
    },
    "podDisruptionBudget": {"annotations": {}, "selector": {}, "maxUnavailable": 1},
    "priorityClassName": "system-cluster-critical",
    "rbac": {
        "create": True,
        "clusterScoped": True,
        "annotations": {},
        "serviceAccount": {"annotations": {}, "create": True, "name": "", "automountServiceAccountToken": True},
        "additionalRules": [],
    },
    "replicaCount": 1,
    "resources": {},
    "revisionHistoryLimit": 10,
    "service": {"create": True, "servicePort": 8085, "portName": "http", "type": "ClusterIP"},
    "serviceMonitor": {
        "enabled": False,
        "interval": "10s",
        "namespace": "monitoring",
        "selector": {},
        "path": "/metrics",
        "annotations": {},
        "relabelings": {},
        "metricRelabelings": {},
    },
    "tolerations": [],
    "topologySpreadConstraints": [],
    "updateStrategy": {},
}
_FLAGS: dict[str, Any] = {"logtostderr": True, "stderrthreshold": "info", "v": 4}
_MONITOR_LABELS = {"release": "prometheus-operator"}
"""Defaults beside which any other key is known."""

_ONE_NAME = "cluster-autoscaler"
"""Its lease, and its name in ConfigMaps, whatever the release is called."""


def manifests(version: str, release: str, namespace: str, values: Mapping[str, Any]) -> list[Manifest]:
    """Account, rights, Deployment, budget and Service; priorities and a ServiceMonitor where values ask for them."""
    made = ChartRelease(CHART, version, release, namespace, completed(CHART, _DEFAULTS, values))
    value = made.value
    _refuse(made)
    chart_name = cut(value("nameOverride") or f"{value('cloudProvider')}-{CHART}")
    joined = chart_name if chart_name == release else f"{release}-{chart_name}"
    name = cut(value("fullnameOverride") or joined)
    selector = made.selector_labels(chart_name)
    labels = {
        **selector,
        "app.kubernetes.io/managed-by": "Helm",
        "helm.sh/chart": cut(f"{CHART}-{made.version}"),
        **value("additionalLabels"),
    }
    meta = made.metadata(name, labels)
    result = [
        *_rights(made, name, labels),
        _deployment(made, meta, chart_name, selector),
        _budget(made, meta, selector),
    ]
    if value("service.create"):
        result.append(_service(made, meta, selector))
    if value("serviceMonitor.enabled"):
        result.append(_service_monitor(made, name, selector))
    if _is_prioritised(made) and value("expanderPriorities"):
        priorities = {int(priority): names for priority, names in value("expanderPriorities").items()}
        config_map = made.metadata(EXPANDER_CONFIG_MAP, labels)
        result.append(objects.config_map(config_map, {"priorities": yaml.safe_dump(priorities)}))
    return result


def _refuse(made: ChartRelease) -> None:
    if made.value("cloudProvider") != "aws":
        raise ChartNotSimulatedError(CHART, "cloudProvider")
    if made.value("podDisruptionBudget.minAvailable") and made.value("podDisruptionBudget.maxUnavailable"):
        raise ChartRefusalError(
            f"{CHART}: Only one of podDisruptionBudget.minAvailable or podDisruptionBudget.maxUnavailable should be set."
        )
    for path in ("rbac.create", "rbac.clusterScoped", "rbac.serviceAccount.create", "autoDiscovery.clusterName"):
        if not made.value(path):
            raise ChartNotSimulatedError(CHART, path)


def _is_prioritised(made: ChartRelease) -> bool:
    return "priority" in str(made.value("extraArgs").get("expander", "")).split(",")


def _account(made: ChartRelease, name: str) -> str:
    return made.value("rbac.serviceAccount.name") or name


def _command(made: ChartRelease) -> list[str]:
    value = made.value
    cluster = value("autoDiscovery.clusterName")
    tags = [tag.replace("{{ .Values.autoDiscovery.clusterName }}", cluster) for tag in value("autoDiscovery.tags")]
    return [
        "./cluster-autoscaler",
        f"--cloud-provider={value('cloudProvider')}",
        f"--namespace={made.namespace}",
        *(f"--nodes={each['minSize']}:{each['maxSize']}:{each['name']}" for each in value("autoscalingGroups")),
        f"--node-group-auto-discovery=asg:tag={','.join(tags)}",
        *(_flag(key, argument) for key, argument in sorted({**_FLAGS, **value("extraArgs")}.items())),
        *value("customArgs"),
    ]


def _flag(key: str, argument: Any) -> str:
    name = key.partition("_")[0]
    if argument is None:
        return f"--{name}"
    return f"--{name}={str(argument).lower() if isinstance(argument, bool) else argument}"


def _deployment(made: ChartRelease, meta: Manifest, chart_name: str, selector: Mapping[str, str]) -> Manifest:
    value = made.value
    container = objects.filled(
        name=chart_name,
        image=f"{value('image.repository')}:{value('image.tag')}",
        imagePullPolicy=value("image.pullPolicy"),
        command=_command(made),
        env=[
            objects.field_env("POD_NAMESPACE", "metadata.namespace"),
            objects.field_env("SERVICE_ACCOUNT", "spec.serviceAccountName"),
            *([{"name": "AWS_REGION", "value": value("awsRegion")}] if value("awsRegion") else []),
        ],
        ports=[{"containerPort": 8085}],
        resources=value("resources"),
        securityContext=value("containerSecurityContext"),
    )
    pod = objects.filled(
        priorityClassName=value("priorityClassName"),
        dnsPolicy="ClusterFirst",
        containers=[container],
        affinity=value("affinity"),
        nodeSelector=value("nodeSelector"),
        serviceAccountName=_account(made, meta["name"]),
        tolerations=value("tolerations"),
        topologySpreadConstraints=value("topologySpreadConstraints"),
        securityContext=value("securityContext"),
        imagePullSecrets=[{"name": each} for each in value("image.pullSecrets")],
    )
    own = {**selector, **value("additionalLabels"), **value("podLabels")}
    template = objects.pod_template({**own, **roles.role_label(roles.CLUSTER_AUTOSCALER)}, pod, value("podAnnotations"))
    return objects.deployment(
        meta,
        replicas=value("replicaCount"),
        selector={**selector, **value("podLabels")},
        template=template,
        revisionHistoryLimit=value("revisionHistoryLimit"),
        **objects.filled(strategy=value("updateStrategy")),
    )


def _budget(made: ChartRelease, meta: Manifest, selector: Mapping[str, str]) -> Manifest:
    budget = made.value("podDisruptionBudget")
    bounds = {key: budget[key] for key in ("minAvailable", "maxUnavailable") if budget.get(key)}
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": meta,
        "spec": {"selector": {"matchLabels": budget["selector"] or dict(selector)}, **bounds},
    }


def _service(made: ChartRelease, meta: Manifest, selector: Mapping[str, str]) -> Manifest:
    value = made.value
    port = {
        "port": value("service.servicePort"),
        "protocol": "TCP",
        "targetPort": 8085,
        "name": value("service.portName"),
    }
    spec = {"ports": [port], "selector": dict(selector), "type": value("service.type")}
    return {"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": spec}


def _service_monitor(made: ChartRelease, name: str, selector: Mapping[str, str]) -> Manifest:
    value = made.value
    endpoint = objects.filled(
        port=value("service.portName"),
        interval=value("serviceMonitor.interval"),
        path=value("serviceMonitor.path"),
        relabelings=value("serviceMonitor.relabelings"),
        metricRelabelings=value("serviceMonitor.metricRelabelings"),
    )
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "ServiceMonitor",
        "metadata": objects.metadata(
            name, value("serviceMonitor.namespace"), {**_MONITOR_LABELS, **value("serviceMonitor.selector")}
        ),
        "spec": {
            "selector": {"matchLabels": dict(selector)},
            "endpoints": [endpoint],
            "namespaceSelector": {"matchNames": [made.namespace]},
        },
    }


def _rights(made: ChartRelease, name: str, labels: Mapping[str, str]) -> list[Manifest]:
    account = _account(made, name)
    of_cluster = objects.metadata(name, None, labels)
    meta = made.metadata(name, labels)
    watched = ["list", "watch"] if _is_prioritised(made) else []
    named = ["cluster-autoscaler-status", *([EXPANDER_CONFIG_MAP] if _is_prioritised(made) else [])]
    return [
        objects.service_account(made.metadata(account, labels)),
        objects.cluster_role(of_cluster, [*_CLUSTER_RULES, *made.value("rbac.additionalRules")]),
        objects.binding(of_cluster, name, account, made.namespace),
        objects.role(
            meta,
            [
                rule([""], ["configmaps"], ["create", *watched]),
                rule([""], ["configmaps"], ["delete", "get", "update", *watched[1:]], named),
            ],
        ),
        objects.binding(meta, name, account, made.namespace),
    ]


_READ = ("watch", "list", "get")
_CLUSTER_RULES = (
    rule([""], ["events", "endpoints"], ["create", "patch"]),
    rule([""], ["pods/eviction"], ["create"]),
    rule([""], ["pods/status"], ["update"]),
    rule([""], ["endpoints"], ["get", "update"], [_ONE_NAME]),
    rule([""], ["nodes"], [*_READ, "update"]),
    rule([""], ["podtemplates"], [*_READ, "create", "update", "patch"]),
    rule(["resource.k8s.io"], ["resourceslices", "deviceclasses", "resourceclaims"], _READ),
    rule(
        [""],
        ["namespaces", "pods", "services", "replicationcontrollers", "persistentvolumeclaims", "persistentvolumes"],
        _READ,
    ),
    rule(["batch"], ["jobs", "cronjobs"], _READ),
    rule(["batch", "extensions"], ["jobs"], [*_READ, "patch"]),
    rule(["extensions"], ["replicasets", "daemonsets"], _READ),
    rule(["policy"], ["poddisruptionbudgets"], ["watch", "list"]),
    rule(["apps"], ["daemonsets", "deployments", "replicasets", "statefulsets"], _READ),
    rule(
        ["storage.k8s.io"],
        ["storageclasses", "csinodes", "csidrivers", "csistoragecapacities", "volumeattachments"],
        _READ,
    ),
    rule([""], ["configmaps"], _READ),
    rule(["coordination.k8s.io"], ["leases"], ["create"]),
    rule(["coordination.k8s.io"], ["leases"], ["get", "update"], [_ONE_NAME]),
    rule(
        ["autoscaling.x-k8s.io"], ["provisioningrequests", "provisioningrequests/status"], [*_READ, "update", "patch"]
    ),
    rule(["autoscaling.x-k8s.io"], ["capacitybuffers", "capacityquotas"], _READ),
    rule(["autoscaling.x-k8s.io"], ["capacityquotas/status", "capacitybuffers/status"], ["update", "patch"]),
)
"""`templates/clusterrole.yaml`."""
