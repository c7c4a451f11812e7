"""The configuration that NVIDIA's programs on a node choose and read: the device plugin, GPU Feature Discovery, MPS.

Source: NVIDIA/k8s-device-plugin v0.20.0, `cmd/config-manager/main.go` (which one: the node's label, then the default,
then the fallback strategies) and `api/config/v1` (what it says); read 2026-11-20. Nothing is asked of the code that
wrote the ConfigMap: its text decides.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from eks_accelerators.accelerators import device_plugin
from eks_accelerators.accelerators.scheduling import DEVICE_PLUGIN_CONFIG_LABEL
from eks_accelerators.accelerators.sharing import NVIDIA_GPU
from eks_accelerators.simulator.kubernetes.charts.nvidia_pods import (
    AVAILABLE_CONFIGURATIONS,
    DEFAULT_CONFIGURATION_ENV,
    FALLBACK_STRATEGIES_ENV,
)

ConfigMaps = Mapping[tuple[str, str], Mapping[str, Any]]
"""ConfigMaps by namespace and name."""


class UnusableConfigurationError(ValueError):
    """The node's programs find no configuration, or refuse it: the pod's containers do not run. Says why."""


@dataclass(frozen=True)
class PluginConfiguration:
    """What a configuration makes of a node's GPUs.

    ``strategy`` is as GPU Feature Discovery's label spells it; ``replicas`` is 1 without sharing; ``renamed`` calls
    shares `nvidia.com/gpu.shared`; ``loaded`` is the whole of it, which knows the MIG strategy and its resources too.
    """

    strategy: str = "none"
    replicas: int = 1
    renamed: bool = False
    loaded: device_plugin.Loaded = field(default_factory=lambda: device_plugin.load_text(""), compare=False)

    @property
    def mig_strategy(self) -> str:
        """`none`, `single` or `mixed`."""
        return self.loaded.mig_strategy


def configuration_of(pod: Mapping[str, Any], node: Mapping[str, Any], config_maps: ConfigMaps) -> PluginConfiguration:
    """The configuration of ``pod``, one of NVIDIA's chart, on ``node``.

    Raises `UnusableConfigurationError`.
    """
    environment = _environment(pod["spec"])
    text = _chosen_text(pod, node, config_maps, environment)
    # The chart tells the plugin its MPS root, and none of the other containers that read the configuration.
    return parse(text, device_plugin.Flags.of({"MPS_ROOT": device_plugin.CHART.mps_root or "", **environment}))


def parse(text: str, flags: device_plugin.Flags = device_plugin.CHART) -> PluginConfiguration:
    """What the plugin makes of ``text``; ``flags`` override what the configuration says.

    Raises `UnusableConfigurationError` with everything that the plugin refuses.
    """
    try:
        loaded = device_plugin.load_text(text, flags)
    except device_plugin.ConfigurationRefusedError as error:
        raise UnusableConfigurationError(f"it refuses its configuration: {error}") from None
    shared = [one.replicas for one in loaded.section.resources if one.name == NVIDIA_GPU] if loaded.section else []
    if loaded.section is None or not shared:  # others are resources that a node without MIG does not have
        return PluginConfiguration(loaded=loaded)
    return PluginConfiguration(loaded.strategy, max(shared), loaded.section.rename_by_default, loaded)


def _chosen_text(
    pod: Mapping[str, Any], node: Mapping[str, Any], config_maps: ConfigMaps, environment: Mapping[str, str]
) -> str:
    """The text of the node's configuration; empty where the release has none."""
    name = _config_map(pod["spec"])
    if name is None:
        return ""
    namespace = pod["metadata"]["namespace"]
    if (namespace, name) not in config_maps:
        raise UnusableConfigurationError(
            f"its containers are not created, since the ConfigMap {namespace}/{name} does not exist"
        )
    available: Mapping[str, str] = config_maps[namespace, name].get("data") or {}
    label = (node["metadata"].get("labels") or {}).get(DEVICE_PLUGIN_CONFIG_LABEL)
    default = environment.get(DEFAULT_CONFIGURATION_ENV, "")
    strategies = [strategy for strategy in environment.get(FALLBACK_STRATEGIES_ENV, "").split(",") if strategy]
    try:
        key = device_plugin.select(available, label, default, strategies, f"the ConfigMap {namespace}/{name}")
    except device_plugin.NoConfigurationError as error:
        raise UnusableConfigurationError(f"it restarts for ever, since {error}") from None
    return "" if key is None else available[key]


def _config_map(spec: Mapping[str, Any]) -> str | None:
    for volume in spec.get("volumes") or []:
        if volume["name"] == AVAILABLE_CONFIGURATIONS and "configMap" in volume:
            return str(volume["configMap"]["name"])
    return None


def _environment(spec: Mapping[str, Any]) -> dict[str, str]:
    """The variables of all containers: the chart gives a name the same value in each."""
    containers = [*(spec.get("initContainers") or []), *(spec.get("containers") or [])]
    return {
        entry["name"]: entry["value"]
        for container in containers
        for entry in container.get("env") or []
        if "value" in entry
    }
