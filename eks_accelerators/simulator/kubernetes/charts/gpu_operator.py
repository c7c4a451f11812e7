"""Stand-in for NVIDIA's chart `gpu-operator`, and for what the operator in it deploys once it runs.

Sources: NVIDIA/gpu-operator near v26.7.0, `deployments/gpu-operator` (values.yaml at 25dba04, `templates/`), `assets/`
(the DaemonSets with their node selectors), `controllers/object_controls.go` (what a ClusterPolicy changes in them), read
2026-11-21. The operator makes its DaemonSets out of the ClusterPolicy; here they come with the release, of the same
values, and the plugin's are those of the plugin's own chart under the operator's names. What it writes on nodes is in
`eks_accelerators.simulator.kubernetes.operator_labels`. Left out: init containers that wait for the validator, parts for virtual
machines, and hooks that change CRDs (`operator.upgradeCRD`, `operator.cleanupCRD`).
"""

from collections.abc import Mapping
from typing import Any

from eks_accelerators.accelerators.mig.manager import CONFIG_FILE
from eks_accelerators.accelerators.scheduling import TOLERATED_BY_OPERATOR
from eks_accelerators.simulator.kubernetes import objects, roles
from eks_accelerators.simulator.kubernetes.charts import (
    dcgm_exporter,
    gpu_feature_discovery,
    mps_control_daemon,
    node_feature_discovery,
    nvidia_device_plugin,
)
from eks_accelerators.simulator.kubernetes.charts.gpu_operator_values import CLOSED, DEFAULTS, NFD, PLUGIN_VERSION
from eks_accelerators.simulator.kubernetes.charts.hooks import Hook
from eks_accelerators.simulator.kubernetes.charts.nvidia_pods import NvidiaPods
from eks_accelerators.simulator.kubernetes.charts.release import ChartRelease, completed
from eks_accelerators.simulator.kubernetes.objects import Manifest

CHART = "gpu-operator"
GROUP = "nvidia.com"

MIG_CONFIG_VOLUME = "mig-parted-config"
"""The volume of mig-manager's pod with the file of layouts."""

_COUNTERS_FILE = "dcgm-metrics.csv"
_DEPLOY = "nvidia.com/gpu.deploy."
_IN_THE_POLICY = (
    *("cdi", "daemonsets", "dcgm", "dcgmExporter", "devicePlugin", "driver", "gfd", "hostPaths", "mig", "migManager"),
    *("nodeStatusExporter", "psa", "sandboxWorkloads", "toolkit", "validator"),
)


def manifests(version: str, release: str, namespace: str, values: Mapping[str, Any]) -> list[Manifest]:
    """The operator, discovery, the ClusterPolicy and its CRD, and the DaemonSets that the operator makes of it."""
    made = ChartRelease(CHART, version, release, namespace, completed(CHART, DEFAULTS, values, closed=CLOSED))
    not_simulated = (
        *("driver.enabled", "toolkit.enabled", "dcgm.enabled", "nodeStatusExporter.enabled", "gpuCluster.deployCR"),
        *("sandboxWorkloads.enabled", "extraObjects", "nfd.nodefeaturerules", "cdi.nriPluginEnabled"),
        *(f"{part}.config.create" for part in ("devicePlugin", "migManager", "dcgmExporter")),
    )
    made.refuse(CHART, not_simulated)
    operator = _Operator(made)
    result = operator.itself()
    if made.value("nfd.enabled"):
        result += node_feature_discovery.manifests(made, NFD)
    return result + (operator.operands() if made.value("clusterPolicy.deployCR") else [])


def hooks(version: str, release: str, namespace: str, values: Mapping[str, Any]) -> list[Hook]:
    """What Helm runs when it deletes the release: the first, which no value switches off, and that of its dependency.

    Source: `templates/cleanup_gpucluster.yaml` at v26.7.0, read 2026-11-22.
    """
    made = ChartRelease(CHART, version, release, namespace, completed(CHART, DEFAULTS, values, closed=CLOSED))
    pod = objects.filled(
        nodeSelector=made.value("operator.nodeSelector"), tolerations=made.value("operator.tolerations")
    )
    first = Hook("pre-delete", "gpu-operator-cleanup-gpucluster", namespace, pod)
    return [first, *(node_feature_discovery.hooks(made, NFD) if made.value("nfd.enabled") else [])]


