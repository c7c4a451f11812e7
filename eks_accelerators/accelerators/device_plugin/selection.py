"""Which of several configurations a node's programs take.

Source: NVIDIA k8s-device-plugin v0.20.0, `cmd/config-manager/main.go`, read 2026-11-20.
"""

from collections.abc import Collection, Sequence

from eks_accelerators.accelerators.scheduling import DEVICE_PLUGIN_CONFIG_LABEL

FALLBACK_STRATEGIES = ("named", "single")
"""Default of the chart's value `config.fallbackStrategies`."""


class NoConfigurationError(ValueError):
    """The config-manager finds none and exits, so that the pod restarts for ever. Says why."""


def select(
    available: Collection[str],
    label: str | None,
    default: str = "",
    strategies: Sequence[str] = FALLBACK_STRATEGIES,
    config_map: str = "the ConfigMap",
) -> str | None:
    """The key of the configuration for a node with this value of the label `nvidia.com/device-plugin.config`.

    ``available`` are the keys of the ConfigMap, ``default`` is the chart's `config.default`. None for an empty
    configuration. ``config_map`` is what messages call it. Raises `NoConfigurationError`.
    """
    for key, origin in ((label, f"the label {DEVICE_PLUGIN_CONFIG_LABEL}"), (default, "config.default")):
        if key:
            if key in available:
                return key
            there = ", ".join(sorted(available)) or "nothing"
            raise NoConfigurationError(f"{origin} names {key!r}, which {config_map} does not have (it has: {there})")
    if not available:
        raise NoConfigurationError(f"{config_map} has no configuration")
    for strategy in strategies:
        if strategy not in (*FALLBACK_STRATEGIES, "empty"):
            raise NoConfigurationError(f"{strategy!r} is no fallback strategy; there are named, single and empty")
        if strategy == "named" and "default" in available:
            return "default"
        if strategy == "single" and len(available) == 1:
            return next(iter(available))
        if strategy == "empty":
            return None
    raise NoConfigurationError(
        f"the node has no label {DEVICE_PLUGIN_CONFIG_LABEL}, no default is given, "
        "and no fallback strategy finds a configuration"
    )
