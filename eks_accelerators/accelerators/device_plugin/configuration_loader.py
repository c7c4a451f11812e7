"""What the plugin makes of a configuration's values before it looks for devices.

Sources: NVIDIA k8s-device-plugin v0.20.0, `api/config/v1` and `validateFlags` of `cmd/nvidia-device-plugin/main.go`,
read 2026-11-20. `tools/device-plugin-loader` asks the plugin's own code.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

from eks_accelerators.accelerators.device_plugin.fields import read_config
from eks_accelerators.accelerators.device_plugin.report import ConfigurationReport
from eks_accelerators.accelerators.device_plugin.shared_resources import Section
from eks_accelerators.accelerators.device_plugin.values import shown

Strategy = Literal["none", "time-slicing", "mps"]

CHART_MPS_ROOT = "/run/nvidia/mps"
"""The chart's `mps.root`: it always hands it to the plugin, which needs one for MPS."""


@dataclass(frozen=True, slots=True)
class Flags:
    """What the plugin's container is told beside its file, as environment variables.

    Each that is set wins over the file, also where it is empty (`urfave/cli` v2.27.7, `flagFromEnvOrFile`); None is one
    that is not set. ``device_list_strategy`` has commas between several.
    """

    mig_strategy: str | None = None
    mps_root: str | None = CHART_MPS_ROOT
    device_list_strategy: str | None = None
    device_id_strategy: str | None = None
    device_discovery_strategy: str | None = None

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Self:
        """Those of a container's environment variables."""
        return cls(*(environment.get(name) for name in _VARIABLES))


_VARIABLES = ("MIG_STRATEGY", "MPS_ROOT", "DEVICE_LIST_STRATEGY", "DEVICE_ID_STRATEGY", "DEVICE_DISCOVERY_STRATEGY")
"""Of each field of `Flags`, in order."""

CHART = Flags()


@dataclass(frozen=True, slots=True)
class Loaded:
    """A configuration as the plugin goes on with it. ``section`` is of the strategy that wins, None without sharing."""

    strategy: Strategy
    section: Section | None
    mig_strategy: str
    allocation_policy: str
    device_list_strategies: tuple[str, ...]
    device_id_strategy: str
    device_discovery_strategy: str
    mps_root: str
    imex_channels: tuple[int, ...]

    @property
    def fails_requests_greater_than_one(self) -> bool:
        """Whether a pod that asks for two shares is refused. By default with MPS only (`config.go`)."""
        said = self.section.fail_requests_greater_than_one if self.section else None
        return self.strategy == "mps" if said is None else said


def load(value: Any, flags: Flags, report: ConfigurationReport) -> Loaded:
    """Read a configuration's values; what is wrong with them goes to ``report``."""
    config = read_config(value, report)
    said, sharing = config.get("flags", {}), config.get("sharing", {})
    plugin = said.get("plugin") or {}
    strategy, section = _sharing(sharing)
    loaded = Loaded(
        strategy=strategy,
        section=section,
        mig_strategy=_first(flags.mig_strategy, said.get("migStrategy"), "none"),
        allocation_policy=_first(plugin.get("sharedDevicesAllocationPolicy"), "distributed"),
        device_list_strategies=_first(_listed(flags), plugin.get("deviceListStrategy"), ("envvar",)),
        device_id_strategy=_first(flags.device_id_strategy, plugin.get("deviceIDStrategy"), "uuid"),
        device_discovery_strategy=_first(flags.device_discovery_strategy, said.get("deviceDiscoveryStrategy"), "auto"),
        mps_root=_first(flags.mps_root, said.get("mpsRoot"), ""),
        imex_channels=channels.found if (channels := config.get("imex", {}).get("channelIDs")) else (),
    )
    version = config.get("version", "v1")
    if version not in ("", "v1"):
        report.error("version", "version", f"{shown(version)} is not v1")
    if not report.refused:
        _check(loaded, report)
        if sharing.get("mps") and sharing.get("timeSlicing"):
            report.ignore("both-kinds", "sharing.timeSlicing", "ignored: sharing.mps is there too, and wins")
    if not report.refused:
        _report_overridden(flags, said, plugin, report)
    return loaded


def _sharing(sections: Mapping[str, Section | None]) -> tuple[Strategy, Section | None]:
    """The strategy that the plugin goes on with, and its section: MPS wins over time-slicing."""
    if mps := sections.get("mps"):
        return "mps", mps
    if time_slicing := sections.get("timeSlicing"):
        return "time-slicing", time_slicing
    return "none", None


def _report_overridden(
    flags: Flags, said: Mapping[str, Any], plugin: Mapping[str, Any], report: ConfigurationReport
) -> None:
    """What the file says, and the environment says otherwise."""
    both = {
        "flags.migStrategy": (said.get("migStrategy"), flags.mig_strategy),
        "flags.mpsRoot": (said.get("mpsRoot"), flags.mps_root),
        "flags.plugin.deviceListStrategy": (plugin.get("deviceListStrategy"), _listed(flags)),
        "flags.plugin.deviceIDStrategy": (plugin.get("deviceIDStrategy"), flags.device_id_strategy),
        "flags.deviceDiscoveryStrategy": (said.get("deviceDiscoveryStrategy"), flags.device_discovery_strategy),
    }
    for path, (written, told) in both.items():
        if written and told is not None and written != told:
            words = [", ".join(one) if isinstance(one, tuple) else shown(one) for one in (written, told)]
            message = f"ignored: {words[0]}, since the plugin's environment says {words[1]} and wins"
            report.ignore("overridden-flag", path, message)


def _first(*said: Any) -> Any:
    """The first that is said at all."""
    return next(one for one in said if one is not None)


def _listed(flags: Flags) -> tuple[str, ...] | None:
    said = flags.device_list_strategy
    return None if said is None else tuple(one.strip() for one in said.split(","))


_ALLOWED = {
    "device-list-strategy": (
        "flags.plugin.deviceListStrategy",
        ("envvar", "volume-mounts", "cdi-annotations", "cdi-cri"),
    ),
    "device-id-strategy": ("flags.plugin.deviceIDStrategy", ("uuid", "index")),
    "allocation-policy": ("flags.plugin.sharedDevicesAllocationPolicy", ("distributed", "packed")),
    "mig-strategy": ("flags.migStrategy", ("none", "single", "mixed")),
    "device-discovery-strategy": ("flags.deviceDiscoveryStrategy", ("auto", "nvml", "tegra")),
}
"""Where each of a few words is expected, and which."""


def _check(loaded: Loaded, report: ConfigurationReport) -> None:
    found = [("device-list-strategy", one) for one in loaded.device_list_strategies]
    found += [
        ("device-id-strategy", loaded.device_id_strategy),
        ("allocation-policy", loaded.allocation_policy),
        ("mig-strategy", loaded.mig_strategy),
        ("device-discovery-strategy", loaded.device_discovery_strategy),
    ]
    for code, value in found:
        path, allowed = _ALLOWED[code]
        if value not in allowed:
            report.error(code, path, f"{shown(value)} is none of {', '.join(allowed)}")
    if loaded.imex_channels not in ((), (0,)):
        report.error("imex-channels", "imex.channelIDs", f"{list(loaded.imex_channels)} is neither [] nor [0]")
    if loaded.strategy == "mps" and loaded.mig_strategy == "mixed":
        report.error("mps-with-mixed-mig", "sharing.mps", "MPS does not go with the MIG strategy mixed")
    if loaded.strategy == "mps" and not loaded.mps_root:
        report.error("mps-root", "flags.mpsRoot", "MPS needs a folder on the host for its pipes and shared memory")
