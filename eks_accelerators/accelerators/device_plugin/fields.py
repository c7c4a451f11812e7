"""How Go fills the plugin's structures: keys in any case, null for nothing, unknown keys left out.

Sources: NVIDIA k8s-device-plugin v0.20.0, `api/config/v1`; `encoding/json`; `sigs.k8s.io/yaml` v1.6.0; read
2026-11-20 and 2026-11-21.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from eks_accelerators.accelerators.device_plugin.memory import Listed
from eks_accelerators.accelerators.device_plugin.report import ConfigurationReport
from eks_accelerators.accelerators.device_plugin.shared_resources import read_section, resource_name
from eks_accelerators.accelerators.device_plugin.values import boolean, duration, shown, text, whole
from eks_accelerators.accelerators.device_plugin.yaml_reader import join

_Config = dict[str, Any]
_Field = Callable[[Any, str, Any, ConfigurationReport], Any]
"""Reads a value at a path, over what another spelling of the same key has given before."""


def read_config(value: Any, report: ConfigurationReport) -> dict[str, Any]:
    """The fields of a configuration that are set, by the plugin's own names for them, in nested mappings."""
    found: _Config = _structure(_CONFIG)(value, "", _planted(value), report)
    return found


def _planted(value: Any) -> _Config:
    """What the plugin's YAML reader leaves in its structures while it looks which key is a text.

    It takes keys of `flags.plugin` and `flags.gfd` for keys of `flags`, and sets those to nothing (`yaml.go`:
    `t.Field(f.index[0])` of an embedded structure). So a flag that is written a level too deep is not just ignored:
    `flags.plugin.migStrategy: none` makes the plugin refuse its MIG strategy "".
    """
    flags: _Config = {}
    plugin: _Config = {}
    for said in _members(value, ("flags",)):
        for inner in _members(said, ("plugin", "gfd")):
            flags |= dict.fromkeys(_named(inner, _FLAGS), "")
            for nested in _members(inner, ("plugin",)):
                plugin |= dict.fromkeys(_named(nested, _PLUGIN), "")
    flags |= {name: inner for name, inner in (("plugin", plugin), ("gfd", {})) if name in flags}
    return {"flags": flags} if flags else {}


def _members(value: Any, names: Iterable[str]) -> Iterator[Any]:
    """What stands under the keys ``names`` of a mapping, in whichever case."""
    if isinstance(value, dict):
        yield from (inner for key, inner in value.items() if _match(key, names))


def _named(value: Any, fields: Iterable[str]) -> Iterator[str]:
    if isinstance(value, dict):
        yield from (name for key in value if (name := _match(key, fields)))


def _match(key: str, names: Iterable[str]) -> str | None:
    """The one of ``names`` that Go takes ``key`` for."""
    return key if key in names else next((name for name in names if _folded(name) == _folded(key)), None)


def _structure(fields: Mapping[str, _Field], misplaced: Iterable[str] = ()) -> _Field:
    """A mapping with known keys. They are found in any case, and read in the order in which Go sorts them.

    ``misplaced`` are keys that belong a level higher.
    """

    def read(value: Any, path: str, before: Any, report: ConfigurationReport) -> _Config:
        found: _Config = dict(before or {})
        if value is not None and not isinstance(value, dict):
            report.error("wrong-type", path, f"{shown(value)} is no mapping")
            return found
        said = value or {}
        for key in sorted(said, key=lambda key: key.encode("utf-8", "replace")):
            name, higher = _match(key, fields), _match(key, misplaced)
            if name:
                found[name] = fields[name](said[key], join(path, key), found.get(name), report)
            elif higher:
                words = f"ignored here: it belongs into flags, and makes the plugin take flags.{higher} for empty"
                report.ignore("misplaced-key", join(path, key), words)
            else:
                report.unknown_key(path, key, fields)
        return found

    return read


@lru_cache
def _folded(key: str) -> str:
    """A key as Go compares it where no key matches exactly: letter by letter, so that no letter becomes two."""
    return "".join(letter.casefold() if len(letter.casefold()) == 1 else letter for letter in key)


def _optional(field: _Field) -> _Field:
    """A field that null takes away, with what was there before."""

    def read(value: Any, path: str, before: Any, report: ConfigurationReport) -> Any:
        return None if value is None else field(value, path, before, report)

    return read


def _scalar(read: Callable[[Any, str, ConfigurationReport], Any]) -> _Field:
    return lambda value, path, _, report: read(value, path, report)


