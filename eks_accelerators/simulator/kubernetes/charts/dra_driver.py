"""Stand-in for the chart `dra-driver-nvidia-gpu`: NVIDIA's driver for Dynamic Resource Allocation, GPUs alone.

Source: kubernetes-sigs/dra-driver-nvidia-gpu at 9593204 (0.5.0-dev, which follows 0.4.1), `deployments/helm`
(values.yaml, `templates/kubeletplugin.yaml`, `templates/validation.yaml`, `templates/_helpers.tpl`, the device
classes), read 2026-11-21.
"""

from collections.abc import Mapping
from typing import Any

from eks_accelerators.accelerators.sharing import NVIDIA_GPU, NVIDIA_GPU_DEVICE_CLASS
from eks_accelerators.simulator.kubernetes import objects, roles
from eks_accelerators.simulator.kubernetes.charts.errors import ChartNotSimulatedError, ChartRefusalError
from eks_accelerators.simulator.kubernetes.charts.release import ChartRelease, completed
from eks_accelerators.simulator.kubernetes.objects import Manifest

CHART = "oci://registry.k8s.io/dra-driver-nvidia/charts/dra-driver-nvidia-gpu"

DRIVER = NVIDIA_GPU_DEVICE_CLASS
"""The driver's name, in slices and claims: that of its first device class."""

_NAME = "dra-driver-nvidia-gpu"
_DEVICE_TYPES = {NVIDIA_GPU_DEVICE_CLASS: "gpu", "mig.nvidia.com": "mig", "vfio.gpu.nvidia.com": "vfio"}
"""Device classes, each with the attribute `type` of its devices."""

_ON_NVIDIA = [
    ("feature.node.kubernetes.io/pci-10de.present", "true"),
    ("feature.node.kubernetes.io/pci-0302_10de.present", "true"),
    ("feature.node.kubernetes.io/pci-0300_10de.present", "true"),
    ("feature.node.kubernetes.io/cpu-model.vendor_id", "NVIDIA"),
    ("nvidia.com/gpu.present", "true"),
]

_DEFAULTS: dict[str, Any] = {
    "nvidiaDriverRoot": "/",
    "nvidiaCDIHookPath": "",
    "nameOverride": "",
    "fullnameOverride": "",
    "namespaceOverride": "",
    "selectorLabelsOverride": {},
    "gpuResourcesEnabledOverride": False,
    "allowDefaultNamespace": False,
    "resourceApiVersion": "",
    "imagePullSecrets": [],
    "image": {
        "repository": "registry.k8s.io/dra-driver-nvidia/dra-driver-nvidia-gpu",
        "pullPolicy": "IfNotPresent",
        "tag": "",
    },
    "serviceAccount": {"create": True, "annotations": {}, "name": ""},
    "resources": {"gpus": {"enabled": True}, "computeDomains": {"enabled": True}},
    "featureGates": {},
    "logVerbosity": "4",
    "webhook": {"enabled": False},
    "kubeletPlugin": {
        "priorityClassName": "system-node-critical",
        "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "100%"}},
        "podAnnotations": {},
        "podSecurityContext": {},
        "nodeSelector": {},
        "tolerations": [{"key": NVIDIA_GPU, "operator": "Exists", "effect": "NoSchedule"}],
        "kubeletRegistrarDirectoryPath": "/var/lib/kubelet/plugins_registry",
        "kubeletPluginsDirectoryPath": "/var/lib/kubelet/plugins",
        "containers": {
            "init": {"securityContext": {}, "resources": {}},
            "gpus": {"env": [], "securityContext": {"privileged": True}, "resources": {}},
        },
        "affinity": objects.required_node_affinity(
            *([objects.expression(key, "In", value)] for key, value in _ON_NVIDIA)
        ),
    },
}
_CLOSED = frozenset({"resources"})
"""Not those of a container: what of the driver is installed."""


def manifests(version: str, release: str, namespace: str, values: Mapping[str, Any]) -> list[Manifest]:
    """Account and rights, the DaemonSet of the kubelet plugin, and the device classes.

    The device class of whole GPUs has no `extendedResourceName`: see `servers.FEATURE_GATES`.
    """
    made = ChartRelease(_NAME, version, release, namespace, completed(_NAME, _DEFAULTS, values, closed=_CLOSED))
    _refuse(made)
    name = made.value("nameOverride") or _NAME
    full_name = made.full_name(name, made.value("fullnameOverride"))
    account = f"{made.value('serviceAccount.name') or f'{full_name}-service-account'}-kubeletplugin"
    return [
        *_rights(made, name, full_name, account),
        _kubelet_plugin(made, name, account),
        *(_device_class(device_class, kind) for device_class, kind in _DEVICE_TYPES.items()),
    ]


