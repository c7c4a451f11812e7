"""What the pods on a node make the node say of itself: extended resources, and labels of discovery.

Sources: NVIDIA/k8s-device-plugin v0.20.0, Neuron device plugin documentation (SDK 2.32), AWS EFA device plugin v0.5.20,
Bottlerocket settings `kubelet-device-plugins`, NVIDIA DRA driver 0.4.1; read 2026-11-20. Hardware is that of the node's instance type, and
nothing is advertised that no program on the node would advertise.
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from eks_accelerators.accelerators import ami, device_plugin, gpus, instance_types, sharing
from eks_accelerators.accelerators.instance_types import InstanceType
from eks_accelerators.accelerators.mig import manager as mig_manager
from eks_accelerators.accelerators.sharing import EFA_DEVICE, NVIDIA_GPU, NVIDIA_SHARED_GPU
from eks_accelerators.simulator.kubernetes import feature_labels, mig_hardware, resource_slices, roles
from eks_accelerators.simulator.kubernetes.charts.gpu_operator import MIG_CONFIG_VOLUME
from eks_accelerators.simulator.kubernetes.nodes import (
    AMI_TYPE_ANNOTATION,
    BOTTLEROCKET_SETTINGS_ANNOTATION,
    EFA_INTERFACES_ANNOTATION,
    INSTANCE_TYPE_LABEL,
    LOGICAL_CORE_ANNOTATION,
    MIG_LAYOUT_ANNOTATION,
    bottlerocket_settings,
)
from eks_accelerators.simulator.kubernetes.plugin_configuration import (
    ConfigMaps,
    PluginConfiguration,
    UnusableConfigurationError,
    configuration_of,
)
from eks_accelerators.simulator.kubernetes.resource_slices import Device

Pod = Mapping[str, Any]

_MIG_STATE = "nvidia.com/mig.config.state"
"""How mig-manager says that the GPUs are, or are not, divided as the node's label wants."""


@dataclass(frozen=True)
class NodeAdvertisement:
    """What a node says; ``devices`` are those of its ResourceSlice.

    ``notes`` are reasons why a pod that is there adds nothing, each with the pod's role.
    """

    resources: dict[str, int] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    devices: tuple[Device, ...] = ()


class _NothingError(Exception):
    """A pod adds no resource; says why. ``labels`` it writes all the same."""

    def __init__(self, reason: str, labels: Mapping[str, str] | None = None) -> None:
        self.labels = dict(labels or {})
        super().__init__(reason)


def advertised(node: Mapping[str, Any], pods: Sequence[Pod], config_maps: ConfigMaps) -> NodeAdvertisement:
    """What ``node`` says with ``pods`` on it; ``config_maps`` are those of the cluster, by namespace and name.

    A ConfigMap counts as it is now. On a real node the plugin reads it when its pod starts, and does not see a later change.
    Pods that are bound to another node, do not run or are going are left out. That GPU Feature Discovery's findings
    become labels takes Node Feature Discovery's master, which runs elsewhere and is taken for granted.
    """
    here = _Node(node, pods, config_maps)
    resources: dict[str, int] = {}
    labels: dict[str, str] = {}
    notes: list[str] = []
    for role, of_role in here.steps():
        try:
            found, described = of_role()
        except (_NothingError, UnusableConfigurationError) as reason:
            notes.append(f"{role}: {reason}")
            labels |= reason.labels if isinstance(reason, _NothingError) else {}
        else:
            resources |= found
            labels |= described
    devices: tuple[Device, ...] = ()
    try:
        devices = here.devices()
    except _NothingError as reason:
        notes.append(f"{roles.DRA_DRIVER}: {reason}")
    return NodeAdvertisement(resources, labels, (*notes, *here.doubled()), devices)


def gpus_on(node: Mapping[str, Any], pods: Sequence[Pod], config_maps: ConfigMaps) -> device_plugin.Node | None:
    """The NVIDIA GPUs of ``node`` as they are divided, with ``pods`` on it; None where no driver sees any."""
    try:
        return _Node(node, pods, config_maps).divided_gpus()
    except (_NothingError, ValueError):
        return None


_Found = tuple[dict[str, int], dict[str, str]]


