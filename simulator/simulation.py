"""A simulation: an account, a cluster and the engine over one folder, from command to command."""

import shutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from accelerators import clock
from simulator.aws.account import Account
from simulator.engine import Action, Engine, Listener, Outcome, Program
from simulator.folder import SimulationError, account_in, own, refuse_another_region
from simulator.kubernetes.api import Api
from simulator.kubernetes.control_plane import ControlPlane
from simulator.kubernetes.control_plane import start as start_control_plane
from simulator.kubernetes.kubelets import Kubelets
from simulator.kubernetes.ready import rest
from simulator.providers.aws_provider import AwsProvider, Done
from simulator.providers.eks_provider import EksProvider
from simulator.providers.faults import Fault, Faults
from simulator.providers.kubernetes_provider import KubernetesProvider
from simulator.servers import serving


@dataclass(slots=True)
class Simulation:
    """An open simulation."""

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
        providers = {
            "aws": AwsProvider(self.account, injected, self._note),
            "eks": EksProvider(),
            "kubernetes": KubernetesProvider(self.account, self._api, injected, self._note, self.helm),
        }
        with serving(providers) as addresses, clock.set_to(self.account.state.now):
            outcome = self.engine.run(action, program, addresses, listen, flags)
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
        threading.Event().wait()

    @property
    def notes(self) -> Mapping[str, tuple[str, ...]]:
        """Why a plugin's pod on a node advertises nothing, by node."""
        return self.kubelets.notes if self.kubelets else {}

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
) -> Iterator[Simulation]:
    """The simulation in ``folder``, made where it is new: then its clock begins at ``now``, and ``world`` is put into
    its account.

    Without ``kubernetes`` there is no control plane, and no Kubernetes resource can be deployed.
    """
    with ExitStack() as stack:
        stack.enter_context(own(folder))
        refuse_another_region(folder, region)
        cluster = stack.enter_context(_control_plane(engines, folder / "kubernetes")) if kubernetes else None
        account = stack.enter_context(account_in(folder, region=region, now=now, world=world))
        kubelets = stack.enter_context(_kubelets(account, cluster)) if cluster else None
        yield Simulation(folder, account, Engine(engines["pulumi"], folder), kubelets, cluster)


def forget(folder: Path) -> None:
    """Remove the simulation in ``folder``, and nothing that is not one."""
    if not folder.exists():
        return
    if not (folder / "simulation.json").exists():
        raise SimulationError(f"{folder} is not a simulation; nothing was removed")
    shutil.rmtree(folder)


@contextmanager
def _control_plane(engines: Mapping[str, Path], folder: Path) -> "Iterator[Future[ControlPlane]]":
    """Starts while the account is opened and the first resources are made."""
    with ThreadPoolExecutor(1, thread_name_prefix="control-plane") as pool:
        future = pool.submit(start_control_plane, engines, folder)
        try:
            yield future
        finally:
            if future.exception() is None:
                future.result().stop()


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