def _version(value: Any, path: str, before: Any, report: ConfigurationReport) -> Any:
    """The one text for which the plugin's reader takes a number or a truth value too."""
    if value is None:
        return before or ""
    return shown(value) if isinstance(value, int | float) else text(value, path, report)


def _list_strategy(value: Any, path: str, report: ConfigurationReport) -> tuple[str, ...] | None:
    if value is None:
        return None
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list) and all(item is None or isinstance(item, str) for item in value):
        return tuple(item or "" for item in value)
    report.error("wrong-type", path, f"{shown(value)} is neither a text nor a list of texts")
    return None


def _numbers(value: Any, path: str, before: Listed[int] | None, report: ConfigurationReport) -> Listed[int]:
    """Whole numbers, over those of another spelling of the key."""
    if value is not None and not isinstance(value, list):
        report.error("wrong-type", path, f"{shown(value)} is no list")
    if not isinstance(value, list):
        return Listed()

    def number(item: Any, index: int, there: int | None) -> int:
        found = (there or 0) if item is None else whole(item)
        if found is None:
            report.error("wrong-type", join(path, index), f"{shown(item)} is no whole number")
        return found or 0

    written: Listed[int] = before or Listed()
    return written.over(value, number)


def _renamed_devices(value: Any, path: str, report: ConfigurationReport) -> None:
    """`resources.gpus` and `resources.mig`: read, and then dropped."""
    if value is not None and not isinstance(value, list):
        report.error("wrong-type", path, f"{shown(value)} is no list")
    elif value:
        for index, item in enumerate(value):
            _renamed_device(item, join(path, index), report)
        report.ignore("ignored-key", path, "ignored: the plugin does not rename devices today")


def _renamed_device(item: Any, path: str, report: ConfigurationReport) -> None:
    if not isinstance(item, dict):
        report.error("wrong-type", path, f"{shown(item)} is no mapping with a pattern and a name")
        return
    text(item.get("pattern"), join(path, "pattern"), report)
    if "pattern" not in item:
        report.error("wrong-type", join(path, "pattern"), "missing")
    resource_name(item.get("name"), join(path, "name"), report)


_TEXT, _BOOLEAN, _DURATION = _scalar(text), _scalar(boolean), _scalar(duration)
_PLUGIN: dict[str, _Field] = {
    "passDeviceSpecs": _BOOLEAN,
    "deviceListStrategy": _scalar(_list_strategy),
    "deviceIDStrategy": _TEXT,
    "cdiAnnotationPrefix": _TEXT,
    "nvidiaCTKPath": _TEXT,
    "containerDriverRoot": _TEXT,
    "sharedDevicesAllocationPolicy": _TEXT,
}
_GFD: dict[str, _Field] = {
    "oneshot": _BOOLEAN,
    "noTimestamp": _BOOLEAN,
    "sleepInterval": _DURATION,
    "outputFile": _TEXT,
    "machineTypeFile": _TEXT,
}
_FLAG_NAMES = (
    *("migStrategy", "failOnInitError", "mpsRoot", "nvidiaDriverRoot", "nvidiaDevRoot", "gdrcopyEnabled", "gdsEnabled"),
    *("mofedEnabled", "useNodeFeatureAPI", "deviceDiscoveryStrategy", "plugin", "gfd"),
)
_FLAGS: dict[str, _Field] = {
    "migStrategy": _TEXT,
    "failOnInitError": _BOOLEAN,
    "mpsRoot": _TEXT,
    "nvidiaDriverRoot": _TEXT,
    "nvidiaDevRoot": _TEXT,
    "gdrcopyEnabled": _BOOLEAN,
    "gdsEnabled": _BOOLEAN,
    "mofedEnabled": _BOOLEAN,
    "useNodeFeatureAPI": _BOOLEAN,
    "deviceDiscoveryStrategy": _TEXT,
    "plugin": _optional(_structure(_PLUGIN, _FLAG_NAMES)),
    "gfd": _optional(_structure(_GFD, _FLAG_NAMES)),
}
_SHARING: dict[str, _Field] = {"timeSlicing": read_section, "mps": _optional(read_section)}
_IMEX: dict[str, _Field] = {"channelIDs": _numbers, "required": _BOOLEAN}
_CONFIG: dict[str, _Field] = {
    "version": _version,
    "flags": _structure(_FLAGS),
    "resources": _structure({"gpus": _scalar(_renamed_devices), "mig": _scalar(_renamed_devices)}),
    "sharing": _structure(_SHARING),
    "imex": _structure(_IMEX),
}
