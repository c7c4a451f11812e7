"""What `charts-values/charts.yaml` pins: one object for an image, and for a chart."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from eks_accelerators.components.charts import catalogue

_OCI = "oci://"
_DOCKER_HUB = "docker.io"


class PinKind(StrEnum):
    """Kinds of pins: a container image, or a Helm chart."""

    IMAGE = "image"
    CHART = "chart"


@dataclass(frozen=True, slots=True)
class Pin:
    """One version of one thing: read in ``source`` on the day ``checked``.

    ``registry`` is the host of an OCI registry, or the address of a Helm repository that is none (``is_helm_repository``);
    ``path`` is the image's, or the chart's, in it.
    """

    name: str
    kind: PinKind
    registry: str
    path: str
    version: str
    source: str
    checked: date
    is_helm_repository: bool = False


def pins() -> tuple[Pin, ...]:
    """Every image and chart, in the order of the file."""
    return tuple(_pin(name, entry) for name, entry in catalogue().items() if "image" in entry or "chart" in entry)


def _pin(name: str, entry: dict[str, str]) -> Pin:
    source, checked = entry["source"], date.fromisoformat(entry["checked"])
    if "image" in entry:
        where, _, version = entry["image"].rpartition(":")
        return Pin(name, PinKind.IMAGE, *_parts(where), version, source, checked)
    version = entry["version"]
    if "repository" in entry:
        where = entry["repository"].rstrip("/")
        return Pin(name, PinKind.CHART, where, entry["chart"], version, source, checked, is_helm_repository=True)
    return Pin(name, PinKind.CHART, *_parts(entry["chart"].removeprefix(_OCI)), version, source, checked)


def _parts(where: str) -> tuple[str, str]:
    """Host and path. A first part without a dot is no host: the image is Docker Hub's."""
    host, _, path = where.partition("/")
    return (host, path) if "." in host or ":" in host else (_DOCKER_HUB, where)
