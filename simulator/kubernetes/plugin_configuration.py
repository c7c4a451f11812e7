"""The configuration that NVIDIA's programs on a node choose and read: the device plugin, GPU Feature Discovery, MPS.

Source: NVIDIA/k8s-device-plugin v0.20.0, `cmd/config-manager/main.go` (which one: the node's label, then the default,
then the fallback strategies) and `api/config/v1` (what it says); read 2026-11-20. Nothing is asked of the code that
wrote the ConfigMap: its text decides.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from accelerators import device_plugin
from accelerators.scheduling import DEVICE_PLUGIN_CONFIG_LABEL
from accelerators.sharing import NVIDIA_GPU
from simulator.kubernetes.charts.nvidia_pods import (
    AVAILABLE_CONFIGURATIONS,
    DEFAULT_CONFIGURATION_ENV,
    FALLBACK_STRATEGIES_ENV,
    MIG_STRATEGY_ENV,
)

ConfigMaps = Mapping[tuple[str, str], Mapping[str, Any]]
"""ConfigMaps by namespace and name."""

_MIG_STRATEGIES = ("none", "single", "mixed")
_ONLY_IGNORED = ("ignored by the plugin", "in silence", "nothing would be shared", "is given twice")
"""By these words `accelerators.device_plugin.problems` tells what the plugin ignores from what it refuses."""


class UnusableConfigurationError(ValueError):
    """The node's programs find no configuration, or refuse it: the pod's containers do not run. Says why."""


@dataclass(frozen=True)
class PluginConfiguration:
    """What a configuration makes of a node's GPUs.

    ``strategy`` is as GPU Feature Discovery's label spells it; ``replicas`` is 1 without sharing; ``renamed`` calls
    shares `nvidia.com/gpu.shared`; ``mig`` is whether it asks for MIG.
    """

    strategy: str = "none"
    replicas: int = 1
    renamed: bool = False
    mig: bool = False


def configuration_of(pod: Mapping[str, Any], node: Mapping[str, Any], config_maps: ConfigMaps) -> PluginConfiguration:
    """The configuration of ``pod``, one of NVIDIA's chart, on ``node``.

    Raises `UnusableConfigurationError`.
    """
    environment = _environment(pod["spec"])
    text = _chosen_text(pod, node, config_maps, environment)
    try:
        parsed = yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        raise UnusableConfigurationError(f"its configuration is no YAML: {' '.join(str(error).split())}") from None
    return parse(parsed, environment.get(MIG_STRATEGY_ENV))


def parse(config: Any, mig_strategy: str | None = None) -> PluginConfiguration:
    """What the plugin makes of ``config``; ``mig_strategy`` overrides the configuration's own, as a flag does.

    Raises `UnusableConfigurationError` with everything that the plugin refuses.
    """
    refused = list(_wrong_shapes(config)) or [*_refusals(config, mig_strategy)]
    if refused:
        raise UnusableConfigurationError(f"it refuses its configuration: {'; '.join(refused)}")
    mig = _mig_strategy(config, mig_strategy) != "none"
    sharing = config.get("sharing") or {}
    # Both together are no error: MPS wins.
    for key, strategy in (("mps", "mps"), ("timeSlicing", "time-slicing")):
        if key in sharing:
            replicas = max((_replicas(entry) for entry in sharing[key]["resources"]), default=1)
            if replicas == 1:  # it names no resource that the node has
                return PluginConfiguration(mig=mig)
            return PluginConfiguration(strategy, replicas, bool(sharing[key].get("renameByDefault")), mig)
    return PluginConfiguration(mig=mig)


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
    for key, origin in _candidates(node, environment, available):
        if key is None:
            return ""
        if key not in available:
            raise UnusableConfigurationError(
                f"it restarts for ever, since {origin} names {key!r}, which the ConfigMap {namespace}/{name} "
                f"does not have (it has: {', '.join(sorted(available)) or 'nothing'})"
            )
        return available[key]
    raise UnusableConfigurationError(
        f"it restarts for ever, since the node has no label {DEVICE_PLUGIN_CONFIG_LABEL}, no default is given, "
        "and no fallback strategy finds a configuration"
    )


def _candidates(
    node: Mapping[str, Any], environment: Mapping[str, str], available: Mapping[str, str]
) -> Iterator[tuple[str | None, str]]:
    """Keys in the order in which they are tried, with where each comes from; None for an empty configuration."""
    label = (node["metadata"].get("labels") or {}).get(DEVICE_PLUGIN_CONFIG_LABEL)
    if label:
        yield label, f"the label {DEVICE_PLUGIN_CONFIG_LABEL}"
    if environment.get(DEFAULT_CONFIGURATION_ENV):
        yield environment[DEFAULT_CONFIGURATION_ENV], "config.default"
    for strategy in environment.get(FALLBACK_STRATEGIES_ENV, "").split(","):
        if strategy == "named" and "default" in available:
            yield "default", "the fallback strategy named"
        if strategy == "single" and len(available) == 1:
            yield next(iter(available)), "the fallback strategy single"
        if strategy == "empty":
            yield None, "the fallback strategy empty"


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


def _wrong_shapes(config: Any) -> Iterator[str]:
    """Where a mapping or a list is expected and something else is there: the plugin cannot read it at all."""
    if not isinstance(config, Mapping):
        yield "it is no mapping"
        return
    for key in ("flags", "sharing"):
        if not isinstance(config.get(key) or {}, Mapping):
            yield f"{key}: no mapping"
    if isinstance(config.get("flags"), Mapping) and not isinstance(config["flags"].get("plugin") or {}, Mapping):
        yield "flags.plugin: no mapping"
    sharing = config.get("sharing")
    for key in ("timeSlicing", "mps"):
        section = sharing.get(key) if isinstance(sharing, Mapping) else None
        if not isinstance(section or {}, Mapping):
            yield f"sharing.{key}: no mapping"
        elif section and not _is_list_of_mappings(section.get("resources") or []):
            yield f"sharing.{key}.resources: no list of mappings"


def _is_list_of_mappings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(entry, Mapping) for entry in value)


def _refusals(config: dict[str, Any], mig_strategy: str | None) -> Iterator[str]:
    for problem in device_plugin.problems(config):
        if not any(words in problem for words in _ONLY_IGNORED):
            yield problem
    strategy = _mig_strategy(config, mig_strategy)
    if strategy not in _MIG_STRATEGIES:
        yield f"flags.migStrategy: {strategy!r} is none of {', '.join(_MIG_STRATEGIES)}"
    if strategy == "mixed" and "mps" in (config.get("sharing") or {}):
        yield "sharing.mps: not with the MIG strategy mixed"


def _mig_strategy(config: Mapping[str, Any], flag: str | None) -> str:
    return str(flag or (config.get("flags") or {}).get("migStrategy") or "none")


def _replicas(entry: Mapping[str, Any]) -> int:
    """Of a resource that a node without MIG has; others are not shared, without a word."""
    name = str(entry["name"])
    return int(entry["replicas"]) if name in (NVIDIA_GPU, NVIDIA_GPU.partition("/")[2]) else 1
