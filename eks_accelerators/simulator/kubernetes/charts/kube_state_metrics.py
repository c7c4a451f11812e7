"""Stand-in for the chart `kube-state-metrics`: what the API server knows, as metrics. kube-prometheus-stack has it in it.

Source: prometheus-community/helm-charts at cf408a2 (chart 8.4.0), `charts/kube-state-metrics` (values.yaml, `templates/`),
read 2026-11-22. `tests/simulator/kubernetes/test_monitoring_charts.py` holds it against what helm renders.
"""

from collections.abc import Mapping
from typing import Any

from eks_accelerators.simulator.kubernetes import objects
from eks_accelerators.simulator.kubernetes.charts.release import ChartRelease, completed
from eks_accelerators.simulator.kubernetes.objects import Manifest

CHART = "kube-state-metrics"
PROGRAM_VERSION = "2.20.0"
PORT = 8080

_CORE = (
    *("configmaps", "limitranges", "namespaces", "nodes", "persistentvolumeclaims", "persistentvolumes", "pods"),
    *("replicationcontrollers", "resourcequotas", "secrets", "services"),
)
_GROUPS = {
    "admissionregistration.k8s.io": ("mutatingwebhookconfigurations", "validatingwebhookconfigurations"),
    "apps": ("daemonsets", "deployments", "replicasets", "statefulsets"),
    "autoscaling": ("horizontalpodautoscalers",),
    "batch": ("cronjobs", "jobs"),
    "certificates.k8s.io": ("certificatesigningrequests",),
    "coordination.k8s.io": ("leases",),
    "discovery.k8s.io": ("endpointslices",),
    "networking.k8s.io": ("ingresses", "networkpolicies"),
    "policy": ("poddisruptionbudgets",),
    "storage.k8s.io": ("storageclasses", "volumeattachments"),
}
_GROUP_OF = {**dict.fromkeys(_CORE, ""), **{name: group for group, names in _GROUPS.items() for name in names}}

DEFAULTS: dict[str, Any] = {
    "fullnameOverride": "",
    "nameOverride": "",
    "namespaceOverride": "",
    "collectors": sorted(_GROUP_OF),
    "metricLabelsAllowlist": [],
    "metricAnnotationsAllowList": [],
    "replicas": 1,
    "resources": {},
    "affinity": {},
    "nodeSelector": {},
    "tolerations": [],
    "releaseLabel": False,
    "prometheusScrape": True,
    "prometheus": {"monitor": {"enabled": False, "http": {"honorLabels": False}, "metrics": {"honorLabels": False}}},
}


def manifests(version: str, release: str, namespace: str, values: Mapping[str, Any]) -> list[Manifest]:
    """Account and rights, Deployment and Service; and a ServiceMonitor where it is asked for."""
    made = ChartRelease(CHART, version, release, namespace, completed(CHART, DEFAULTS, values))
    name = made.full_name(CHART, made.value("fullnameOverride"))
    labels = _labels(made)
    collectors = sorted(made.value("collectors"))
    rules = [objects.rule([_GROUP_OF[each]], [each], ["list", "watch"]) for each in collectors]
    of_cluster = objects.metadata(name, labels=labels)
    found = [
        objects.service_account(made.metadata(name, labels)),
        objects.cluster_role(of_cluster, rules),
        objects.binding(of_cluster, name, name, namespace),
        _service(made, name, labels),
        _deployment(made, name, labels, collectors),
    ]
    if made.value("prometheus.monitor.enabled"):
        found.append(_service_monitor(made, name, labels))
    return found


def _labels(made: ChartRelease) -> dict[str, str]:
    marked = {"release": made.name} if made.value("releaseLabel") else {}
    of_program = {"app.kubernetes.io/version": PROGRAM_VERSION, "app.kubernetes.io/component": "metrics"}
    return {**made.labels(CHART), **of_program, "app.kubernetes.io/part-of": CHART, **marked}


def _service(made: ChartRelease, name: str, labels: Mapping[str, str]) -> Manifest:
    port = {"name": "http", "protocol": "TCP", "port": PORT, "targetPort": "http"}
    spec = {"type": "ClusterIP", "ports": [port], "selector": made.selector_labels(CHART)}
    return {"apiVersion": "v1", "kind": "Service", "metadata": made.metadata(name, labels), "spec": spec}


def _deployment(made: ChartRelease, name: str, labels: Mapping[str, str], collectors: list[str]) -> Manifest:
    allowed = ",".join(made.value("metricLabelsAllowlist"))
    arguments = [f"--port={PORT}", f"--resources={','.join(collectors)}"]
    container = objects.filled(
        name=CHART,
        image=f"registry.k8s.io/kube-state-metrics/kube-state-metrics:v{PROGRAM_VERSION}",
        args=[*arguments, f"--metric-labels-allowlist={allowed}"] if allowed else arguments,
        ports=[{"containerPort": PORT, "name": "http"}, {"containerPort": PORT + 1, "name": "metrics"}],
        resources=made.value("resources"),
        securityContext={
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        },
    )
    spec = objects.filled(
        serviceAccountName=name,
        affinity=made.value("affinity"),
        nodeSelector=made.value("nodeSelector"),
        tolerations=made.value("tolerations"),
        securityContext=NOBODY,
        containers=[container],
    )
    return objects.deployment(
        made.metadata(name, labels),
        replicas=made.value("replicas"),
        selector=made.selector_labels(CHART),
        template=objects.pod_template(labels, spec),
    )


NOBODY = {
    "fsGroup": 65534,
    "runAsGroup": 65534,
    "runAsNonRoot": True,
    "runAsUser": 65534,
    "seccompProfile": {"type": "RuntimeDefault"},
}
"""Whom the pods of these charts run as."""


def _service_monitor(made: ChartRelease, name: str, labels: Mapping[str, str]) -> Manifest:
    endpoint = objects.filled(port="http", honorLabels=made.value("prometheus.monitor.http.honorLabels") or None)
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "ServiceMonitor",
        "metadata": made.metadata(name, labels),
        "spec": {
            "jobLabel": "app.kubernetes.io/name",
            "selector": {"matchLabels": made.selector_labels(CHART)},
            "endpoints": [endpoint],
        },
    }