class _Operator:
    """The objects of one release."""

    def __init__(self, release: ChartRelease) -> None:
        self._release, self._value = release, release.value
        self._tolerations = release.value("daemonsets.tolerations") or [TOLERATED_BY_OPERATOR]

    def itself(self) -> list[Manifest]:
        """The Deployment with its rights, and the CRD that it reads."""
        value, labels = self._value, self._release.selector_labels(CHART)
        pod = objects.filled(
            serviceAccountName=CHART,
            priorityClassName=value("operator.priorityClassName"),
            nodeSelector=value("operator.nodeSelector"),
            tolerations=value("operator.tolerations"),
            affinity=value("operator.affinity"),
            containers=[self._container("operator", CHART)],
        )
        everything = [objects.rule(["*"], ["*"], ["*"])]
        return [
            objects.custom_resource_definition(GROUP, "v1", "ClusterPolicy", "clusterpolicies", namespaced=False),
            *self._account(CHART, everything),
            objects.deployment(
                self._metadata(CHART),
                replicas=1,
                selector={"app": CHART},
                template=objects.pod_template(
                    {**labels, "app": CHART, **roles.role_label(roles.GPU_OPERATOR)}, pod, value("operator.annotations")
                ),
            ),
        ]

    def operands(self) -> list[Manifest]:
        """The ClusterPolicy, and what follows from it."""
        value = self._value
        runtime = value("operator.runtimeClass")
        spec = {part: _in_the_policy(value(part)) for part in _IN_THE_POLICY} | {"operator": {"runtimeClass": runtime}}
        meta = objects.metadata("cluster-policy", labels=self._release.labels(CHART))
        made: list[Manifest] = [
            {"apiVersion": f"{GROUP}/v1", "kind": "ClusterPolicy", "metadata": meta, "spec": spec},
            # The image's containerd has the handler; no pod with the class is admitted before it is there.
            {
                "apiVersion": "node.k8s.io/v1",
                "kind": "RuntimeClass",
                "metadata": objects.metadata(runtime),
                "handler": runtime,
            },
        ]
        made += self._of_the_plugin()
        if value("dcgmExporter.enabled"):
            made += self._exporter()
        if value("migManager.enabled"):
            made += self._mig_manager()
        return made + self._validator()

    def _of_the_plugin(self) -> list[Manifest]:
        rules = [objects.rule([""], ["nodes"], ["get", "list", "watch"])]
        made: list[Manifest] = []
        if self._value("devicePlugin.enabled"):
            plugin = self._pods("nvidia-device-plugin", "device-plugin", self._value("devicePlugin.env"))
            made += [
                *self._account(plugin.account, rules),
                _named("nvidia-device-plugin-daemonset", nvidia_device_plugin.daemon_set(plugin)),
                _named("nvidia-device-plugin-mps-control-daemon", mps_control_daemon.daemon_set(plugin)),
            ]
        if self._value("gfd.enabled"):
            discovery = self._pods("gpu-feature-discovery", "gpu-feature-discovery", self._value("gfd.env"))
            features = objects.rule([node_feature_discovery.GROUP], ["nodefeatures"], ["get", "create", "update"])
            made += [
                *self._account(discovery.account, [*rules, features]),
                _named("gpu-feature-discovery", gpu_feature_discovery.daemon_set(discovery)),
            ]
        return made

    def _pods(self, name: str, part: str, environment: list[Manifest]) -> NvidiaPods:
        """The pods of the plugin's own chart, with what the operator says in place of its values."""
        value, of_policy = self._value, {entry["name"]: entry["value"] for entry in environment or []}
        given = {
            "fullnameOverride": name,
            "config": {
                "name": value("devicePlugin.config.name"),
                "default": value("devicePlugin.config.default"),
                "fallbackStrategies": [],
            },
            # Empty leaves each node's own configuration to decide.
            "migStrategy": value("mig.strategy") or None,
            "mofedEnabled": of_policy.get("MOFED_ENABLED"),
            "affinity": None,
            "nodeSelector": {f"{_DEPLOY}{part}": "true"},
            "tolerations": self._tolerations,
            "priorityClassName": value("daemonsets.priorityClassName"),
            "runtimeClassName": value("operator.runtimeClass"),
            "mps": {"root": value("devicePlugin.mps.root")},
        }
        chart = nvidia_device_plugin.CHART
        whole = completed(chart, nvidia_device_plugin.DEFAULTS, given, closed=frozenset({"config"}))
        return NvidiaPods(ChartRelease(chart, PLUGIN_VERSION, name, self._release.namespace, whole))

    def _exporter(self) -> list[Manifest]:
        value, name, counters = self._value, "nvidia-dcgm-exporter", self._value("dcgmExporter.config.name")
        given = {
            "fullnameOverride": name,
            "image": {"tag": value("dcgmExporter.version")},
            "nodeSelector": {f"{_DEPLOY}dcgm-exporter": "true"},
            "tolerations": self._tolerations,
            "hostPID": value("dcgmExporter.hostPID"),
            "extraEnv": value("dcgmExporter.env"),
            "kubernetes": {
                "enablePodLabels": value("dcgmExporter.enablePodLabels"),
                "enablePodUID": value("dcgmExporter.enablePodUID"),
            },
            "serviceMonitor": value("dcgmExporter.serviceMonitor"),
            "extraConfigMapVolumes": [],
            "extraVolumeMounts": [],
        }
        if counters:
            volume, path = "metrics-config", f"/etc/dcgm-exporter/{_COUNTERS_FILE}"
            items = [{"key": _COUNTERS_FILE, "path": _COUNTERS_FILE}]
            given["extraConfigMapVolumes"] = [{"name": volume, "configMap": {"name": counters, "items": items}}]
            given["extraVolumeMounts"] = [objects.mount(volume, path, subPath=_COUNTERS_FILE)]
            given["arguments"] = ["-f", path]
        whole = completed(dcgm_exporter.CHART, dcgm_exporter.DEFAULTS, given)
        exporter = dcgm_exporter.ExporterRelease(
            ChartRelease(dcgm_exporter.CHART, self._release.version, name, self._release.namespace, whole)
        )
        made = [*exporter.accounts(), exporter.daemon_set(), exporter.service()]
        return [*made, exporter.service_monitor()] if value("dcgmExporter.serviceMonitor.enabled") else made

    def _mig_manager(self) -> list[Manifest]:
        name = "nvidia-mig-manager"
        container = self._container("migManager", name)
        container["env"] = [
            objects.field_env("NODE_NAME", "spec.nodeName"),
            {"name": "CONFIG_FILE", "value": f"/{MIG_CONFIG_VOLUME}/{CONFIG_FILE}"},
            *container.get("env", []),
        ]
        container["volumeMounts"] = [
            objects.mount("host-sys", "/sys"),
            objects.mount(MIG_CONFIG_VOLUME, f"/{MIG_CONFIG_VOLUME}"),
        ]
        volumes: list[Manifest] = [objects.host_path("host-sys", "/sys", "Directory")]
        # Without a file of one's own it generates one of the hardware, which is not simulated: no volume, no layout.
        config = self._value("migManager.config.name")
        if config:
            volumes.append({"name": MIG_CONFIG_VOLUME, "configMap": {"name": config}})
        else:
            container["volumeMounts"].pop()
        rules = [objects.rule([""], ["nodes", "pods"], ["get", "list", "watch", "update", "patch"])]
        return [
            *self._account(name, rules),
            self._daemon_set(name, "mig-manager", roles.MIG_MANAGER, container, volumes),
        ]

    def _validator(self) -> list[Manifest]:
        name = "nvidia-operator-validator"
        rules = [objects.rule([""], ["nodes", "pods"], ["get", "list", "watch", "create", "delete"])]
        container = self._container("validator", name)
        made = self._daemon_set(name, "operator-validator", roles.OPERATOR_VALIDATOR, container, [])
        return [*self._account(name, rules), made]

    def _daemon_set(self, name: str, part: str, role: str, container: Manifest, volumes: list[Manifest]) -> Manifest:
        value = self._value
        pod = objects.filled(
            serviceAccountName=name,
            priorityClassName=value("daemonsets.priorityClassName"),
            runtimeClassName=value("operator.runtimeClass"),
            nodeSelector={f"{_DEPLOY}{part}": "true"},
            tolerations=self._tolerations,
            containers=[container],
            volumes=volumes,
        )
        labels = {**self._release.selector_labels(CHART), "app": name, **roles.role_label(role)}
        return objects.daemon_set(
            self._metadata(name), selector={"app": name}, template=objects.pod_template(labels, pod)
        )

    def _container(self, part: str, name: str) -> Manifest:
        value = self._value
        version = value(f"{part}.version") or f"v{self._release.version}"
        return objects.filled(
            name=name,
            image=f"{value(f'{part}.repository')}/{value(f'{part}.image')}:{version}",
            imagePullPolicy=value(f"{part}.imagePullPolicy"),
            env=value(f"{part}.env"),
            resources=value(f"{part}.resources"),
            securityContext=None if part == "operator" else {"privileged": True},
        )

    def _account(self, name: str, rules: list[Manifest]) -> list[Manifest]:
        labels = self._release.labels(CHART)
        return [
            objects.service_account(self._metadata(name)),
            objects.cluster_role(objects.metadata(name, labels=labels), rules),
            objects.binding(objects.metadata(name, labels=labels), name, name, self._release.namespace),
        ]

    def _metadata(self, name: str) -> Manifest:
        return self._release.metadata(name, self._release.labels(CHART))


def _named(name: str, daemon_set: Manifest) -> Manifest:
    """The DaemonSet under the operator's own name, its pods selected by it."""
    template = daemon_set["spec"]["template"]
    template["metadata"]["labels"]["app"] = name
    daemon_set["spec"]["selector"] = {"matchLabels": {"app": name}}
    return {**daemon_set, "metadata": {**daemon_set["metadata"], "name": name}}


def _in_the_policy(values: Any) -> Any:
    """Values of a part as the template hands them on: nothing that is empty, and which ConfigMap it reads, not what the chart
    puts into it.
    """
    if not isinstance(values, dict):
        return values
    given = {key: value for key, value in values.items() if value not in ("", None)}
    if isinstance(given.get("config"), dict):
        given["config"] = {key: value for key, value in given["config"].items() if key in ("name", "default")}
    return given
