"""What every simulated exporter is made of: the cluster of this moment, servers, faults, and what runs on from before."""

from dataclasses import dataclass, field

from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.simulator.metrics.cluster import NAMES, ClusterObjects, Object
from eks_accelerators.simulator.metrics.devices import Assignments
from eks_accelerators.simulator.metrics.exposition import Target
from eks_accelerators.simulator.metrics.faults import DeviceFaults
from eks_accelerators.simulator.metrics.meters import Meters
from eks_accelerators.simulator.metrics.servers import IdleServers, ServerStates
from eks_accelerators.simulator.pace import Pace, PacedClock
from eks_accelerators.verification.cluster import labels_of

_BY_SERVICE = frozenset({Exporter.DCGM, Exporter.KUBE_STATE_METRICS})
"""Exporters that a ServiceMonitor finds; all others have a PodMonitor."""

REAL_TIME = PacedClock(Pace(1), 0.0, 0.0)
"""Simulated moments are those of the wall clock."""


@dataclass(frozen=True)
class ScrapedWorld:
    """``now`` is the wall clock in seconds since 1970. Meters and assignments are those of the rounds before.

    ``clock`` is that by which Prometheus counts simulated moments. ``always`` are exporters that answer though no pod of
    theirs is in the cluster.
    """

    cluster: ClusterObjects
    now: float
    clock: PacedClock = REAL_TIME
    servers: ServerStates = field(default_factory=IdleServers)
    faults: DeviceFaults = field(default_factory=DeviceFaults)
    meters: Meters = field(default_factory=Meters)
    assignments: Assignments = field(default_factory=Assignments)
    always: frozenset[Exporter] = frozenset()

    def since(self, moment: float) -> float:
        """How many simulated seconds have passed since ``moment`` of the wall clock."""
        return self.clock.pace.simulated(max(0.0, self.now - moment))

    def target(self, exporter: Exporter, pod: Object, port: int, *labels: str) -> Target:
        """The page of an exporter's pod, with those of the labels `node`, `namespace` and `pod` that its scrape adds."""
        metadata = pod["metadata"]
        node = str(pod["spec"].get("nodeName", ""))
        every = {"node": node, "namespace": metadata["namespace"], "pod": metadata["name"]}
        address = (pod.get("status") or {}).get("podIP") or metadata["name"]
        return Target(
            exporter,
            f"{exporter.value}.{metadata['namespace']}.{metadata['name']}",
            {"job": _job(exporter, pod), "instance": f"{address}:{port}", **{name: every[name] for name in labels}},
            answers=not self.faults.silences(exporter, self.cluster.node(node)),
        )


def _job(exporter: Exporter, pod: Object) -> str:
    """As the Prometheus Operator calls it: of a ServiceMonitor the Service's name, of a PodMonitor with its namespace."""
    labels = labels_of(pod)
    name = next((labels[key] for key in NAMES if key in labels), pod["metadata"]["name"])
    return name if exporter in _BY_SERVICE else f"{pod['metadata']['namespace']}/{name}"
