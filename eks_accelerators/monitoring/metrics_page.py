"""The page about all metrics: `python -m eks_accelerators.monitoring.metrics_page` writes it from the catalogue.

`--check` exits 1 where the written page is stale.
"""

import sys
from collections.abc import Iterator

from eks_accelerators.monitoring.data import load
from eks_accelerators.monitoring.metrics import Exporter, Metric, exporters, metrics, scopes
from eks_accelerators.settings.generated_files import ROOT, write_or_check

PATH = ROOT / "docs" / "metrics.md"

_INTRODUCTION = """\
<!-- Written by `python -m eks_accelerators.monitoring.metrics_page` from `eks_accelerators/monitoring/data/metrics.json`. -->

# Metrics

The metrics that [alerts](alerts.md) may name: who emits them, in which unit, what they mean, and what they do not. An
expression groups and joins by labels that are named here, and a test holds every one of them to that.
"""

_HOW_SHARED = {
    "exclusive": "Exclusive",
    "timeSlicing": "Time-slicing",
    "mps": "MPS",
    "mig": "MIG",
    "claimed": "Claimed (DRA)",
}


def page() -> str:
    """The page in Markdown."""
    return "\n".join([_INTRODUCTION, *_scopes(), *_exporters()]).rstrip() + "\n"


def _scopes() -> Iterator[str]:
    yield "## Shared GPUs\n"
    yield "Of which part of a GPU a metric is, by the way in which [GPUs are given to pods](sharing.md). A sum over pods counts"
    yield "what is repeated more than once: take the largest of a GPU, `max by (node, gpu, UUID)`, and of MIG also `GPU_I_ID`.\n"
    yield f"| Kind | {' | '.join(_HOW_SHARED.values())} |"
    yield f"| --- |{' --- |' * len(_HOW_SHARED)}"
    for scope, texts in scopes().items():
        yield f"| {scope} | {' | '.join(texts[way] for way in _HOW_SHARED)} |"
    yield f"\nSource: {load('metrics')['scopesSource']}.\n"


def _exporters() -> Iterator[str]:
    for exporter, facts in exporters().items():
        yield f"## {facts.title}\n"
        yield f"- Version: {facts.version}"
        yield f"- Configured: {facts.configured}"
        if facts.labels:
            yield f"- Labels of every series, where they apply: {_code(facts.labels)}"
        if facts.target_labels:
            yield f"- Labels of the scrape: {_code(facts.target_labels)}"
        yield f"- Scrape: {facts.scrape}"
        yield f"- Source: {facts.source}; read {facts.read}\n"
        yield from _table(exporter)


def _table(exporter: Exporter) -> Iterator[str]:
    of_gpus = exporter is Exporter.DCGM
    columns = (
        "Metric",
        "Type",
        "Unit",
        *(("Kind",) if of_gpus else ()),
        "Own labels",
        "What it means, and what it does not",
    )
    yield f"| {' | '.join(columns)} |"
    yield f"|{' --- |' * len(columns)}"
    for metric in metrics().values():
        if metric.exporter is exporter:
            yield _row(metric, of_gpus=of_gpus)
    yield ""


def _row(metric: Metric, *, of_gpus: bool) -> str:
    facts = exporters()[metric.exporter]
    own = sorted(metric.labels.difference(facts.labels, facts.target_labels))
    denied = f" Not: {metric.does_not_mean[0].lower()}{metric.does_not_mean[1:]}" if metric.does_not_mean else ""
    cells = (
        f"`{metric.name}`",
        metric.kind,
        metric.unit,
        *((metric.scope or "",) if of_gpus else ()),
        _code(own),
        metric.means + denied,
    )
    return f"| {' | '.join(cells)} |"


def _code(names: list[str] | tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


if __name__ == "__main__":
    sys.exit(write_or_check(PATH, page(), sys.argv[1:], "python -m eks_accelerators.monitoring.metrics_page"))
