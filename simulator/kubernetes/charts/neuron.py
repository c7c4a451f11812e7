"""Stand-in for AWS' Neuron chart: the device plugin, and nothing else that the chart can install.

Source: aws-neuron/neuron-helm-charts at b77a6f9 (1.9.0), `charts/neuron-helm-chart` (values.yaml,
`templates/device-plugin/`, `_helpers.tpl`), read 2026-11-20.
"""

from collections.abc import Mapping
from typing import Any

from accelerators.sharing import NEURON_DEVICE
from simulator.kubernetes import objects, roles
from simulator.kubernetes.charts.errors import ChartRefusalError, NotSimulatedError
from simulator.kubernetes.charts.release import Release, completed
from simulator.kubernetes.objects import Manifest

CHART = "oci://public.ecr.aws/neuron/neuron-helm-chart"

_NAME = "neuron-helm-chart"
_INSTANCE_TYPES = (
    *("trn1.2xlarge", "trn1.32xlarge", "trn1n.32xlarge", "trn2.3xlarge", "trn2.48xlarge", "trn2u.48xlarge"),
    *("trn3.48xlarge", "trn3e.24xlarge", "inf1.xlarge", "inf1.2xlarge", "inf1.6xlarge", "inf1.24xlarge"),
    *("inf2.xlarge", "inf2.8xlarge", "inf2.24xlarge", "inf2.48xlarge", "ml.inf2.xlarge", "ml.inf2.8xlarge"),
    *("ml.inf2.24xlarge", "ml.inf2.48xlarge", "ml.trn1.2xlarge", "ml.trn1.32xlarge", "ml.trn1n.32xlarge"),
)
"""A type outside this list has no pod of the plugin, and no error says so."""

_INSTANCES_PLACEHOLDER = "__NEURON_INSTANCES__"
_OTHERS = ("scheduler", "draDriver", "ultraserverOperator", "npd")
"""Parts that the chart can install and the stand-in cannot. `npd` is on by default in the chart."""

_DEFAULTS: dict[str, Any] = {
    "neuronInstances": list(_INSTANCE_TYPES),
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
    """The plugin's accounts and DaemonSet; `NotSimulatedError` for anything else that ``values`` switch on."""
    made = Release(_NAME, version, release, namespace, completed(CHART, _DEFAULTS, values))
    _refuse(made)
    for part in _OTHERS:
        on_by_default = part == "npd"
        wanted = made.value(f"{part}.enabled")
        if wanted or (wanted is None and on_by_default):
            raise NotSimulatedError(CHART, f"{part}.enabled")
    return _device_plugin(made) if made.value("devicePlugin.enabled") else []


def _refuse(release: Release) -> None:
    """What `neuron-helm-chart.validateConfig` refuses."""
    plugin, scheduler, dra = (
        bool(release.value(f"{part}.enabled")) for part in ("devicePlugin", "scheduler", "draDriver")
    )
    if dra and plugin:
        raise ChartRefusalError(f"{CHART}: draDriver and devicePlugin exclude each other")
    if dra and scheduler:
        raise ChartRefusalError(f"{CHART}: draDriver and scheduler exclude each other")
    if scheduler and not plugin:
        raise ChartRefusalError(f"{CHART}: scheduler needs devicePlugin")
    custom = release.value("scheduler.customScheduler.enabled") is not False
    if scheduler and custom and release.value("scheduler.defaultScheduler.enabled"):
        raise ChartRefusalError(f"{CHART}: customScheduler and defaultScheduler exclude each other")


def _device_plugin(release: Release) -> list[Manifest]:
    plugin = Release(release.chart, release.version, release.name, release.namespace, release.value("devicePlugin"))
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
