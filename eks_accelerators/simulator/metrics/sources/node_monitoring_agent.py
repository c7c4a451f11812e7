"""The EKS node monitoring agent's page: how often it found what, and which conditions it ever made false.

Source: aws/eks-node-monitoring-agent 51af549 (v1.7.0), `pkg/manager/manager.go`; read 2026-11-22. What it writes on its
node is in `eks_accelerators.simulator.metrics.node_conditions`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.simulator.metrics.exposition import Sample, Target
from eks_accelerators.simulator.metrics.node_conditions import AGENT, findings
from eks_accelerators.simulator.metrics.signs import AgentFinding
from eks_accelerators.simulator.metrics.world import ScrapedWorld

_PORT = 8003


def scrape(world: ScrapedWorld) -> Iterator[tuple[Target, Sequence[Sample]]]:
    """One page for each of its pods. A page without any series is one of an agent that has found nothing."""
    for pod in world.cluster.running(AGENT):
        node = world.cluster.node(pod["spec"].get("nodeName", ""))
        if node is not None:
            target = world.target(Exporter.NODE_MONITORING_AGENT, pod, _PORT, "node")
            yield target, tuple(_samples(findings(node, world), world))


def _samples(found: Iterable[tuple[AgentFinding, float]], world: ScrapedWorld) -> Iterator[Sample]:
    counts: Counter[tuple[str, str]] = Counter()
    fatal = set()
    for finding, since in found:
        again = int(world.since(since) // finding.every) if finding.every else 0
        counts[finding.severity, finding.reason] += 1 + again
        if finding.is_fatal:
            fatal.add(finding.condition)
    for (severity, reason), count in sorted(counts.items()):
        yield Sample("problem_condition_count", {"severity": severity, "reason": reason}, count)
    for condition in sorted(fatal):
        yield Sample("fatal_condition_gauge", {"type": condition}, 1)
