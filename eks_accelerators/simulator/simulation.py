"""A simulation: an account, a cluster and the engine over one folder, from command to command."""

import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from eks_accelerators.accelerators import clock
from eks_accelerators.simulator.aws.account import Account
from eks_accelerators.simulator.engine import BACKEND, WORKSPACE, Engine, Listener, Program
from eks_accelerators.simulator.folder import BEGINNING, SimulationError, account_in, begin, own
from eks_accelerators.simulator.interruption import put_off
from eks_accelerators.simulator.kubernetes.api import Api
from eks_accelerators.simulator.kubernetes.control_plane import ControlPlane
from eks_accelerators.simulator.kubernetes.control_plane import start as start_control_plane
from eks_accelerators.simulator.kubernetes.kubelets import Kubelets
from eks_accelerators.simulator.kubernetes.readiness import rest
from eks_accelerators.simulator.lean_program import untraced
from eks_accelerators.simulator.outcome import Action, Outcome
from eks_accelerators.simulator.pace import LIFE, Pace
from eks_accelerators.simulator.processes import ServerError
from eks_accelerators.simulator.providers.aws_provider import Done, SimulatedAwsProvider
from eks_accelerators.simulator.providers.eks_provider import EksProvider
from eks_accelerators.simulator.providers.faults import Fault, Faults
from eks_accelerators.simulator.providers.kubernetes_provider import KubernetesProvider
from eks_accelerators.simulator.seal import START_OVER, check_engine
from eks_accelerators.simulator.servers import serving
from eks_accelerators.simulator.state.store import Store

_INTERRUPTIBLE_SECONDS = 0.2


@dataclass(slots=True)
class Simulation:
    """A stack, its simulated account and, with Kubernetes, its cluster, until it is closed."""

    folder: Path
    account: Account
    engine: Engine
    kubelets: Kubelets | None
    _cluster: "Future[ControlPlane] | None"
    done: list[Done] = field(default_factory=list)
    """What providers have done since the simulation was opened."""
    watch: Callable[[Done], None] = lambda _done: None
    helm: Path | None = None
    """Renders charts from their repositories; without it their stand-ins are installed."""

    @property
    def has_cluster(self) -> bool:
        """Whether there is a control plane."""
        return self._cluster is not None

    @property
    def cluster(self) -> ControlPlane:
        """The control plane; waits until it is up. Raises `SimulationError` in a simulation without one."""
        if self._cluster is None:
            raise SimulationError("this simulation has no Kubernetes control plane")
        return self._cluster.result()

    def run(
        self,
        action: Action,
        program: Program,
        *,
        faults: list[Fault] | None = None,
        listen: Listener | None = None,
        flags: Sequence[str] = (),
    ) -> Outcome:
        """Run the program under the engine, with ``flags`` of its own. Inside, it is the time of the simulated clock."""
        injected = Faults(faults)
        kubernetes = KubernetesProvider(self.account, self._api, injected, self._note, self.helm)
        providers = {
            "aws": SimulatedAwsProvider(self.account, injected, self._note),
            "eks": EksProvider(),
            "kubernetes": kubernetes,
        }
        lean = untraced(debug="--debug" in flags)
        with serving(providers) as addresses, clock.set_to(self.account.state.now), lean:
            outcome = self.engine.run(action, program, addresses, listen, flags)
        outcome.waits = kubernetes.waits
        if self.kubelets and self._cluster and action != "preview":
            self.kubelets.sync()
        return outcome

    def set_clock(self, moment: datetime) -> None:
        """Let time pass until ``moment``, in the account and then on its nodes."""
        self.account.set_clock(moment)
        if self.kubelets:
            self.kubelets.sync()

    def settle(self, patience: float = 10.0) -> None:
        """Wait until pods and nodes have come to rest: everything that can run does."""
        if self._cluster is not None and self.kubelets:
            rest(self.cluster.api, self.kubelets.sync, patience)

    def wait(self) -> None:
        """Keep the simulation up until the user interrupts it; nodes follow what is done to the cluster."""
        while True:  # not one long wait: Ctrl-C just before it begins would be handled after it
            time.sleep(_INTERRUPTIBLE_SECONDS)

    @property
    def notes(self) -> Mapping[str, tuple[str, ...]]:
        """Why a plugin's pod on a node advertises nothing, by node."""
        return self.kubelets.devices.notes if self.kubelets else {}

    def _api(self) -> Api:
        return self.cluster.api

    def _note(self, done: Done) -> None:
        self.done.append(done)
        if self.kubelets and done.token.startswith("aws:"):
            self.kubelets.wake()
        self.watch(done)


