"""Stand-in for NVIDIA's chart `nvidia-device-plugin`: the plugin, and with it what finds out about a node's GPUs.

Source: NVIDIA/k8s-device-plugin v0.20.0, `deployments/helm/nvidia-device-plugin` (values.yaml, `templates/`), read
2026-11-20. Names, labels, selectors, tolerations, security contexts and volumes are the chart's.
"""

from collections.abc import Mapping
from typing import Any

from eks_accelerators.accelerators import device_plugin
from eks_accelerators.accelerators.sharing import NVIDIA_GPU
from eks_accelerators.simulator.kubernetes import objects, roles
from eks_accelerators.simulator.kubernetes.charts import (
    gpu_feature_discovery,
    mps_control_daemon,
    node_feature_discovery,
    nvidia_pods,
)
from eks_accelerators.simulator.kubernetes.charts.errors import ChartRefusalError
from eks_accelerators.simulator.kubernetes.charts.hooks import Hook
from eks_accelerators.simulator.kubernetes.charts.release import ChartRelease, completed
from eks_accelerators.simulator.kubernetes.objects import Manifest

CHART = "nvidia-device-plugin"

DEFAULTS: dict[str, Any] = {
    "config": {"name": "", "map": {}, "default": "", "fallbackStrategies": ["named", "single"]},
    **dict.fromkeys(
        (
            *("compatWithCPUManager", "migStrategy", "failOnInitError", "deviceListStrategy", "deviceIDStrategy"),
            *("nvidiaDriverRoot", "nvidiaDevRoot", "nvidiaDriverCapabilities", "gdrcopyEnabled", "gdsEnabled"),
            *("mofedEnabled", "deviceDiscoveryStrategy", "runtimeClassName", "logVerbosity", "namespace"),
        )
    ),
    **dict.fromkeys(("nameOverride", "fullnameOverride", "namespaceOverride"), ""),
    "selectorLabelsOverride": {},
    "componentSelectorLabels": {"enabled": False},
    "allowDefaultNamespace": False,
    "imagePullSecrets": [],
    "image": {"repository": "nvcr.io/nvidia/k8s-device-plugin", "pullPolicy": "IfNotPresent", "tag": ""},
    "updateStrategy": {"type": "RollingUpdate"},
    **{name: {} for name in ("podAnnotations", "podSecurityContext", "securityContext", "resources", "nodeSelector")},
    "affinity": objects.required_node_affinity(
        [objects.expression("feature.node.kubernetes.io/pci-10de.present", "In", "true")],
        [objects.expression("feature.node.kubernetes.io/cpu-model.vendor_id", "In", "NVIDIA")],
        [objects.expression("nvidia.com/gpu.present", "In", "true")],
    ),
    "tolerations": [
        {"key": "CriticalAddonsOnly", "operator": "Exists"},
        {"key": NVIDIA_GPU, "operator": "Exists", "effect": "NoSchedule"},
    ],
    "priorityClassName": "system-node-critical",
    "configManager": {"resources": {}},
    "devicePlugin": {"enabled": True, "enableHostNetwork": False, "resources": {}, "containers": {}},
    "gfd": {
        "enabled": False,
        "nameOverride": "gpu-feature-discovery",
        "namespaceOverride": "",
        "noTimestamp": None,
        "sleepInterval": None,
        "securityContext": {"privileged": True},
        "enableHostNetwork": False,
        "resources": {},
    },
    "nfd": {**node_feature_discovery.DEFAULTS, "enabled": None},
    "mps": {"root": "/run/nvidia/mps", "enableHostPID": True, "enableHostNetwork": False, "resources": {}},
    "cdi": {"nvidiaHookPath": None, "featureFlags": None},
}


def manifests(version: str, release: str, namespace: str, values: Mapping[str, Any]) -> list[Manifest]:
    """Everything that the chart installs, its dependency Node Feature Discovery included."""
    made = _release(version, release, namespace, values)
    _refuse(made)
    pods = nvidia_pods.NvidiaPods(made)
    result = _accounts(pods)
    if made.value("config.map"):
        meta = made.metadata(str(pods.config_map), pods.labels)
        result.append(objects.config_map(meta, made.value("config.map")))
    if made.value("devicePlugin.enabled"):
        result += [daemon_set(pods), mps_control_daemon.daemon_set(pods)]
    if made.value("gfd.enabled"):
        result.append(gpu_feature_discovery.daemon_set(pods))
    if _with_node_feature_discovery(made):
        result = [*node_feature_discovery.manifests(made), *result]
    return result


