"""Stand-in for NVIDIA's chart `dcgm-exporter`: metrics of GPUs.

Source: NVIDIA/dcgm-exporter at d5e5f51 (chart 4.8.2), `deployment/` (values.yaml, `templates/`), read 2026-11-20.
"""

from collections.abc import Mapping
from typing import Any

from eks_accelerators.simulator.kubernetes import objects, roles
from eks_accelerators.simulator.kubernetes.charts.release import ChartRelease, completed
from eks_accelerators.simulator.kubernetes.objects import Manifest

CHART = "dcgm-exporter"

COUNTERS_CONFIG_MAP = "exporter-metrics-config-map"
"""The chart's own fixed name: two releases in one namespace would fight over it."""

_COUNTERS_FILE = "default-counters.csv"
_DEFAULT_COUNTERS = (
    *("DEV_SM_CLOCK", "DEV_MEM_CLOCK", "DEV_MEMORY_TEMP", "DEV_GPU_TEMP", "DEV_POWER_USAGE", "DEV_GPU_UTIL"),
    *("DEV_MEM_COPY_UTIL", "DEV_ENC_UTIL", "DEV_DEC_UTIL", "DEV_XID_ERRORS", "DEV_FB_FREE", "DEV_FB_USED"),
    *("DEV_VGPU_LICENSE_STATUS", "DEV_UNCORRECTABLE_REMAPPED_ROWS", "DEV_CORRECTABLE_REMAPPED_ROWS"),
    *("DEV_ROW_REMAP_FAILURE", "PROF_GR_ENGINE_ACTIVE", "PROF_PIPE_TENSOR_ACTIVE", "PROF_DRAM_ACTIVE"),
    *("PROF_PCIE_TX_BYTES", "PROF_PCIE_RX_BYTES"),
)
"""Without counters that only grow; what they mean is not needed here."""

DEFAULTS: dict[str, Any] = {
    "image": {
        "repository": "nvcr.io/nvidia/k8s/dcgm-exporter",
        "pullPolicy": "IfNotPresent",
        "tag": "4.5.3-4.8.2-distroless",
    },
    "arguments": ["-f", f"/etc/dcgm-exporter/{_COUNTERS_FILE}"],
    "imagePullSecrets": [],
    "nameOverride": "",
    "fullnameOverride": "",
    "namespaceOverride": "",
    "runtimeClassName": "",
    "serviceAccount": {"create": True, "annotations": {}, "name": None},
    "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0},
    "podLabels": {},
    "podAnnotations": {},
    "podSecurityContext": {},
    "securityContext": {"runAsNonRoot": False, "runAsUser": 0, "capabilities": {"add": ["SYS_ADMIN"]}},
    "service": {
        "enable": True,
        "type": "ClusterIP",
        "internalTrafficPolicy": "Cluster",
        "clusterIP": "",
        "port": 9400,
        "address": ":9400",
        "annotations": {},
    },
    "resources": {
        "requests": {"cpu": "100m", "memory": "128Mi"},
        "limits": {"cpu": "200m", "memory": "512Mi"},
    },
    "serviceMonitor": {
        "apiVersion": "monitoring.coreos.com/v1",
        "enabled": True,
        "interval": "15s",
        "scrapeTimeout": "10s",
        "honorLabels": False,
        "additionalLabels": {},
        "relabelings": [],
        "metricRelabelings": [],
    },
    "nodeSelector": {},
    # The control plane's only: on a tainted GPU node the exporter has no pod.
    "tolerations": [{"key": "node-role.kubernetes.io/control-plane", "operator": "Exists", "effect": "NoSchedule"}],
    "affinity": {},
    "priorityClassName": "",
    "hostNetwork": False,
    "hostPID": False,
    "extraHostVolumes": [],
    "extraConfigMapVolumes": [
        {
            "name": "exporter-metrics-volume",
            "configMap": {
                "name": COUNTERS_CONFIG_MAP,
                "items": [{"key": "metrics", "path": _COUNTERS_FILE}],
            },
        }
    ],
    "extraVolumeMounts": [
        objects.mount("exporter-metrics-volume", f"/etc/dcgm-exporter/{_COUNTERS_FILE}", subPath=_COUNTERS_FILE)
    ],
    "extraEnv": [],
    "kubeletPath": "/var/lib/kubelet/pod-resources",
    "tlsServerConfig": {"enabled": False},
    "basicAuth": {"users": {}},
    "debugDump": {"enabled": False},
    "kubernetes": {
        "enablePodLabels": False,
        "enablePodUID": False,
        "podLabelAllowlistRegex": [],
        "rbac": {"create": True},
    },
    "kubernetesDRA": {"enabled": False},
    "livenessProbe": {"initialDelaySeconds": 45, "periodSeconds": 5},
    "readinessProbe": {"initialDelaySeconds": 45},
    "customMetrics": None,
}


