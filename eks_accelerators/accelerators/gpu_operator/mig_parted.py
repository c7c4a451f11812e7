"""A file of mig-parted, from which the GPU Operator's MIG manager divides GPUs: named configurations of layouts.

Sources: NVIDIA mig-parted v0.15.0, `api/spec/v1/spec.go` and `pkg/types/mig_config.go`; the device plugin's
`internal/rm/device_map.go` (what the strategy `single` takes); read 2026-11-21. Keys are read letter by letter, and
unlike the device plugin it refuses those that it does not know.
"""

import re
from collections.abc import Mapping
from typing import Any

from eks_accelerators.accelerators import mig
from eks_accelerators.accelerators.device_plugin.report import ConfigurationReport
from eks_accelerators.accelerators.device_plugin.values import shown, whole
from eks_accelerators.accelerators.device_plugin.yaml_reader import join, read
from eks_accelerators.accelerators.device_plugin.yaml_words import UnreadableError
from eks_accelerators.accelerators.findings import Finding
from eks_accelerators.accelerators.instance_types import InstanceType

_ENTRY = ("devices", "device-filter", "mig-enabled", "mig-devices")
_PROFILE = re.compile(r"(?P<compute>[1-9][0-9]*c\.)?[1-9][0-9]*g\.[1-9][0-9]*gb(?P<attributes>[+-].*)?", re.ASCII)
_PLUS, _MINUS = re.compile(r"\+[a-z0-9.]+(,[a-z0-9.]+)*", re.ASCII), re.compile(r"-[a-z0-9.]+(,[a-z0-9.]+)*", re.ASCII)


def judge_mig_parted(
    text: str, instance_type: InstanceType | None = None, strategy: str = "mixed"
) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    """What is wrong with a file, and the names of its configurations.

    Layouts are judged for the GPUs of ``instance_type`` where one is given, except those that a `device-filter` keeps to
    certain GPUs. ``strategy`` is the device plugin's: under `single` all instances of a node are of one profile.
    """
    try:
        document = read(text)
    except UnreadableError as error:
        return (Finding("not-yaml", "", f"no YAML that mig-parted reads: {error}", line=error.line),), ()
    report = ConfigurationReport(document.lines)
    file = _File(report, instance_type, strategy)
    file.read(document.value)
    return tuple(report.findings), file.names


