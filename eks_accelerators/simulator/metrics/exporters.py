"""All simulated exporters of a cluster: one look at it for each round, and everything that follows from that."""

import threading
import time
from collections.abc import Callable, Iterable, Sequence

from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.simulator.kubernetes.api import Api
from eks_accelerators.simulator.metrics import cluster, node_conditions
from eks_accelerators.simulator.metrics.devices import Assignments
from eks_accelerators.simulator.metrics.exposition import Sample, Target
from eks_accelerators.simulator.metrics.faults import DeviceFaults
from eks_accelerators.simulator.metrics.meters import Meters
from eks_accelerators.simulator.metrics.pod_states import PodStates
from eks_accelerators.simulator.metrics.servers import IdleServers, ServerStates
from eks_accelerators.simulator.metrics.sources import SOURCES
from eks_accelerators.simulator.metrics.world import REAL_TIME, ScrapedWorld
from eks_accelerators.simulator.pace import Pace, PacedClock


class SimulatedExporters:
    """The exporters whose pods run in the cluster behind ``api``, and those of ``always``, which need no pod.

    A round lets faults strike, writes what the node monitoring agent and kubelets would write on nodes and pods, and says
    what each exporter shows. ``kubelets.devices.health`` has to be ``faults`` for plugins to hand out fewer devices. ``clock`` is the one by which
    Prometheus counts; ``pace`` alone is enough where no rule asks how old something is.
    """

    def __init__(
        self,
        api: Callable[[], Api],
        *,
        servers: ServerStates | None = None,
        faults: DeviceFaults | None = None,
        pace: Pace = REAL_TIME.pace,
        clock: PacedClock | None = None,
        always: Iterable[Exporter] = (),
        wall: Callable[[], float] = time.time,
    ) -> None:
        self.faults = faults or DeviceFaults()
        self._api, self._servers, self._wall = api, servers or IdleServers(), wall
        self._clock = clock or PacedClock.beginning_now(pace)
        self._always = frozenset(always)
        self._meters, self._assignments = Meters(), Assignments()
        self._pod_states = PodStates()
        self._lock = threading.Lock()

    def scrape(self) -> list[tuple[Target, Sequence[Sample]]]:
        """Everything that there is to scrape now. Raises `ApiError` where the API server does not answer."""
        with self._lock:
            api = self._api()
            world = self._world(cluster.read(api))
            self.faults.strike(world.cluster, world.now)
            node_conditions.write(api, world)
            self._pod_states.write(api, world)
            return shown(world)

    def _world(self, now: cluster.ClusterObjects) -> ScrapedWorld:
        return ScrapedWorld(
            cluster=now,
            now=self._wall(),
            clock=self._clock,
            servers=self._servers,
            faults=self.faults,
            meters=self._meters,
            assignments=self._assignments,
            always=self._always,
        )


def shown(world: ScrapedWorld) -> list[tuple[Target, Sequence[Sample]]]:
    """What every simulated exporter shows of ``world``."""
    return [each for scrape in SOURCES.values() for each in scrape(world)]