@contextmanager
def opened(
    folder: Path,
    engines: Mapping[str, Path],
    *,
    region: str,
    now: datetime,
    world: Mapping[str, Any] | None = None,
    kubernetes: bool = True,
    pace: Pace = LIFE,
    pods_take_time: bool = False,
) -> Iterator[Simulation]:
    """The simulation in ``folder``, made where it is new: then its clock begins at ``now``, and ``world`` is put into
    its account.

    Without ``kubernetes`` there is no control plane, and no Kubernetes resource can be deployed. HorizontalPodAutoscalers go at ``pace``. Where ``pods_take_time``
    those with a startup probe wait until somebody says that they have started (`slow_pods`).
    """
    with _closed_in_peace() as stack:
        stack.enter_context(own(folder))
        Store(folder / BACKEND).settle()
        check_engine(folder / BACKEND, folder / WORKSPACE)
        begin(folder, region, now)  # ahead of the control plane: a folder without it is nobody's
        planes = _control_plane(engines, folder / "kubernetes", pace, pods_take_time=pods_take_time)
        cluster = stack.enter_context(planes) if kubernetes else None
        account = stack.enter_context(account_in(folder, region=region, now=now, world=world))
        kubelets = stack.enter_context(_kubelets(account, cluster)) if cluster else None
        yield Simulation(folder, account, Engine(engines["pulumi"], folder), kubelets, cluster)


@contextmanager
def _closed_in_peace() -> Iterator[ExitStack]:
    """What is entered is left in order, whoever wants it to end: a server that is left behind writes files that are sealed."""
    stack = ExitStack()
    try:
        yield stack
    finally:
        with put_off():
            stack.close()


def forget(folder: Path) -> None:
    """Remove the simulation in ``folder``, and nothing that is not one."""
    if not folder.exists():
        return
    if not (folder / BEGINNING).exists():
        raise SimulationError(f"{folder} is not a simulation: it has no {BEGINNING}; nothing was removed")
    shutil.rmtree(folder)


@contextmanager
def _control_plane(
    engines: Mapping[str, Path], folder: Path, pace: Pace, *, pods_take_time: bool
) -> "Iterator[Future[ControlPlane]]":
    """Starts while the account is opened and the first resources are made."""
    with ThreadPoolExecutor(1, thread_name_prefix="control-plane") as pool:
        future = pool.submit(_started, engines, folder, pace, pods_take_time)
        try:
            yield future
        finally:
            if future.exception() is None:
                future.result().stop()


def _started(engines: Mapping[str, Path], folder: Path, pace: Pace, pods_take_time: bool) -> ControlPlane:
    """A control plane; where there was one before, what it left may be why there is none now."""
    before = (folder / "etcd").exists()
    try:
        return start_control_plane(engines, folder, pace, pods_take_time=pods_take_time)
    except (ServerError, ValueError, OSError) as error:
        if not before:
            raise
        raise SimulationError(
            f"{folder}: the control plane does not start; where its files are damaged, {START_OVER}. {error}"
        ) from error


@contextmanager
def _kubelets(account: Account, cluster: "Future[ControlPlane]") -> Iterator[Kubelets]:
    kubelets = Kubelets(account, lambda: cluster.result().api)
    stop = threading.Event()
    thread = threading.Thread(target=kubelets.run, args=(stop,), name="kubelets", daemon=True)
    thread.start()
    try:
        yield kubelets
    finally:
        stop.set()
        kubelets.wake()
        thread.join()
