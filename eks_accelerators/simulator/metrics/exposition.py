"""What a target shows, and the page that Prometheus reads of it.

Source: Prometheus documentation, `instrumenting/exposition_formats`, text format 0.0.4; read 2026-11-22.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from eks_accelerators.monitoring.metrics import Exporter, Metric, series

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
"""Media type of Prometheus' text exposition format."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One series as it is now. ``labels`` are those that the exporter itself writes; ``name`` is one of the catalogue."""

    name: str
    labels: Mapping[str, str]
    value: float


@dataclass(frozen=True, slots=True)
class Target:
    """One page that Prometheus scrapes.

    ``id`` is its name in addresses: letters, digits, `.`, `_` and `-`. ``labels`` are those that the scrape adds, as our
    ServiceMonitors and PodMonitors have it: of `job`, `instance`, `node`, `namespace` and `pod` what the catalogue names.
    One that does not answer is found all the same: Prometheus then says `up` 0 of it.
    """

    exporter: Exporter
    id: str
    labels: Mapping[str, str]
    answers: bool = True


class Source(Protocol):
    """An exporter: finds its own targets, and has samples of each."""

    def scrape(self) -> Iterable[tuple[Target, Sequence[Sample]]]:
        """Every target that is found now, with what it shows. One that nobody finds any more is not named."""
        ...


def page(samples: Iterable[Sample]) -> str:
    """The text of a page: samples of one metric together, under its type and its meaning.

    Raises KeyError for a series that the catalogue does not have.
    """
    families: dict[str, tuple[Metric, list[Sample]]] = {}
    for sample in samples:
        metric = series()[sample.name]
        families.setdefault(metric.name, (metric, []))[1].append(sample)
    return "".join(_family(metric, of_metric) for metric, of_metric in families.values())


def _family(metric: Metric, samples: Iterable[Sample]) -> str:
    lines = [f"# HELP {metric.name} {_help(metric.means)}", f"# TYPE {metric.name} {metric.kind}"]
    lines += [f"{sample.name}{_labels(sample.labels)} {number(sample.value)}" for sample in samples]
    return "\n".join(lines) + "\n"


def _help(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _labels(labels: Mapping[str, str]) -> str:
    """As written in braces; an empty value is the same as none, to Prometheus, and exporters do write it."""
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_value(value)}"' for name, value in labels.items()) + "}"


def _value(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def number(value: float) -> str:
    """A value as Prometheus reads it: `3`, `0.25`, `+Inf`, `NaN`."""
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    if math.isnan(value):
        return "NaN"
    return str(int(value)) if value == int(value) and abs(value) < 2**53 else repr(float(value))