def hooks(version: str, release: str, namespace: str, values: Mapping[str, Any]) -> list[Hook]:
    """What Helm runs when it deletes the release: that of its dependency."""
    made = _release(version, release, namespace, values)
    return node_feature_discovery.hooks(made) if _with_node_feature_discovery(made) else []


def _release(version: str, release: str, namespace: str, values: Mapping[str, Any]) -> ChartRelease:
    whole = completed(CHART, DEFAULTS, values, closed=frozenset({"config"}))
    return ChartRelease(CHART, version, release, namespace, whole)


def _with_node_feature_discovery(release: ChartRelease) -> bool:
    """The dependency's condition is `nfd.enabled,gfd.enabled` (Chart.yaml): the first that is set decides."""
    wanted = release.value("nfd.enabled")
    return bool(release.value("gfd.enabled") if wanted is None else wanted)


def _refuse(release: ChartRelease) -> None:
    """What `templates/validation.yml` refuses."""
    for problem in device_plugin.plugin_chart_refusals(release.values, release.namespace):
        raise ChartRefusalError(
            f"{CHART}: {problem.path} {problem.message}" if problem.path else f"{CHART}: {problem.message}"
        )


def _accounts(pods: nvidia_pods.NvidiaPods) -> list[Manifest]:
    name, labels = pods.full_name, pods.labels
    rules = [objects.rule([""], ["nodes"], ["get", "list", "watch"])]
    if pods.release.value("gfd.enabled"):
        verbs = ["get", "list", "watch", "create", "update"]
        rules.append(objects.rule([node_feature_discovery.GROUP], ["nodefeatures"], verbs))
    return [
        objects.service_account(pods.metadata(pods.account)),
        objects.cluster_role(objects.metadata(f"{name}-role", labels=labels), rules),
        objects.binding(
            objects.metadata(f"{name}-role-binding", labels=labels), f"{name}-role", pods.account, pods.namespace
        ),
    ]


def daemon_set(pods: nvidia_pods.NvidiaPods) -> Manifest:
    """The plugin's DaemonSet."""
    release, root = pods.release, pods.release.value("mps.root")
    environment = [
        {"name": "MPS_ROOT", "value": root},
        *pods.flags(
            MIG_STRATEGY="migStrategy",
            FAIL_ON_INIT_ERROR="failOnInitError",
            PASS_DEVICE_SPECS="compatWithCPUManager",  # noqa: S106  (a value's name)
            DEVICE_LIST_STRATEGY="deviceListStrategy",
            DEVICE_ID_STRATEGY="deviceIDStrategy",
            NVIDIA_DRIVER_ROOT="nvidiaDriverRoot",
            NVIDIA_DEV_ROOT="nvidiaDevRoot",
            GDRCOPY_ENABLED="gdrcopyEnabled",
            GDS_ENABLED="gdsEnabled",
            MOFED_ENABLED="mofedEnabled",
            DEVICE_DISCOVERY_STRATEGY="deviceDiscoveryStrategy",
        ),
        *pods.config_environment(),
        {"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"},
        {"name": "NVIDIA_DRIVER_CAPABILITIES", "value": "compute,utility"},
    ]
    main = pods.container(
        "nvidia-device-plugin-ctr",
        "nvidia-device-plugin",
        environment,
        [
            objects.mount("kubelet-device-plugins-dir", "/var/lib/kubelet/device-plugins"),
            objects.mount("mps-shm", "/dev/shm"),  # noqa: S108  (the container's own)
            objects.mount("mps-root", "/mps"),
            objects.mount("cdi-root", "/var/run/cdi"),
        ],
        pods.plugin_security_context(),
    )
    volumes = [
        objects.host_path("kubelet-device-plugins-dir", "/var/lib/kubelet/device-plugins", "Directory"),
        objects.host_path("mps-root", root, "DirectoryOrCreate"),
        objects.host_path("mps-shm", f"{root}/shm"),
        objects.host_path("cdi-root", "/var/run/cdi", "DirectoryOrCreate"),
    ]
    return pods.daemon_set(
        pods.full_name,
        roles.NVIDIA_DEVICE_PLUGIN,
        init=pods.config_manager("nvidia-device-plugin-init", None),
        containers=[
            *pods.config_manager(
                "nvidia-device-plugin-sidecar", "nvidia-device-plugin", pods.plugin_security_context()
            ),
            main,
        ],
        volumes=volumes,
        host_network=bool(release.value("devicePlugin.enableHostNetwork")),
    )
