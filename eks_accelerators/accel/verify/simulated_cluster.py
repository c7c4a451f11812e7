"""The cluster of a simulation, for a verification: a real API server, and simulated tools in its pods."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from eks_accelerators.accel.verify.kubernetes_cluster import KubernetesCluster
from eks_accelerators.simulator.kubernetes.api import Api
from eks_accelerators.simulator.metrics import cluster
from eks_accelerators.simulator.metrics.exporters import SimulatedExporters
from eks_accelerators.simulator.metrics.faults import DeviceFault, DeviceFaults, FaultError
from eks_accelerators.simulator.simulation import Simulation
from eks_accelerators.simulator.tools import pods
from eks_accelerators.verification.cluster import ClusterError


class SimulatedCluster(KubernetesCluster):
    """All but what a kubelet would answer is asked of the simulation's API server."""

    def __init__(self, kubeconfig: Path, api: Api, faults: DeviceFaults) -> None:
        super().__init__(kubeconfig)
        self._api, self._faults = api, faults

    def log(self, namespace: str, pod: str) -> str:
        """What its programs would print."""
        with _told():
            found, now = self._pod(namespace, pod)
            return pods.log_of(found, now, self._faults)

    def execute(self, namespace: str, pod: str, container: str, command: Sequence[str]) -> str:
        """What a program would print."""
        del container
        with _told():
            found, now = self._pod(namespace, pod)
            return pods.executed(found, command, now, self._faults)

    def ask_service(self, namespace: str, service: str, path: str, body: Mapping[str, Any] | None) -> Mapping[str, Any]:
        """How a server would answer."""
        found = self._api.get("v1", "Service", service, namespace)
        if found is None:
            raise ClusterError(f'services "{service}" not found', 404)
        with _told():
            return pods.answer_of(found, path, body, cluster.read(self._api), self._faults)

    def ask_pod(
        self, namespace: str, pod: str, port: int, path: str, body: Mapping[str, Any] | None
    ) -> Mapping[str, Any]:
        """How one pod of a server would answer."""
        del port
        with _told():
            found, now = self._pod(namespace, pod)
            return pods.answer_of_pod(found, path, body, now, self._faults)

    def _pod(self, namespace: str, name: str) -> tuple[cluster.Object, cluster.ClusterObjects]:
        now = cluster.read(self._api)
        wanted = (namespace, name)
        for pod in now.pods:
            if (pod["metadata"].get("namespace"), pod["metadata"]["name"]) == wanted:
                return pod, now
        raise ClusterError(f'pods "{name}" not found', 404)


@contextmanager
def simulated_cluster(simulation: Simulation, faults: Sequence[DeviceFault]) -> Iterator[SimulatedCluster]:
    """The cluster with ``faults`` struck, which are over at the end. Raises `FaultError` for one that finds nothing to strike."""
    control_plane, struck = simulation.cluster, DeviceFaults(faults)
    simulation.settle()
    exporters = SimulatedExporters(lambda: control_plane.api, faults=struck)
    kubelets = simulation.kubelets
    assert kubelets is not None
    before, kubelets.devices.health = kubelets.devices.health, struck
    connected = SimulatedCluster(control_plane.kubeconfig, control_plane.api, struck)
    try:
        _round(exporters, simulation)
        if struck.waiting:
            fault = struck.waiting[0]
            raise FaultError(f"--fault {fault}: there is no node that it could strike; it is of {fault.kind.nodes}")
        yield connected
    finally:
        struck.clear()
        _round(exporters, simulation)
        kubelets.devices.health = before
        connected.close()


def _round(exporters: SimulatedExporters, simulation: Simulation) -> None:
    """Let node monitoring agents and device plugins say what they find."""
    exporters.scrape()
    if simulation.kubelets is not None:
        simulation.kubelets.sync()


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except pods.NoAnswerError as error:
        raise ClusterError(str(error), error.status) from None