class _File:
    """Reads a file's values; what is wrong goes to the report."""

    def __init__(self, report: ConfigurationReport, instance_type: InstanceType | None, strategy: str) -> None:
        self._report, self._type, self._strategy = report, instance_type, strategy
        self.names: tuple[str, ...] = ()

    def read(self, value: Any) -> None:
        """The whole document."""
        said = self._mapping(value, "", ("version", "mig-configs"))
        if not isinstance(value, Mapping):
            return
        if said.get("version") != "v1":
            self._report.error("version", "version", f"{shown(said.get('version'))} is not v1")
        configurations = said.get("mig-configs")
        if not isinstance(configurations, Mapping) or not configurations:
            self._report.error("mig-configurations", "mig-configs", "a file has at least one configuration, by name")
            return
        self.names = tuple(configurations)
        for name, entries in configurations.items():
            path = join("mig-configs", name)
            if not isinstance(entries, list) or not entries:
                self._report.error("mig-configurations", path, "a configuration is a list of at least one entry")
                continue
            layouts = [self._entry(entry, join(path, index)) for index, entry in enumerate(entries)]
            self._check_uniform(path, layouts)

    def _entry(self, value: Any, path: str) -> dict[str, int]:
        """One entry of a configuration; gives its layout, empty where it has none."""
        said = self._mapping(value, path, _ENTRY)
        for key in ("devices", "mig-enabled"):
            if isinstance(value, Mapping) and key not in said:
                self._report.error("mig-configurations", join(path, key), "missing: every entry has it")
        if "devices" in said and not _are_devices(said["devices"]):
            message = f"{shown(said['devices'])} is neither all nor a list of indexes"
            self._report.error("devices", join(path, "devices"), message)
        if "device-filter" in said and not _is_filter(said["device-filter"]):
            message = f"{shown(said['device-filter'])} is neither a text nor a list of texts"
            self._report.error("wrong-type", join(path, "device-filter"), message)
        enabled, devices = said.get("mig-enabled"), said.get("mig-devices")
        if not isinstance(enabled, bool | None):
            message = f"{shown(enabled)} is neither true nor false"
            self._report.error("wrong-type", join(path, "mig-enabled"), message)
            return {}
        layout = self._devices(devices, join(path, "mig-devices"))
        if enabled and devices is None:
            self._report.error("mig-configurations", join(path, "mig-devices"), "missing: mig-enabled is true")
        if not enabled and devices:
            self._report.error("mig-configurations", join(path, "mig-devices"), "instances, and mig-enabled is false")
            return {}
        if layout and not said.get("device-filter"):
            self._judge(layout, join(path, "mig-devices"))
        return layout

    def _devices(self, value: Any, path: str) -> dict[str, int]:
        if value is None:
            return {}
        said = self._mapping(value, path)
        counts = {profile: whole(count, 0) for profile, count in said.items()}
        for profile, count in counts.items():
            if count is None:
                message = f"{shown(said[profile])} is no whole number of at least 0"
                self._report.error("mig-count", join(path, profile), message)
            if not _is_profile(profile):
                message = f"{profile} is no profile, such as 1g.10gb, 1g.10gb+me or 1c.3g.40gb"
                self._report.error("mig-profile", join(path, profile), message)
                counts[profile] = None
        if said and all(count == 0 for count in counts.values()):
            self._report.error("mig-count", path, "all counts are 0; {} enables MIG without instances")
        if None in counts.values():
            return {}
        return {profile: count for profile, count in counts.items() if count}

    def _judge(self, layout: Mapping[str, int], path: str) -> None:
        """Whether the GPUs of the instance type can be divided so. Instances of part of an instance are not counted."""
        for profile in layout:
            if "c." in profile:
                message = f"{profile} divides an instance's compute; the device plugin advertises whole instances only"
                self._report.warning("mig-compute-instances", join(path, profile), message)
                return
        if self._type is None:
            return
        judgement = mig.judge(self._type, layout)
        nearest = (
            f"; nearest: {', or '.join(mig.written(one) for one in judgement.nearest[:2])}" if judgement.nearest else ""
        )
        for problem in judgement.problems:
            self._report.error(problem.code, path, f"{problem.message}{nearest}")

    def _check_uniform(self, path: str, layouts: list[dict[str, int]]) -> None:
        profiles = sorted({profile for layout in layouts for profile in layout})
        if self._strategy == "single" and len(profiles) > 1:
            message = f"more than one profile ({', '.join(profiles)}), and the MIG strategy is single"
            self._report.error("mig-not-uniform", path, message)

    def _mapping(self, value: Any, path: str, keys: tuple[str, ...] = ()) -> Mapping[str, Any]:
        if not isinstance(value, Mapping):
            self._report.error("wrong-type", path, f"{shown(value)} is no mapping")
            return {}
        for key in value:
            if keys and key not in keys:
                self._report.error("unknown-key", join(path, key), f"mig-parted knows {', '.join(keys)} here only")
        return value


def _are_devices(value: Any) -> bool:
    return value == "all" or (isinstance(value, list) and all(one is None or whole(one) is not None for one in value))


def _is_filter(value: Any) -> bool:
    return (
        value is None
        or isinstance(value, str)
        or (isinstance(value, list) and all(isinstance(one, str) for one in value))
    )


def _is_profile(text: str) -> bool:
    """`[Nc.]Ng.Ngb`, and attributes that are all added or all taken away."""
    match = _PROFILE.fullmatch(text)
    attributes = match["attributes"] if match else None
    return bool(match) and (not attributes or bool(_PLUS.fullmatch(attributes) or _MINUS.fullmatch(attributes)))
