"""The NVIDIA device plugin's configuration for one kind of sharing, and what the plugin makes of one.

Source: NVIDIA k8s-device-plugin v0.20.0 (`api/config/v1`), read 2026-11-20. The plugin ignores
unknown keys and some known ones in silence; `problems` reports those too.
"""

import re
from collections.abc import Iterator
from typing import Any

from accelerators.sharing import MINIMUM_REPLICAS, NVIDIA_GPU, Sharing

_LABEL = r"[a-z0-9]([a-z0-9-]*[a-z0-9])?"
_SUBDOMAIN = re.compile(rf"{_LABEL}(\.{_LABEL})*")
_DEVICE = re.compile(r"\d+(:\d+)?|(GPU|MIG)-[0-9a-fA-F-]{36}|MIG-GPU-[0-9a-fA-F-]{36}/\d+/\d+")
_SECTION_KEYS = {"renameByDefault", "failRequestsGreaterThanOne", "resources"}
_RESOURCE_KEYS = {"name", "replicas", "devices", "rename"}


def config_key(sharing: Sharing) -> str:
    """The key of a sharing's configuration in the ConfigMap: a valid file name and label value.

    Groups that share alike have the same key.
    """
    if sharing.strategy == "exclusive":
        return "exclusive"
    parts = ["time-slicing", str(sharing.replicas)]
    if sharing.renamed:
        parts.append("renamed")
    if not sharing.fail_requests_greater_than_one:
        parts.append("lenient")
    if sharing.allocation_policy:
        parts.append(sharing.allocation_policy)
    return "-".join(parts)


def configuration(sharing: Sharing) -> dict[str, Any]:
    """The plugin's configuration for nodes that share their GPUs so."""
    config: dict[str, Any] = {"version": "v1", "flags": {"migStrategy": "none"}}
    if sharing.allocation_policy:
        config["flags"]["plugin"] = {"sharedDevicesAllocationPolicy": sharing.allocation_policy}
    if sharing.strategy == "timeSlicing":
        config["sharing"] = {
            "timeSlicing": {
                "renameByDefault": sharing.renamed,
                "failRequestsGreaterThanOne": sharing.fail_requests_greater_than_one,
                "resources": [{"name": NVIDIA_GPU, "replicas": sharing.replicas}],
            }
        }
    return config


def problems(config: dict[str, Any]) -> list[str]:
    """What the plugin refuses in ``config``, or ignores without saying so. Empty for a good one."""
    found = []
    if config.get("version", "v1") not in ("v1", ""):
        found.append(f"version: {config['version']!r} is not v1")
    if config.get("resources"):
        found.append("resources: ignored by the plugin")
    found += [f"{key}: unknown key, ignored by the plugin" for key in config if key not in _TOP_KEYS]
    found += _flag_problems(config.get("flags") or {})
    sharing = config.get("sharing") or {}
    found += [
        f"sharing.{key}: unknown key, ignored by the plugin" for key in sharing if key not in ("timeSlicing", "mps")
    ]
    if "timeSlicing" in sharing and "mps" in sharing:
        found.append("sharing: timeSlicing and mps exclude each other; the plugin would take mps in silence")
    for key in ("timeSlicing", "mps"):
        if key in sharing:
            found += _replica_problems(sharing[key] or {}, f"sharing.{key}")
    return found


_TOP_KEYS = {"version", "flags", "resources", "sharing", "imex"}
_FLAG_KEYS = {
    *("migStrategy", "failOnInitError", "nvidiaDriverRoot", "nvidiaDevRoot", "mpsRoot", "gdrcopyEnabled", "gdsEnabled"),
    *("mofedEnabled", "useNodeFeatureAPI", "deviceDiscoveryStrategy", "plugin", "gfd"),
}
_PLUGIN_KEYS = {
    *("passDeviceSpecs", "deviceListStrategy", "deviceIDStrategy", "cdiAnnotationPrefix", "nvidiaCTKPath"),
    *("containerDriverRoot", "sharedDevicesAllocationPolicy"),
}


def _flag_problems(flags: dict[str, Any]) -> Iterator[str]:
    yield from (f"flags.{key}: unknown key, ignored by the plugin" for key in flags if key not in _FLAG_KEYS)
    plugin = flags.get("plugin") or {}
    yield from (f"flags.plugin.{key}: unknown key, ignored by the plugin" for key in plugin if key not in _PLUGIN_KEYS)
    policy = plugin.get("sharedDevicesAllocationPolicy", "distributed")
    if policy not in ("distributed", "packed"):
        yield f"flags.plugin.sharedDevicesAllocationPolicy: {policy!r} is neither distributed nor packed"


def _replica_problems(section: dict[str, Any], path: str) -> Iterator[str]:
    yield from (f"{path}.{key}: unknown key, ignored by the plugin" for key in section if key not in _SECTION_KEYS)
    resources = section.get("resources") or []
    if not resources:
        yield f"{path}.resources: no resources specified"
    names = []
    for index, resource in enumerate(resources):
        yield from _resource_problems(resource, f"{path}.resources[{index}]")
        names.append(_with_prefix(str(resource.get("name", ""))))
    yield from (f"{path}.resources: {name} is given twice" for name in sorted(set(names)) if names.count(name) > 1)


def _resource_problems(resource: dict[str, Any], path: str) -> Iterator[str]:
    yield from (f"{path}.{key}: unknown key, ignored by the plugin" for key in resource if key not in _RESOURCE_KEYS)
    for key in ("name", "rename"):
        if key in resource:
            name = _with_prefix(str(resource[key]))
            if len(name) > 63 or not name.startswith("nvidia.com/") or not _SUBDOMAIN.fullmatch(name.partition("/")[2]):
                yield f"{path}.{key}: {resource[key]!r} is no NVIDIA resource name of at most 63 characters"
    if not resource.get("name"):
        yield f"{path}.name: no resource name specified"
    elif _with_prefix(str(resource["name"])) != NVIDIA_GPU:
        yield f"{path}.name: nodes without MIG have only {NVIDIA_GPU}, so nothing would be shared"
    replicas = resource.get("replicas")
    if not isinstance(replicas, int) or isinstance(replicas, bool) or replicas < MINIMUM_REPLICAS:
        yield f"{path}.replicas: {replicas!r} is not a whole number of at least {MINIMUM_REPLICAS}"
    if "rename" in resource:
        yield f"{path}.rename: ignored by the plugin"
    if resource.get("devices", "all") != "all":
        yield from _device_problems(resource["devices"], f"{path}.devices")


def _device_problems(devices: Any, path: str) -> Iterator[str]:
    listed = devices if isinstance(devices, list) else None
    valid = (
        all(_DEVICE.fullmatch(str(device)) for device in listed) if listed else isinstance(devices, int) and devices > 0
    )
    if not valid:
        yield f"{path}: {devices!r} is neither all, a number of devices nor a list of devices"
    yield f"{path}: ignored by the plugin; all GPUs of a node are shared alike"


def _with_prefix(name: str) -> str:
    return name if "/" in name or not name else f"nvidia.com/{name}"
