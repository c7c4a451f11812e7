"""Values of NVIDIA's chart `gpu-operator` where nobody gives others.

Source: NVIDIA/gpu-operator near v26.7.0, `deployments/gpu-operator/values.yaml` at 25dba04, read 2026-11-21.
"""

from typing import Any

from eks_accelerators.simulator.kubernetes import objects
from eks_accelerators.simulator.kubernetes.charts import node_feature_discovery

NFD = "node-feature-discovery"
"""Key of the values of the chart below."""

PLUGIN_VERSION = "0.20.0"
"""Of the image of plugin and discovery."""

_CONTROL_PLANE = {
    "key": "node-role.kubernetes.io/control-plane",
    "operator": "Equal",
    "value": "",
    "effect": "NoSchedule",
}
_ANY_GPU = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
_NFD_ACCOUNT = {"name": NFD, "create": False, "annotations": {}}


def _image(image: str, version: str, repository: str = "nvcr.io/nvidia", **more: Any) -> dict[str, Any]:
    """The values that every part has."""
    named = {"repository": repository, "image": image, "version": version, "imagePullPolicy": "IfNotPresent"}
    return {**named, "imagePullSecrets": [], "env": [], "args": [], "resources": {}, "hostNetwork": False, **more}


_CLOUD_NATIVE, _K8S = "nvcr.io/nvidia/cloud-native", "nvcr.io/nvidia/k8s"
_CONFIG = {"create": False, "name": "", "default": "", "data": {}}

DEFAULTS: dict[str, Any] = {
    "nfd": {"enabled": True, "nodefeaturerules": False},
    "psa": {"enabled": False},
    "cdi": {"enabled": True, "nriPluginEnabled": False},
    "sandboxWorkloads": {"enabled": False, "defaultWorkload": "container", "mode": "kubevirt"},
    "hostPaths": {"rootFS": "/", "driverInstallDir": "/run/nvidia/driver"},
    "daemonsets": {
        "labels": {},
        "annotations": {},
        "priorityClassName": "system-node-critical",
        "tolerations": [_ANY_GPU],
        "updateStrategy": "RollingUpdate",
        "rollingUpdate": {"maxUnavailable": "1"},
    },
    "validator": _image("gpu-operator", "", plugin={"env": []}),
    "operator": _image(
        "gpu-operator",
        "",
        runtimeClass="nvidia",
        cleanupCRD=False,
        upgradeCRD=True,
        priorityClassName="system-node-critical",
        tolerations=[_CONTROL_PLANE],
        nodeSelector={},
        affinity={},
        annotations={},
        resources=objects.requests("200m", "100Mi", cpu_limit="500m", memory_limit="350Mi"),
    ),
    "mig": {"strategy": "single"},
    "driver": _image("driver", "595.91.07", enabled=True),
    "toolkit": _image("container-toolkit", "v1.20.0", _K8S, enabled=True),
    "devicePlugin": _image(
        "k8s-device-plugin",
        f"v{PLUGIN_VERSION}",
        enabled=True,
        config=_CONFIG,
        mps={"root": "/run/nvidia/mps"},
    ),
    "dcgm": _image("dcgm", "4.6.0-1-ubuntu24.04", _CLOUD_NATIVE, enabled=False),
    "dcgmExporter": _image(
        "dcgm-exporter",
        "4.6.0-4.8.3-distroless",
        _K8S,
        enabled=True,
        annotations={},
        hostPID=False,
        enablePodLabels=False,
        enablePodUID=False,
        podLabelAllowlistRegex=[],
        service={"internalTrafficPolicy": "Cluster"},
        serviceMonitor={
            "enabled": True,
            "interval": "15s",
            "scrapeTimeout": "10s",
            "honorLabels": False,
            "additionalLabels": {},
            "relabelings": [],
        },
        config={"create": False, "name": "", "data": ""},
    ),
    "gfd": _image("k8s-device-plugin", f"v{PLUGIN_VERSION}", enabled=True),
    "migManager": _image(
        "k8s-mig-manager",
        "v0.15.0",
        _CLOUD_NATIVE,
        enabled=True,
        config={**_CONFIG, "default": "all-disabled"},
        gpuClientsConfig={"name": ""},
    ),
    "nodeStatusExporter": _image("gpu-operator", "", enabled=False),
    "clusterPolicy": {"deployCR": True},
    "gpuCluster": {"deployCR": False},
    "extraObjects": [],
    NFD: {
        **node_feature_discovery.DEFAULTS,
        "priorityClassName": "system-node-critical",
        "worker": {
            **node_feature_discovery.DEFAULTS["worker"],
            "serviceAccount": _NFD_ACCOUNT,
            "tolerations": [_CONTROL_PLANE, _ANY_GPU],
        },
        "gc": {**node_feature_discovery.DEFAULTS["gc"], "serviceAccount": _NFD_ACCOUNT},
    },
}

CLOSED = frozenset({"devicePlugin.config", "migManager.config", "dcgmExporter.config"})
"""Values in which a key that the chart does not have is refused."""
