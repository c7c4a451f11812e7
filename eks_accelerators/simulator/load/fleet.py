"""All servers of a load and those who ask them, in simulated time."""

import math
import threading
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from eks_accelerators.simulator.load.balancer import RandomBalancer
from eks_accelerators.simulator.load.model_server import ServerModel
from eks_accelerators.simulator.load.profile import LoadStep
from eks_accelerators.simulator.load.server import LoadRequest, QueueingServer
from eks_accelerators.simulator.load.users import Users
from eks_accelerators.simulator.metrics.servers import ServerState

PodName = tuple[str, str]
"""Namespace and name of a pod."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a server is: ``gpu`` is what it shares with others, and nobody else has."""

    gpu: str
    model: ServerModel


@dataclass(frozen=True, slots=True)
class FleetState:
    """The fleet at a moment. ``unserved`` requests found no server that is ready, and wait for one."""

    in_flight: int
    running: int
    waiting: int
    unserved: int
    ready: int


class Fleet:
    """Servers by their pods. Safe to use from several threads; time goes on with `advance` alone."""

    def __init__(self, seed: int = 0, drain_seconds: float = 0.0) -> None:
        """``drain_seconds`` is how long a server whose pod ends goes on with what it has; others then have it to do anew."""
        self.now = 0.0
        self.requests: list[LoadRequest] = []
        """All that was asked, in order."""
        self.broken_off = 0
        """Requests whose server went away."""
        self._users, self._balancer = Users(seed), RandomBalancer(seed)
        self._drain_seconds = drain_seconds
        self._servers: dict[PodName, QueueingServer] = {}
        self._gpus: dict[QueueingServer, str] = {}
        self._on_gpu: defaultdict[str, list[QueueingServer]] = defaultdict(list)
        self._ready: list[QueueingServer] = []
        self._ending: dict[QueueingServer, float] = {}
        self._unserved: list[LoadRequest] = []
        self._lock = threading.RLock()

    def follow(self, step: LoadStep) -> None:
        """From now on the load of ``step``."""
        with self._lock:
            self._send(self._users.follow(step, self.now))

    def place(
        self, servers: Mapping[PodName, Placed], ready: Collection[PodName], nodes: Collection[str] | None = None
    ) -> None:
        """The servers that there are now, and those of them that get requests.

        One that is new begins now; one that is gone ends, at once where its GPU is of none of the ``nodes`` that work.
        """
        with self._lock:
            for pod in [pod for pod in self._servers if pod not in servers]:
                server = self._servers.pop(pod)
                drains = nodes is None or self._gpus[server].partition("/")[0] in nodes
                self._ending[server] = self.now + (self._drain_seconds if drains else 0.0)
            for pod, placed in servers.items():
                if pod not in self._servers:
                    server = QueueingServer(placed.model, self.now)
                    self._servers[pod], self._gpus[server] = server, placed.gpu
                    self._on_gpu[placed.gpu].append(server)
            self._ready = [self._servers[pod] for pod in sorted(ready) if pod in self._servers]
            self._end()
            waiting, self._unserved = self._unserved, []
            self._give(waiting)

    def advance(self, until: float) -> None:
        """Work at requests until the simulated second ``until``."""
        with self._lock:
            while (event := self._next_event()) <= until:
                self.now = max(self.now, event)
                self._happen()
            self.now = max(self.now, until)

    def state(self) -> FleetState:
        """How it is now. What a server that ends still has counts with those that run."""
        with self._lock:
            ending = sum(server.running + server.waiting for server in self._ending)
            return FleetState(
                in_flight=self._users.in_flight,
                running=sum(server.running for server in self._servers.values()) + ending,
                waiting=sum(server.waiting for server in self._servers.values()),
                unserved=len(self._unserved),
                ready=len(self._ready),
            )

    def server_state(self, pod: PodName) -> ServerState | None:
        """What the server in ``pod`` says of itself; None where there is none."""
        with self._lock:
            server = self._servers.get(pod)
            return server.state(self.now) if server else None

    def _next_event(self) -> float:
        dues = [server.due for server in self._gpus]
        return min(self._users.next_request, *dues, *self._ending.values(), math.inf)

    def _happen(self) -> None:
        """Everything that is due now."""
        for server in [server for server in self._gpus if server.due <= self.now]:
            finished = server.advance(self.now)
            if not server.is_busy:
                self._share(self._gpus[server])
            for _ in finished:
                self._answered()
        if self._users.next_request <= self.now:
            self._send([self._users.ask(self.now)])
        self._end()

    def _answered(self) -> None:
        request = self._users.answered(self.now)
        if request:
            self._send([request])

    def _send(self, requests: Iterable[LoadRequest]) -> None:
        asked = list(requests)
        self.requests += asked
        self._give(asked)

    def _give(self, requests: Iterable[LoadRequest]) -> None:
        for request in requests:
            server = self._balancer.choose(self._ready)
            if server is None:
                self._unserved.append(request)
                continue
            was_busy = server.is_busy
            server.accept(request, self.now)
            if not was_busy:
                self._share(self._gpus[server])

    def _share(self, gpu: str) -> None:
        """Tell those at work on a GPU how many they are."""
        busy = [server for server in self._on_gpu[gpu] if server.is_busy]
        for server in busy:
            server.share_with(len(busy), self.now)

    def _end(self) -> None:
        """Servers that are ending have ended, when they have nothing to do or no time for it."""
        for server in [server for server, at in self._ending.items() if at <= self.now or not server.is_busy]:
            del self._ending[server]
            left = server.abandon()
            gpu = self._gpus.pop(server)
            self._on_gpu[gpu].remove(server)
            self._share(gpu)
            self.broken_off += len(left)
            for _ in left:
                self._answered()