class _Node:
    """One node with what runs on it."""

    def __init__(self, node: Mapping[str, Any], pods: Sequence[Pod], config_maps: ConfigMaps) -> None:
        self._node, self._config_maps = node, config_maps
        self._annotations: Mapping[str, str] = node["metadata"].get("annotations") or {}
        self._labels: Mapping[str, str] = node["metadata"].get("labels") or {}
        self._kind = instance_types.find(self._labels.get(INSTANCE_TYPE_LABEL, ""))
        self._image = self._annotations.get(AMI_TYPE_ANNOTATION, "CUSTOM")
        self._pods: dict[str, list[Pod]] = {}
        for pod in sorted(pods, key=lambda pod: str(pod["metadata"].get("name"))):
            role = (pod["metadata"].get("labels") or {}).get(roles.ROLE_LABEL)
            if role and _runs_on(pod, node["metadata"]["name"]):
                self._pods.setdefault(role, []).append(pod)

    def steps(self) -> Iterator[tuple[str, Callable[[], _Found]]]:
        """What is there to advertise something, by role."""
        if self._runs_plugin_itself:
            yield "image", self._image_s_plugin
        for role, step in (
            (roles.MIG_MANAGER, self._mig_manager),
            (roles.NVIDIA_DEVICE_PLUGIN, self._nvidia),
            (roles.NEURON_DEVICE_PLUGIN, self._neuron),
            (roles.EFA_DEVICE_PLUGIN, self._efa),
            (roles.NODE_FEATURE_DISCOVERY_WORKER, self._nfd),
            (roles.GPU_FEATURE_DISCOVERY, self._gfd),
        ):
            if role in self._pods:
                yield role, step

    def devices(self) -> tuple[Device, ...]:
        """The GPUs that the DRA driver publishes; none without it."""
        if roles.DRA_DRIVER not in self._pods:
            return ()
        return resource_slices.devices_of(self._gpus(), self._node["metadata"]["name"])

    def divided_gpus(self) -> device_plugin.Node:
        """The GPUs, whole or divided. Raises as `_gpus` does, and ValueError where they cannot be divided so."""
        kind = self._gpus()
        if not self._runs_plugin_itself:
            return self._hardware(kind)
        return mig_hardware.gpus_on_bottlerocket(kind, self._image_s_settings())

    def doubled(self) -> list[str]:
        """What more than one pod hands out: of one role, where one wins, or of two that know nothing of each other."""
        found = [f"{role}: {len(pods)} pods on one node" for role, pods in self._pods.items() if len(pods) > 1]
        if roles.DRA_DRIVER in self._pods and (roles.NVIDIA_DEVICE_PLUGIN in self._pods or self._runs_plugin_itself):
            found.append(f"{roles.DRA_DRIVER}: the device plugin on this node hands out the same GPUs")
        return found

    @property
    def _runs_plugin_itself(self) -> bool:
        return ami.runs_nvidia_device_plugin(self._image) and self._kind is not None and self._kind.has_nvidia_gpu

    def _gpus(self) -> InstanceType:
        if self._kind is None or not self._kind.has_nvidia_gpu:
            raise _NothingError("the node has no NVIDIA GPU")
        if self._image != "CUSTOM" and not ami.carries_nvidia_driver(self._image):
            raise _NothingError(f"the image {self._image} has no NVIDIA driver")
        return self._kind

    def _nvidia(self) -> _Found:
        kind = self._gpus()
        if self._runs_plugin_itself:
            raise _NothingError(f"the image {self._image} runs the plugin itself, and both register the same resource")
        configuration = self._configuration(roles.NVIDIA_DEVICE_PLUGIN)
        if configuration.strategy == "mps":
            self._check_mps(kind, configuration)
        return _shares(configuration, self._hardware(kind)), {}

    def _check_mps(self, kind: InstanceType, configuration: PluginConfiguration) -> None:
        most = gpus.most_mps_clients(kind.accelerator.name)
        if configuration.replicas > most:
            raise _NothingError(f"MPS takes at most {most} clients of one GPU, not {configuration.replicas}")
        for role in (roles.GPU_FEATURE_DISCOVERY, roles.MPS_CONTROL_DAEMON):
            if role not in self._pods:
                raise _NothingError(f"MPS needs the {role} on this node, and it is not here")

    def _gfd(self) -> _Found:
        hardware = self._hardware(self._gpus())
        return {}, feature_labels.from_gfd(hardware, self._configuration(roles.GPU_FEATURE_DISCOVERY))

    def _nfd(self) -> _Found:
        return {}, feature_labels.from_nfd(self._kind)

    def _neuron(self) -> _Found:
        if self._kind is None or self._kind.neuron is None:
            raise _NothingError("the node has no Neuron device")
        if self._image != "CUSTOM" and "NEURON" not in self._image and not ami.is_bottlerocket(self._image):
            raise _NothingError(f"the image {self._image} has no Neuron driver")
        size = self._annotations.get(LOGICAL_CORE_ANNOTATION)
        return sharing.advertised(self._kind, logical_core_size=int(size) if size else None), {}

    def _efa(self) -> _Found:
        interfaces = int(self._annotations.get(EFA_INTERFACES_ANNOTATION, "0"))
        if not interfaces:
            raise _NothingError("it restarts for ever, since no EFA interface is attached")
        return {EFA_DEVICE: interfaces}, {}

    def _image_s_plugin(self) -> _Found:
        settings = self._image_s_settings()
        strategy = settings.get("device-sharing-strategy", "none")
        shared = settings.get(strategy, {})
        configuration = PluginConfiguration(
            strategy, int(shared.get("replicas", 1)), bool(shared.get("rename-by-default", False))
        )
        try:
            hardware = mig_hardware.gpus_on_bottlerocket(self._gpus(), settings)
        except ValueError as error:
            raise _NothingError(str(error)) from None
        name = NVIDIA_SHARED_GPU if configuration.renamed else NVIDIA_GPU
        # Its strategy is `single`: instances are called GPUs.
        devices = sum(sum(layout.values()) if layout else 1 for layout in hardware.layouts)
        return {name: devices * configuration.replicas}, {}

    def _image_s_settings(self) -> Mapping[str, Any]:
        text = self._annotations.get(BOTTLEROCKET_SETTINGS_ANNOTATION, "")
        found: Mapping[str, Any] = bottlerocket_settings(text).get("kubelet-device-plugins", {}).get("nvidia", {})
        return found

    def _mig_manager(self) -> _Found:
        """It divides the GPUs, and says on the node how that went. Without a name it does nothing."""
        if mig_manager.CONFIG_LABEL not in self._labels:
            return {}, {}
        try:
            self._divided(self._gpus())
        except ValueError as error:
            raise _NothingError(str(error), {_MIG_STATE: "failed"}) from None
        return {}, {_MIG_STATE: "success"}

    def _hardware(self, kind: InstanceType) -> device_plugin.Node:
        if roles.MIG_MANAGER in self._pods and mig_manager.CONFIG_LABEL in self._labels:
            with contextlib.suppress(ValueError):
                return self._divided(kind)
        return mig_hardware.gpus_of(kind, self._annotations.get(MIG_LAYOUT_ANNOTATION, ""))

    def _divided(self, kind: InstanceType) -> device_plugin.Node:
        """The GPUs as the node's mig-manager divides them; raises ValueError where it fails."""
        pod = self._pods[roles.MIG_MANAGER][0]
        volumes = {volume["name"]: volume for volume in pod["spec"].get("volumes") or []}
        if MIG_CONFIG_VOLUME not in volumes:
            raise ValueError("the layouts that mig-manager generates of the hardware are not simulated")
        key = pod["metadata"]["namespace"], volumes[MIG_CONFIG_VOLUME]["configMap"]["name"]
        if key not in self._config_maps:
            raise ValueError(f"its container is not created, since the ConfigMap {'/'.join(key)} does not exist")
        file = (self._config_maps[key].get("data") or {}).get(mig_manager.CONFIG_FILE)
        if file is None:
            raise ValueError(f"the ConfigMap {'/'.join(key)} has no key {mig_manager.CONFIG_FILE}")
        return mig_hardware.gpus_by_manager(kind, file, self._labels[mig_manager.CONFIG_LABEL])

    def _configuration(self, role: str) -> PluginConfiguration:
        return configuration_of(self._pods[role][0], self._node, self._config_maps)


def _shares(configuration: PluginConfiguration, hardware: device_plugin.Node) -> dict[str, int]:
    """What the plugin makes of the GPUs that are there; it refuses some together with its configuration."""
    try:
        return dict(device_plugin.advertise(configuration.loaded, hardware))
    except device_plugin.ConfigurationRefusedError as error:
        raise _NothingError(f"it refuses its configuration on these GPUs: {error}") from None


def _runs_on(pod: Pod, name: str) -> bool:
    return (
        (pod.get("spec") or {}).get("nodeName", name) == name
        and (pod.get("status") or {}).get("phase", "Running") == "Running"
        and "deletionTimestamp" not in pod["metadata"]
    )
