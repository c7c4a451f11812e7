"""The page about all alerts: `python -m eks_accelerators.monitoring.alerts_page` writes it from the alerts themselves.

`--check` exits 1 where the written page is stale.
"""

import sys
from collections.abc import Iterator

from eks_accelerators.monitoring.alerts import GROUPS, Alert
from eks_accelerators.monitoring.data import load
from eks_accelerators.monitoring.metrics import exporters
from eks_accelerators.monitoring.recording_rules import OF_EVERY_STACK, OF_SOME_STACKS
from eks_accelerators.monitoring.rules import needs_of
from eks_accelerators.monitoring.xids import classes
from eks_accelerators.settings.generated_files import ROOT, write_or_check

PATH = ROOT / "docs" / "alerts.md"

_INTRODUCTION = """\
<!-- Written by `python -m eks_accelerators.monitoring.alerts_page` from `eks_accelerators/monitoring/`. -->

# Alerts

Rules of Prometheus about accelerators, their nodes and servers. A stack gets those that concern it and whose metrics
somebody scrapes: [what is measured](metrics.md), and what it does not mean. Each alert has a page that says what to do. Prometheus'
own `promtool` evaluates every one of them on its fault, on one node of two, on shared and divided GPUs, and where all is well
or nothing is there (`tests/monitoring`). None was tried on hardware that fails.

**critical**: look at once. **warning**: look today. **info**: somebody should know; nobody is woken.
"""

_TITLES = {
    "gpu-faults": "Broken accelerators",
    "gpu-speed": "Slow or full GPUs and links",
    "neuron": "Neuron devices",
    "missing": "Missing accelerators and metrics",
    "pods": "Pods",
    "servers": "vLLM servers",
    "capacity-blocks": "Capacity Blocks",
    "scaling": "Autoscalers and quotas",
    "unused": "Unused accelerators",
}


def page() -> str:
    """The page in Markdown."""
    return "\n".join([_INTRODUCTION, *_alerts(), *_recorded(), *_xids()]).rstrip() + "\n"


def _alerts() -> Iterator[str]:
    for name, alerts in GROUPS.items():
        yield f"## {_TITLES[name]}\n"
        yield "| Alert | Severity | After | For stacks with | Metrics of | What to do |"
        yield "| --- | --- | --- | --- | --- | --- |"
        yield from map(_row, alerts)
        yield ""


def _row(alert: Alert) -> str:
    needed = needs_of(alert.expression, OF_EVERY_STACK).exporters
    titles = ", ".join(sorted(exporters()[exporter].title for exporter in needed)) or "nobody: it is deployed"
    after = alert.held or "at once"
    page = f"[{alert.runbook}](runbooks/{alert.runbook}.md)"
    return f"| `{alert.name}` | {alert.severity} | {after} | {alert.concern.text} | {titles} | {page} |"


def _recorded() -> Iterator[str]:
    yield "## Recorded series\n"
    yield "What rules and panels ask for, under a name of its own.\n"
    yield "| Series | What it is |"
    yield "| --- | --- |"
    for name, means in ({rule.name: rule.means for rule in OF_EVERY_STACK} | OF_SOME_STACKS).items():
        yield f"| `{name}` | {means} |"
    yield ""


def _xids() -> Iterator[str]:
    facts = load("xids")
    yield "## XIDs\n"
    yield "NVIDIA's error codes of a GPU, as the alerts class them. One that is not here is `GpuXidUnclassified`.\n"
    yield "| XIDs | What they mean |"
    yield "| --- | --- |"
    for each in classes().values():
        yield f"| {', '.join(map(str, each.xids))} | {each.means} |"
    yield f"\nSource: {facts['source']}; read {facts['read']}."


if __name__ == "__main__":
    sys.exit(write_or_check(PATH, page(), sys.argv[1:], "python -m eks_accelerators.monitoring.alerts_page"))
