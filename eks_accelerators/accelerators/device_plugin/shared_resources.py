"""The sections `sharing.timeSlicing` and `sharing.mps`: which resources are shared, by how many.

Source: NVIDIA k8s-device-plugin v0.20.0, `api/config/v1/replicas.go` and `resources.go`, read 2026-11-20.
"""

import re
from dataclasses import dataclass
from typing import Any

from eks_accelerators.accelerators.device_plugin.memory import Listed
from eks_accelerators.accelerators.device_plugin.report import ConfigurationReport
from eks_accelerators.accelerators.device_plugin.values import boolean, shown, whole
from eks_accelerators.accelerators.device_plugin.yaml_reader import join
from eks_accelerators.accelerators.sharing import MINIMUM_REPLICAS

_PREFIX = "nvidia.com/"
_SHARED = ".shared"
_LONGEST_NAME = 63
_SECTION_KEYS = dict.fromkeys(("renameByDefault", "failRequestsGreaterThanOne", "resources"))
_ENTRY_KEYS = dict.fromkeys(("name", "rename", "devices", "replicas"))
_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = re.compile(rf"{_LABEL}(\.{_LABEL})*", re.ASCII)
_HEX = "[0-9a-fA-F]"
_GROUPED = f"{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}"
# As github.com/google/uuid reads one: what encloses it is not looked at.
_UUID = rf"({_GROUPED}|(?i:urn:uuid:){_GROUPED}|{_HEX}{{32}}|[\x00-\x7f]{_GROUPED}[\x00-\x7f])"
_GPU_UUID = re.compile(f"GPU-{_UUID}", re.ASCII | re.DOTALL)
_MIG_UUID = re.compile(
    rf"MIG-({_UUID}|GPU-{_UUID}/(?P<instance>0*[0-9]{{1,20}})/(?P<compute>0*[0-9]{{1,20}}))", re.ASCII | re.DOTALL
)
_INDEXES = re.compile(r"(0*[0-9]{1,20})(:(0*[0-9]{1,20}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class SharedResource:
    """A resource of which every device is advertised ``replicas`` times, under ``advertised_as``."""

    name: str
    replicas: int
    advertised_as: str


@dataclass(frozen=True, slots=True)
class Section:
    """One of the two sections, read. ``fail_requests_greater_than_one`` is None where it is not said."""

    rename_by_default: bool
    fail_requests_greater_than_one: bool | None
    listed: Listed[SharedResource]

    @property
    def resources(self) -> tuple[SharedResource, ...]:
        """What is shared, in the order of the file."""
        return self.listed.found


_NOTHING = Section(False, None, Listed())


def read_section(value: Any, path: str, before: Section | None, report: ConfigurationReport) -> Section:
    """Read a section; what is wrong with it goes to ``report``.

    ``before`` is what another spelling of the section's key has given: null leaves of it what is not a pointer, and what
    is not written is false again, or stays (`ReplicatedResources.UnmarshalJSON`).
    """
    before = before or _NOTHING
    section = _mapping(value, path, report)
    for key in section:
        if key not in _SECTION_KEYS:
            report.unknown_key(path, key, _SECTION_KEYS)
    renamed = boolean(section.get("renameByDefault", False), join(path, "renameByDefault"), report)
    renamed = before.rename_by_default if renamed is None else renamed
    strict = before.fail_requests_greater_than_one
    if "failRequestsGreaterThanOne" in section:
        strict = boolean(section["failRequestsGreaterThanOne"], join(path, "failRequestsGreaterThanOne"), report)
    entries, entries_path = section.get("resources"), join(path, "resources")
    if entries is not None and not isinstance(entries, list):
        report.error("wrong-type", entries_path, f"{shown(entries)} is no list")
        entries = None
    elif not entries and isinstance(value, dict | None):
        report.error("no-resources", entries_path, "no resources specified; leave the section out to share nothing")

    def entry(value: Any, index: int, there: SharedResource | None) -> SharedResource:
        return _entry(value, join(entries_path, index), renamed, there, report)

    found = before.listed.over(entries or [], entry)
    _report_doubles(found.found, entries_path, report)
    return Section(renamed, strict, found)


def resource_name(value: Any, path: str, report: ConfigurationReport) -> str:
    """A resource's full name: the plugin puts its own prefix before what has none. Empty where it is no name."""
    if isinstance(value, str):
        name = value if value.startswith(_PREFIX) else _PREFIX + value
        if len(name.encode()) <= _LONGEST_NAME and _SUBDOMAIN.fullmatch(name.removeprefix(_PREFIX)):
            return name
    message = f"{shown(value)} is no NVIDIA resource name of at most {_LONGEST_NAME} characters"
    report.error("resource-name", path, message)
    return ""


def _report_doubles(found: tuple[SharedResource, ...], path: str, report: ConfigurationReport) -> None:
    """Of two entries for one resource the larger counts: shares are numbered, and the numbers are put together."""
    largest: dict[str, int] = {}
    for index, one in enumerate(found):
        if one.name not in largest or one.replicas > found[largest[one.name]].replicas:
            largest[one.name] = index
    for index, one in enumerate(found):
        if one.name and largest[one.name] != index:
            counts = largest[one.name]
            message = f"ignored: {path}[{counts}] shares {one.name} too, by {found[counts].replicas}"
            report.ignore("resource-twice", join(path, index), message)


def _mapping(value: Any, path: str, report: ConfigurationReport) -> dict[str, Any]:
    """``value``, which may be null: the plugin then finds nothing in it."""
    if isinstance(value, dict):
        return value
    if value is not None:
        report.error("wrong-type", path, f"{shown(value)} is no mapping")
    return {}


def _entry(
    value: Any, path: str, renamed: bool, there: SharedResource | None, report: ConfigurationReport
) -> SharedResource:
    entry = _mapping(value, path, report)
    if not isinstance(value, dict | None):
        return SharedResource("", 0, "")
    for key in entry:
        if key not in _ENTRY_KEYS:
            report.unknown_key(path, key, _ENTRY_KEYS)
    name = resource_name(entry["name"], join(path, "name"), report) if "name" in entry else ""
    if "name" not in entry:
        report.error("no-resource-name", join(path, "name"), "no resource name specified")
    replicas = whole(entry.get("replicas"), MINIMUM_REPLICAS)
    if there and "replicas" in entry and entry["replicas"] is None:
        replicas = there.replicas
    if replicas is None:
        found = shown(entry["replicas"]) if "replicas" in entry else "missing, which"
        report.error(
            "replicas", join(path, "replicas"), f"{found} is not a whole number of at least {MINIMUM_REPLICAS}"
        )
    advertised_as = name + _SHARED if renamed else name
    if "rename" in entry:
        rename = resource_name(entry["rename"], join(path, "rename"), report)
        if rename and rename != advertised_as:
            report.ignore("ignored-key", join(path, "rename"), f"ignored: advertised as {advertised_as} all the same")
    if "devices" in entry:
        _devices(entry["devices"], join(path, "devices"), report)
    return SharedResource(name, replicas or 0, advertised_as)


def _devices(value: Any, path: str, report: ConfigurationReport) -> None:
    if value == "all" and isinstance(value, str):
        return
    if isinstance(value, list):
        for index, device in enumerate(value):
            if not _is_device(device):
                words = "is no index, no MIG index such as 0:1 and no UUID of a device"
                report.error("devices", join(path, index), f"{shown(device)} {words}")
    elif whole(value, 1) is None:
        report.error("devices", path, f"{shown(value)} is neither all, a number of devices nor a list of devices")
        return
    report.ignore("ignored-key", path, "ignored: all devices of a node are shared alike")


def _is_device(value: Any) -> bool:
    if value is None:  # read as index 0
        return True
    if not isinstance(value, str):
        # -0.0 reaches the plugin as "-0", which is no unsigned number.
        return whole(value, 0, 2**64 - 1) is not None and str(value) != "-0.0"
    indexes = _INDEXES.fullmatch(value)
    if indexes:
        return all(int(digits) < 2**64 for digits in (indexes[1], indexes[3]) if digits)
    if _GPU_UUID.fullmatch(value):
        return True
    mig = _MIG_UUID.fullmatch(value)
    return mig is not None and all(int(mig[part] or 0) < 2**64 for part in ("instance", "compute"))
