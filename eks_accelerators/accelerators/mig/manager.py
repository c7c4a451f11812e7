"""MIG layouts as the GPU Operator's mig-manager takes them: a file of named configurations, one chosen by a node label.

Sources: NVIDIA mig-parted v0.15.0 (`api/spec/v1/spec.go`, `pkg/types/mig_config.go`: the file) and gpu-operator v26.7.0
(`values.yaml`, `controllers/nodelabeling_controller.go`: label and ConfigMap), read 2026-11-21. mig-parted looks for the
places of the instances itself.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from eks_accelerators.accelerators.mig.layouts import Layout, by_size, written
from eks_accelerators.accelerators.mig.profiles import gpus

CONFIG_LABEL = "nvidia.com/mig.config"
"""Its value is the name of the configuration that a node's GPUs are to have."""

CONFIG_FILE = "config.yaml"
"""The key of the ConfigMap, which the mig-manager does not let one choose."""

ALL_DISABLED = "all-disabled"
"""The configuration of GPUs that are whole; what makes them whole again after another one."""


def configuration_name(layouts: Sequence[Layout]) -> str:
    """The name of the configuration that divides GPUs so: a valid label value, which decides on the content.

    ``layouts`` has one entry for all GPUs of a node, or one for each, as in `Partitioning`; none is `all-disabled`.
    One profile as often as any GPU takes it is called `all-1g.10gb`, as mig-manager itself calls it.
    """
    if not any(layouts):
        return ALL_DISABLED
    if len(layouts) > 1:
        text = ";".join(map(written, layouts))
        return f"each-gpu-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    (layout,) = layouts
    if len(layout) == 1:
        ((profile, count),) = layout.items()
        if count == _most_of(profile):
            return f"all-{_as_label(profile)}"
    return "-".join(f"{layout[profile]}x{_as_label(profile)}" for profile in sorted(layout, key=by_size))


def configurations(wanted: Iterable[Sequence[Layout]]) -> dict[str, Any]:
    """The file with a configuration for each of ``wanted``, and always one for whole GPUs."""
    named = {configuration_name(layouts): layouts for layouts in wanted}
    named[ALL_DISABLED] = [{}]
    return {"version": "v1", "mig-configs": {name: _entries(layouts) for name, layouts in sorted(named.items())}}


def _entries(layouts: Sequence[Layout]) -> list[dict[str, Any]]:
    """One entry for all GPUs, or one for the GPUs that are divided alike."""
    if len(layouts) == 1:
        return [{"devices": "all", **_divided(layouts[0])}]
    alike: dict[str, list[int]] = {}
    for index, layout in enumerate(layouts):
        alike.setdefault(written(layout), []).append(index)
    return [{"devices": devices, **_divided(layouts[devices[0]])} for devices in alike.values()]


def _divided(layout: Layout) -> Mapping[str, Any]:
    """Beside `mig-enabled: false` mig-parted takes no instances."""
    if not layout:
        return {"mig-enabled": False}
    return {"mig-enabled": True, "mig-devices": {profile: layout[profile] for profile in sorted(layout, key=by_size)}}


def _as_label(profile: str) -> str:
    return profile.replace("+", ".")


def _most_of(profile: str) -> int:
    """How many of ``profile`` a GPU takes at most. A name may have another maximum on a GPU of other memory."""
    return max((gpu.profiles[profile].maximum for gpu in gpus() if profile in gpu.profiles), default=0)