def manifests(version: str, release: str, namespace: str, values: Mapping[str, Any]) -> list[Manifest]:
    """Account, counters, DaemonSet and Service; and a ServiceMonitor, whose CRD the chart does not bring."""
    made = ChartRelease(CHART, version, release, namespace, completed(CHART, DEFAULTS, values))
    made.refuse(CHART, ("tlsServerConfig.enabled", "basicAuth.users", "debugDump.enabled"))
    exporter = ExporterRelease(made)
    result = [*exporter.accounts(), exporter.counters(), exporter.daemon_set()]
    if made.value("service.enable"):
        result.append(exporter.service())
    if made.value("serviceMonitor.enabled"):
        result.append(exporter.service_monitor())
    return result


class ExporterRelease:
    """Objects of one release of the chart `dcgm-exporter`."""

    def __init__(self, release: ChartRelease) -> None:
        self._value = release.value
        self._release = release
        name = release.value("nameOverride") or CHART
        self._name = release.full_name(name, release.value("fullnameOverride"))
        self._namespace = release.value("namespaceOverride") or release.namespace
        self._selector = release.selector_labels(name)
        self._labels = release.labels(name)

    def accounts(self) -> list[Manifest]:
        """The exporter's ServiceAccount, and the Roles that are bound to it."""
        read_counters = self._metadata("dcgm-exporter-read-cm")
        made = [
            objects.role(read_counters, [objects.rule([""], ["configmaps"], ["get"], [COUNTERS_CONFIG_MAP])]),
            objects.binding(read_counters, "dcgm-exporter-read-cm", self._account(), self._namespace),
        ]
        if self._value("serviceAccount.create"):
            made.insert(0, objects.service_account(self._metadata(self._account())))
        reads = []
        if self._reads_pods() and self._value("kubernetes.rbac.create"):
            reads.append(objects.rule([""], ["pods"], ["get", "list", "watch"]))
        if self._value("kubernetesDRA.enabled"):
            reads.append(objects.rule(["resource.k8s.io"], ["resourceslices"], ["get", "list", "watch"]))
        if reads:
            name = f"{self._name}-read-pods"
            of_cluster = objects.metadata(name, labels=self._labels)
            made += [
                objects.cluster_role(of_cluster, reads),
                objects.binding(of_cluster, name, self._account(), self._namespace),
            ]
        return made

    def counters(self) -> Manifest:
        """The list of what it measures."""
        default = "\n".join(f"DCGM_FI_{field},gauge,{field}" for field in _DEFAULT_COUNTERS)
        meta = objects.metadata(COUNTERS_CONFIG_MAP, self._namespace)
        return objects.config_map(meta, {"metrics": self._value("customMetrics") or default})

    def daemon_set(self) -> Manifest:
        """The DaemonSet that runs the exporter on each node."""
        value = self._value
        host_network = bool(value("hostNetwork"))
        pod = objects.filled(
            priorityClassName=value("priorityClassName") or "system-node-critical",
            runtimeClassName=value("runtimeClassName"),
            imagePullSecrets=value("imagePullSecrets"),
            hostNetwork=host_network or None,
            dnsPolicy="ClusterFirstWithHostNet" if host_network else None,
            hostPID=value("hostPID") or None,
            serviceAccountName=self._account(),
            securityContext=value("podSecurityContext"),
            nodeSelector=value("nodeSelector"),
            affinity=value("affinity"),
            tolerations=value("tolerations"),
            containers=[self._container()],
            volumes=[
                objects.host_path("pod-gpu-resources", value("kubeletPath")),
                *(objects.host_path(entry["name"], entry["hostPath"]) for entry in value("extraHostVolumes") or []),
                *(value("extraConfigMapVolumes") or []),
            ],
        )
        labels = {**self._selector, **(value("podLabels") or {}), **roles.role_label(roles.DCGM_EXPORTER)}
        return objects.daemon_set(
            self._metadata(self._name),
            selector=self._selector,
            template=objects.pod_template(labels, pod, value("podAnnotations")),
            updateStrategy=objects.filled(type="RollingUpdate", rollingUpdate=value("rollingUpdate")),
        )

    def service(self) -> Manifest:
        """The Service by which Prometheus finds the exporter's pods."""
        value, port = self._value, self._value("service.port")
        spec = objects.filled(
            type=value("service.type"),
            clusterIP=value("service.clusterIP"),
            internalTrafficPolicy=value("service.internalTrafficPolicy"),
            ports=[{"name": "metrics", "port": port, "targetPort": port, "protocol": "TCP"}],
            selector=self._selector,
        )
        meta = objects.metadata(
            self._name,
            self._namespace,
            {**self._labels, "app.kubernetes.io/component": CHART},
            value("service.annotations"),
        )
        return {"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": spec}

    def service_monitor(self) -> Manifest:
        """What tells the Prometheus Operator of it."""
        value = self._value
        endpoint = objects.filled(
            port="metrics",
            path="/metrics",
            interval=value("serviceMonitor.interval"),
            scrapeTimeout=value("serviceMonitor.scrapeTimeout"),
            honorLabels=value("serviceMonitor.honorLabels"),
            relabelings=value("serviceMonitor.relabelings"),
            metricRelabelings=value("serviceMonitor.metricRelabelings"),
        )
        labels = {**self._labels, **(value("serviceMonitor.additionalLabels") or {})}
        return {
            "apiVersion": value("serviceMonitor.apiVersion"),
            "kind": "ServiceMonitor",
            "metadata": objects.metadata(self._name, self._namespace, labels),
            "spec": {
                "selector": {"matchLabels": self._selector},
                "namespaceSelector": {"matchNames": [self._namespace]},
                "endpoints": [endpoint],
            },
        }

    def _container(self) -> Manifest:
        value = self._value
        environment = [
            {"name": "DCGM_EXPORTER_KUBERNETES", "value": "true"},
            {"name": "DCGM_EXPORTER_LISTEN", "value": value("service.address")},
            objects.field_env("NODE_NAME", "spec.nodeName"),
        ]
        for name, path in (
            ("DCGM_EXPORTER_KUBERNETES_ENABLE_POD_LABELS", "kubernetes.enablePodLabels"),
            ("DCGM_EXPORTER_KUBERNETES_ENABLE_POD_UID", "kubernetes.enablePodUID"),
            ("KUBERNETES_ENABLE_DRA", "kubernetesDRA.enabled"),
        ):
            if value(path):
                environment.append({"name": name, "value": "true"})
        return objects.filled(
            name="exporter",
            image=f"{value('image.repository')}:{value('image.tag')}",
            imagePullPolicy=value("image.pullPolicy"),
            args=value("arguments"),
            env=[*environment, *(value("extraEnv") or [])],
            ports=[{"name": "metrics", "containerPort": value("service.port")}],
            securityContext=value("securityContext"),
            resources=value("resources"),
            volumeMounts=[
                objects.mount("pod-gpu-resources", "/var/lib/kubelet/pod-resources", read_only=True),
                *(value("extraVolumeMounts") or []),
            ],
        )

    def _reads_pods(self) -> bool:
        return bool(self._value("kubernetes.enablePodLabels") or self._value("kubernetes.enablePodUID"))

    def _account(self) -> str:
        given = self._value("serviceAccount.name")
        return str(given or (self._name if self._value("serviceAccount.create") else "default"))

    def _metadata(self, name: str) -> Manifest:
        labels = {**self._labels, "app.kubernetes.io/component": CHART}
        return self._release.metadata(name, labels, self._namespace)
