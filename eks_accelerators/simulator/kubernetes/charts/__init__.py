"""Stand-ins for Helm charts: the same objects for the same values, without Helm and without the chart. Each is a module beside
this one, and found where it lies.

Only what matters to a cluster is there: where pods run, with which rights, and from which ConfigMap. The Namespace of
a release is not created, as Helm does not create it either.
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from eks_accelerators.simulator.kubernetes.charts.errors import (
    ChartError,
    ChartNotSimulatedError,
    ChartRefusalError,
    UnknownChartError,
    UnknownValueError,
)
from eks_accelerators.simulator.kubernetes.charts.hooks import Hook
from eks_accelerators.simulator.kubernetes.objects import Manifest

__all__ = [
    "CHARTS",
    "ChartError",
    "ChartNotSimulatedError",
    "ChartRefusalError",
    "Hook",
    "UnknownChartError",
    "UnknownValueError",
    "hooks",
    "manifests",
]

_Render = Callable[[str, str, str, Mapping[str, Any]], list[Manifest]]

_MODULES = [import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__)]
_STAND_INS: tuple[Any, ...] = tuple(module for module in _MODULES if hasattr(module, "CHART"))
"""Modules beside this one, each with the chart's name as `CHART`, its `manifests`, and `hooks` if it has some."""

CHARTS: Mapping[str, _Render] = {module.CHART: module.manifests for module in _STAND_INS}
"""Every chart that has a stand-in, by its name in a Helm release."""


def manifests(
    chart: str, *, version: str, release: str, namespace: str, values: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """The objects of the release ``release`` of ``chart`` in ``namespace``, in the order in which Helm installs them.

    They are the caller's to change.

    Raises `UnknownChartError`; `UnknownValueError` for a value that the chart does not read, which Helm would not
    mention; `ChartRefusalError` for what the chart's templates refuse; `ChartNotSimulatedError` for a part of the real
    chart that the stand-in does not have.
    """
    if chart not in CHARTS:
        raise UnknownChartError(chart, CHARTS)
    made = CHARTS[chart](version.removeprefix("v"), release, namespace, values)
    return sorted(deepcopy(made), key=_install_order)


_Hooks = Callable[[str, str, str, Mapping[str, Any]], list[Hook]]
_HOOKS: Mapping[str, _Hooks] = {module.CHART: module.hooks for module in _STAND_INS if hasattr(module, "hooks")}


def hooks(chart: str, *, version: str, release: str, namespace: str, values: Mapping[str, Any]) -> list[Hook]:
    """What Helm runs, and waits for, when it deletes the release. Raises as `manifests` does, but for unknown charts."""
    if chart not in _HOOKS:
        return []
    return _HOOKS[chart](version.removeprefix("v"), release, namespace, values)


_ORDER = (
    *(
        "ServiceAccount",
        "Secret",
        "ConfigMap",
        "CustomResourceDefinition",
        "RuntimeClass",
        "ClusterRole",
        "ClusterRoleBinding",
        "Role",
    ),
    *("RoleBinding", "Service", "DaemonSet", "Deployment", "StatefulSet"),
)
"""Helm's `InstallOrder`, of the kinds that appear here; kinds that it does not know come last.

A RuntimeClass is none of Helm's: the GPU Operator makes it before the pods that name it.
"""


def _install_order(manifest: Manifest) -> int:
    kind = manifest["kind"]
    return _ORDER.index(kind) if kind in _ORDER else len(_ORDER)
