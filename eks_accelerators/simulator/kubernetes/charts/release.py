"""One release of a chart: its values, checked and completed as Helm does, and the names and labels that follow.

Source: Helm's documentation of values files and named templates, read 2026-11-20. Mappings are merged key by key,
everything else is replaced, and null removes a default.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from eks_accelerators.simulator.kubernetes.charts.errors import ChartNotSimulatedError, UnknownValueError
from eks_accelerators.simulator.kubernetes.objects import Manifest, metadata

_NAME_LENGTH = 63
"""Charts cut names to the length of a DNS label."""

_OPEN_EVERYWHERE = ("global",)
"""Helm hands `global` to every chart and its dependencies."""

OPEN = frozenset(
    {"affinity", "nodeSelector", "resources", "securityContext", "podSecurityContext", "updateStrategy", "config"}
)
"""Values whose content is Kubernetes' or the program's, so that any key below them is known.

`config` is meant for a program's configuration file; a chart in which it is the chart's own says so by `closed`.
"""


@dataclass(frozen=True)
class ChartRelease:
    """A chart's release: ``chart`` as in its Chart.yaml, ``version`` of chart and program without a leading `v`."""

    chart: str
    version: str
    name: str
    namespace: str
    values: dict[str, Any]

    def value(self, path: str) -> Any:
        """The value at ``path``, such as `config.name`; None where it, or what is above it, is absent."""
        found: Any = self.values
        for key in path.split("."):
            found = found.get(key) if isinstance(found, Mapping) else None
        return found

    def refuse(self, entry: str, paths: Iterable[str]) -> None:
        """Raise `ChartNotSimulatedError` of the chart's ``entry`` in the catalogue where one of these values is switched on."""
        for path in paths:
            if self.value(path):
                raise ChartNotSimulatedError(entry, path)

    def full_name(self, name: str, override: str | None = None) -> str:
        """The name that charts give their objects: the release's where it contains ``name``, else both."""
        whole = override or (self.name if name in self.name else f"{self.name}-{name}")
        return cut(whole)

    def selector_labels(self, name: str) -> dict[str, str]:
        """The labels by which a chart's workloads find their pods."""
        return {"app.kubernetes.io/name": name, "app.kubernetes.io/instance": self.name}

    def labels(self, name: str) -> dict[str, str]:
        """The labels of a chart's objects."""
        return {
            "helm.sh/chart": cut(f"{name}-{self.version}"),
            **self.selector_labels(name),
            "app.kubernetes.io/version": self.version,
            "app.kubernetes.io/managed-by": "Helm",
        }

    def metadata(self, object_name: str, labels: Mapping[str, str], namespace: str | None = None) -> Manifest:
        """`metadata` of an object in ``namespace``, by default the release's."""
        return metadata(object_name, namespace or self.namespace, labels)


def cut(name: str) -> str:
    """``name`` in the length of a DNS label, without a dash at the end."""
    return name[:_NAME_LENGTH].removesuffix("-")


def completed(
    chart: str, defaults: Mapping[str, Any], given: Mapping[str, Any], *, closed: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """``given`` over the chart's ``defaults``.

    Raises `UnknownValueError` for a key that the defaults do not have. A default that is no mapping or an empty one
    takes any content, and so does one whose path ends in a name of `OPEN` and is not in ``closed``.
    """
    _check(chart, defaults, given, "", closed)
    return _merged(defaults, given)


def _check(
    chart: str, defaults: Mapping[str, Any], given: Mapping[str, Any], path: str, closed: frozenset[str]
) -> None:
    for key, value in given.items():
        below = f"{path}.{key}" if path else key
        if key not in defaults:
            if not path and key in _OPEN_EVERYWHERE:
                continue
            raise UnknownValueError(chart, below, defaults)
        known = defaults[key]
        if (key in OPEN and below not in closed) or not (isinstance(known, Mapping) and known):
            continue
        if isinstance(value, Mapping):
            _check(chart, known, value, below, closed)


def _merged(defaults: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(defaults)
    for key, value in given.items():
        below = result.get(key)
        if value is None:
            result.pop(key, None)
        elif isinstance(below, Mapping) and isinstance(value, Mapping):
            result[key] = _merged(below, value)
        else:
            result[key] = value
    return result