def _refuse(made: ChartRelease) -> None:
    if made.namespace == "default" and not made.value("allowDefaultNamespace"):
        raise ChartRefusalError(
            f"{_NAME}: Running in the 'default' namespace is not recommended. Set 'allowDefaultNamespace=true' to "
            "bypass this error."
        )
    if made.value("resources.computeDomains.enabled"):
        raise ChartNotSimulatedError(_NAME, "resources.computeDomains.enabled")
    if made.value("webhook.enabled"):
        raise ChartNotSimulatedError(_NAME, "webhook.enabled")
    if not made.value("resources.gpus.enabled"):
        raise ChartNotSimulatedError(_NAME, "resources.gpus.enabled: false")
    if not made.value("gpuResourcesEnabledOverride"):
        raise ChartRefusalError(
            f"{_NAME}: when 'resources.gpus.enabled=true' this DRA driver cannot be deployed alongside the standard "
            "GPU device plugin on the same node. To force it, you must also: --set 'gpuResourcesEnabledOverride=true'"
        )


def _rights(made: ChartRelease, name: str, full_name: str, account: str) -> list[Manifest]:
    role, labels = f"{full_name}-clusterrole-kubeletplugin", made.labels(name)
    rules = [
        objects.rule(["resource.k8s.io"], ["resourceclaims"], ["get"]),
        objects.rule(
            ["resource.k8s.io"], ["resourceslices"], ["get", "list", "watch", "create", "update", "patch", "delete"]
        ),
        objects.rule([""], ["nodes"], ["get", "list", "watch"]),
    ]
    return [
        objects.service_account(made.metadata(account, labels)),
        objects.cluster_role(objects.metadata(role, labels=labels), rules),
        objects.binding(objects.metadata(f"{role}-binding", labels=labels), role, account, made.namespace),
    ]


def _kubelet_plugin(made: ChartRelease, name: str, account: str) -> Manifest:
    value = made.value
    part = "kubeletPlugin"
    image = f"{value('image.repository')}:{value('image.tag') or f'v{made.version}'}"
    folders = {
        "plugins-registry": value(f"{part}.kubeletRegistrarDirectoryPath"),
        "plugins": value(f"{part}.kubeletPluginsDirectoryPath"),
        "cdi": "/var/run/cdi",
    }
    container = objects.filled(
        name="gpus",
        image=image,
        imagePullPolicy=value("image.pullPolicy"),
        command=["bash", "-c"],
        args=["gpu-kubelet-plugin -v $(LOG_VERBOSITY)"],
        securityContext=value(f"{part}.containers.gpus.securityContext"),
        resources=value(f"{part}.containers.gpus.resources"),
        env=[
            {"name": "LOG_VERBOSITY", "value": value("logVerbosity")},
            {"name": "NVIDIA_DRIVER_ROOT", "value": value("nvidiaDriverRoot")},
            {"name": "CDI_ROOT", "value": "/var/run/cdi"},
            objects.field_env("NODE_NAME", "spec.nodeName"),
            *value(f"{part}.containers.gpus.env"),
        ],
        volumeMounts=[
            *(objects.mount(volume, path) for volume, path in folders.items()),
            objects.mount("driver-root", "/driver-root"),
        ],
    )
    pod = objects.filled(
        priorityClassName=value(f"{part}.priorityClassName"),
        serviceAccountName=account,
        imagePullSecrets=value("imagePullSecrets"),
        securityContext=value(f"{part}.podSecurityContext"),
        nodeSelector=value(f"{part}.nodeSelector"),
        tolerations=value(f"{part}.tolerations"),
        affinity=value(f"{part}.affinity"),
        containers=[container],
        volumes=[
            *(objects.host_path(volume, path) for volume, path in folders.items()),
            objects.host_path("driver-root", value("nvidiaDriverRoot")),
        ],
    )
    selector = value("selectorLabelsOverride") or {f"{name}-component": "kubelet-plugin"}
    labels = {**made.selector_labels(name), **selector, **roles.role_label(roles.DRA_DRIVER)}
    return objects.daemon_set(
        made.metadata(f"{name}-kubelet-plugin", made.labels(name)),
        selector=selector,
        template=objects.pod_template(labels, pod, value(f"{part}.podAnnotations")),
        updateStrategy=value(f"{part}.updateStrategy"),
    )


def _device_class(name: str, device_type: str) -> Manifest:
    expression = f"device.driver == '{DRIVER}' && device.attributes['{DRIVER}'].type == '{device_type}'"
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": objects.metadata(name),
        "spec": {"selectors": [{"cel": {"expression": expression}}]},
    }
