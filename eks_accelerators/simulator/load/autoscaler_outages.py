"""Autoscalers that a fault stops: their Deployment is scaled to 0, their program does nothing, and nobody scrapes them.

The programs run beside the cluster, so that what becomes of their pods has to be done to them too.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.simulator.files import write
from eks_accelerators.simulator.kubernetes.api import Api, ApiError
from eks_accelerators.simulator.metrics.faults import DeviceFaults
from eks_accelerators.simulator.processes import Servers

LABELS: Mapping[Exporter, str] = {
    Exporter.KEDA: "app.kubernetes.io/name=keda-operator",
    Exporter.CLUSTER_AUTOSCALER: "app.kubernetes.io/name=aws-cluster-autoscaler",
    Exporter.KARPENTER: "app.kubernetes.io/name=karpenter",
}
"""By what the Deployment of each is found, as its chart labels it."""

_DEPLOYMENT = ("apps/v1", "Deployment")


@dataclass(frozen=True, slots=True)
class AutoscalerProgram:
    """An autoscaler that runs: ``name`` is its process among ``servers``. By the file ``targets`` Prometheus finds its metrics."""

    servers: Servers
    name: str
    targets: Path


class AutoscalerOutages:
    """Stops autoscalers as long as their fault lasts."""

    def __init__(
        self, api: Callable[[], Api], faults: DeviceFaults, programs: Mapping[Exporter, AutoscalerProgram]
    ) -> None:
        self._api, self._faults, self._programs = api, faults, programs
        self._targets = {exporter: program.targets.read_bytes() for exporter, program in self._programs.items()}
        self._stopped: set[Exporter] = set()
        self._replicas: dict[Exporter, dict[tuple[str, str], int]] = {}
        """How many each Deployment had, by namespace and name, of those that are stopped or nearly: what the API server
        refuses is tried again at the next look.
        """

    def look(self) -> None:
        """Stop those that a fault has struck, and bring back those whose fault is over. Raises `ApiError`."""
        stopped = self._faults.stopped & self._programs.keys()
        for exporter in sorted(stopped - self._stopped):
            self._stop(exporter)
        for exporter in sorted(self._replicas.keys() - stopped):
            self._bring_back(exporter)

    def end(self) -> None:
        """Bring all of them back, as far as the API server still answers."""
        for exporter in sorted(self._replicas):
            with suppress(ApiError):
                self._bring_back(exporter)

    def _stop(self, exporter: Exporter) -> None:
        program, before = self._programs[exporter], self._replicas.setdefault(exporter, {})
        for each in self._api().list(*_DEPLOYMENT, None, LABELS[exporter]):
            deployment = (each["metadata"]["namespace"], each["metadata"]["name"])
            before.setdefault(deployment, each["spec"]["replicas"])
            self._scale(deployment, 0)
        program.servers.hold(program.name)
        write(program.targets, b"[]")
        self._stopped.add(exporter)

    def _bring_back(self, exporter: Exporter) -> None:
        program = self._programs[exporter]
        program.servers.let_go_on(program.name)
        write(program.targets, self._targets[exporter])
        for deployment, count in self._replicas[exporter].items():
            self._scale(deployment, count)
        del self._replicas[exporter]
        self._stopped.discard(exporter)

    def _scale(self, deployment: tuple[str, str], replicas: int) -> None:
        namespace, name = deployment
        wanted = {"spec": {"replicas": replicas}}
        self._api().patch(*_DEPLOYMENT, name, namespace, wanted, subresource="scale")
