"""Stand-in for AWS' Neuron chart: the device plugin, and nothing else that the chart can install.

Source: aws-neuron/neuron-helm-charts at b77a6f9 (1.9.0), `charts/neuron-helm-chart` (values.yaml,
`templates/device-plugin/`, and `_helpers.tpl` as of ff9982d), read 2026-11-22. The chart's list of instance types is in
`eks_accelerators/accelerators/data/charts-instance-types.json`.
"""

from collections.abc import Mapping
from typing import Any

from eks_accelerators.accelerators import data
from eks_accelerators.accelerators.sharing import NEURON_DEVICE
from eks_accelerators.simulator.kubernetes import objects, roles
from eks_accelerators.simulator.kubernetes.charts.errors import ChartNotSimulatedError, ChartRefusalError
from eks_accelerators.simulator.kubernetes.charts.release import ChartRelease, completed
from eks_accelerators.simulator.kubernetes.objects import Manifest

CHART = "oci://public.ecr.aws/neuron/neuron-helm-chart"

_NAME = "neuron-helm-chart"
_INSTANCE_TYPES: list[str] = data.load("charts-instance-types")[_NAME]["types"]
"""A type outside this list has no pod of the plugin, and no error says so."""

_INSTANCES_PLACEHOLDER = "__NEURON_INSTANCES__"
_OTHERS = ("scheduler", "draDriver", "ultraserverOperator", "npd")
"""Parts that the chart can install and the stand-in cannot."""

_DEFAULTS: dict[str, Any] = {
    "neuronInstances": _INSTANCE_TYPES,
    "devicePlugin": {
        "enabled": True,
        "nameOverride": "neuron-device-plugin",
        "namespaceOverride": "kube-system",
        "fullnameOverride": "neuron-device-plugin",
        "selectorLabelsOverride": {},
        "priorityClassName": "system-node-critical",
        "runtimeClassName": None,
        "imagePullSecrets": [],
        "image": {
            "repository": "public.ecr.aws/neuron/neuron-device-plugin",
            "pullPolicy": "IfNotPresent",
            "tag": "2.31.0.0",
        },
        "podSecurityContext": {},
        "serviceAccount": {"create": True, "annotations": {}, "name": "neuron-device-plugin"},
        "updateStrategy": {"type": "RollingUpdate"},
        "podAnnotations": {},
        "securityContext": {},
        "resources": {},
        "nodeSelector": {},
        "tolerations": [
            {"key": "CriticalAddonsOnly", "operator": "Exists"},
            {"key": NEURON_DEVICE, "operator": "Exists", "effect": "NoSchedule"},
            {
                "key": "sagemaker.amazonaws.com/node-health-status",
                "operator": "Equal",
                "value": "Unschedulable",
                "effect": "NoSchedule",
            },
        ],
        "env": [
            {"name": "KUBECONFIG", "value": "/etc/kubernetes/kubelet.conf"},
            objects.field_env("NODE_NAME", "spec.nodeName"),
        ],
        "affinity": objects.required_node_affinity(
            [
                objects.expression("node.kubernetes.io/instance-type", "In", _INSTANCES_PLACEHOLDER),
                objects.expression("eks.amazonaws.com/compute-type", "NotIn", "fargate", "hybrid", "auto"),
            ]
        ),
        "volumeMounts": [
            objects.mount("device-plugin", "/var/lib/kubelet/device-plugins"),
            objects.mount("infa-map", "/run"),
            objects.mount("aws-config", "/opt/aws", read_only=True),
        ],
        "volumes": [
            objects.host_path("device-plugin", "/var/lib/kubelet/device-plugins"),
            objects.host_path("infa-map", "/run"),
            objects.host_path("aws-config", "/opt/aws"),
        ],
    },
    **{part: {} for part in _OTHERS},
}


def manifests(version: str, release: str, namespace: str, values: Mapping[str, Any]) -> list[Manifest]:
    """The plugin's accounts and DaemonSet; `ChartNotSimulatedError` for anything else that ``values`` switch on."""
    made = ChartRelease(_NAME, version, release, namespace, completed(CHART, _DEFAULTS, values))
    _refuse(values)
    for part in _OTHERS:
        if _enabled(values, part):
            raise ChartNotSimulatedError(CHART, f"{part}.enabled")
    return _device_plugin(made) if made.value("devicePlugin.enabled") else []


_ON_BY_DEFAULT = frozenset({"devicePlugin", "npd", "scheduler.customScheduler"})


def _enabled(values: Mapping[str, Any], part: str) -> bool:
    """Whether a part is switched on as the chart's templates see it: null takes a default away, and is false."""
    found: Any = values
    for key in (*part.split("."), "enabled"):
        if not isinstance(found, Mapping):
            return False
        if key not in found:
            return part in _ON_BY_DEFAULT
        found = found[key]
    return bool(found)


def _refuse(values: Mapping[str, Any]) -> None:
    """What `neuron-helm-chart.validateConfig` refuses. A device plugin beside the DRA driver is not among it any more."""
    scheduler, dra = _enabled(values, "scheduler"), _enabled(values, "draDriver")
    if dra and scheduler:
        raise ChartRefusalError(f"{CHART}: draDriver and scheduler exclude each other")
    if scheduler and not _enabled(values, "devicePlugin"):
        raise ChartRefusalError(f"{CHART}: scheduler needs devicePlugin")
    if scheduler and _enabled(values, "scheduler.customScheduler") and _enabled(values, "scheduler.defaultScheduler"):
        raise ChartRefusalError(f"{CHART}: customScheduler and defaultScheduler exclude each other")
    if _enabled(values, "ultraserverOperator") and not dra:
        raise ChartRefusalError(f"{CHART}: ultraserverOperator needs draDriver")


def _device_plugin(release: ChartRelease) -> list[Manifest]:
    plugin = ChartRelease(
        release.chart, release.version, release.name, release.namespace, release.value("devicePlugin")
    )
    value = plugin.value
    name = value("nameOverride") or _NAME
    full_name = plugin.full_name(name, value("fullnameOverride"))
    namespace = value("namespaceOverride") or release.namespace
    labels = {**plugin.labels(name), **(value("selectorLabelsOverride") or {})}
    account = value("serviceAccount.name") or (full_name if value("serviceAccount.create") else "default")
    selector = {"name": f"{name}-ds", **(value("selectorLabelsOverride") or plugin.selector_labels(name))}
    container = objects.filled(
        name="neuron-device-plugin",
        image=f"{value('image.repository')}:{value('image.tag')}",
        imagePullPolicy=value("image.pullPolicy"),
        env=value("env"),
        securityContext=value("securityContext")
        or {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
        resources=value("resources"),
        volumeMounts=value("volumeMounts"),
    )
    pod = objects.filled(
        serviceAccountName=account,
        tolerations=value("tolerations"),
        priorityClassName=value("priorityClassName"),
        runtimeClassName=value("runtimeClassName"),
        imagePullSecrets=value("imagePullSecrets"),
        securityContext=value("podSecurityContext"),
        nodeSelector=value("nodeSelector"),
        affinity=_with_instance_types(value("affinity"), release.value("neuronInstances") or []),
        containers=[container],
        volumes=value("volumes"),
    )
    template = objects.pod_template(
        {**plugin.selector_labels(name), **selector, **roles.role_label(roles.NEURON_DEVICE_PLUGIN)},
        pod,
        value("podAnnotations"),
    )
    of_cluster = objects.metadata(full_name, labels=labels)
    made = [
        objects.cluster_role(of_cluster, _RULES),
        objects.binding(of_cluster, full_name, account, namespace),
        objects.daemon_set(
            plugin.metadata(full_name, labels, namespace),
            selector=selector,
            template=template,
            updateStrategy=value("updateStrategy"),
        ),
    ]
    if value("serviceAccount.create"):
        made.insert(0, objects.service_account(plugin.metadata(account, labels, namespace)))
    return made


_RULES = [
    objects.rule([""], ["nodes"], ["get", "list", "watch"]),
    objects.rule([""], ["events"], ["create", "patch"]),
    objects.rule([""], ["pods"], ["update", "patch", "get", "list", "watch"]),
    objects.rule([""], ["nodes/status"], ["patch", "update"]),
    objects.rule([""], ["nodes/proxy"], ["get", "list"]),
]


def _with_instance_types(node: Any, instance_types: list[str]) -> Any:
    """``node`` with the list in place of the chart's word for it, at any depth."""
    if isinstance(node, Mapping):
        return {key: _with_instance_types(value, instance_types) for key, value in node.items()}
    if node == [_INSTANCES_PLACEHOLDER]:
        return list(instance_types)
    if isinstance(node, list):
        return [_with_instance_types(item, instance_types) for item in node]
    return node
