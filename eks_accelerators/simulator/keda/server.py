"""A real KEDA that runs against a simulated cluster."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from eks_accelerators.simulator.files import write
from eks_accelerators.simulator.keda import extensions, programs
from eks_accelerators.simulator.keda.programs import METRICS_SERVER, OPERATOR, WEBHOOKS, KedaPorts
from eks_accelerators.simulator.keda.scaled_objects import at_pace
from eks_accelerators.simulator.kubernetes import credentials
from eks_accelerators.simulator.kubernetes.api import Api, ApiError
from eks_accelerators.simulator.kubernetes.control_plane import ControlPlane
from eks_accelerators.simulator.kubernetes.definitions import has_condition, install_definitions
from eks_accelerators.simulator.processes import Servers, free_port
from eks_accelerators.simulator.prometheus.server import Prometheus
from eks_accelerators.simulator.readiness import answers

START_SECONDS = 120
"""How long all programs together may take on a machine that is busy; some seconds are usual."""

MANAGER = "eks-accelerators-keda"
"""The field manager of what is written for KEDA: not Pulumi's, which keeps what a stack has."""

JOB = "keda-operator"
"""Of the operator's metrics: the name of its Service."""


@dataclass(frozen=True)
class RunningKeda:
    """A running KEDA. Ends with `stop`, at the end of a `with` block, or with this process.

    ``metrics_address`` is where the operator has metrics of itself, under `/metrics`.
    """

    cluster: ControlPlane
    metrics_address: str
    servers: Servers = field(repr=False)

    def stop(self) -> None:
        """End it, and take its APIs from the API server; its kinds and their objects stay.

        Where the cluster has ended before, its next start takes them.
        """
        try:
            with suppress(ApiError):
                _forget(self.cluster.api)
        finally:
            self.servers.close()

    def write_targets(self, file: Path) -> Path:
        """A file by which Prometheus finds the operator's metrics of itself, under the job that its chart gives them."""
        found = [{"targets": [self.metrics_address], "labels": {"job": JOB}}]
        return write(file, json.dumps(found).encode())


@contextmanager
def keda(engines: Mapping[str, Path], cluster: ControlPlane) -> Iterator[RunningKeda]:
    """One for the time of a `with` block: see `start`."""
    running = start(engines, cluster)
    try:
        yield running
    finally:
        running.stop()


@contextmanager
def following(engines: Mapping[str, Path], cluster: ControlPlane, prometheus: Prometheus) -> Iterator[RunningKeda]:
    """One that asks ``prometheus``, for the time of a `with` block: every ScaledObject of the cluster is at its pace.

    It is never asked about what nobody knows yet, or not any more: a KEDA that is blind falls back to other replicas. So it
    starts when every target has been scraped, and ends before ScaledObjects are put back.
    """
    install_definitions(cluster.api, engines[OPERATOR], manager=MANAGER)
    prometheus.wait_until_scraped()
    with at_pace(cluster.api, prometheus.clock, prometheus.url), keda(engines, cluster) as running:
        yield running


def start(engines: Mapping[str, Path], cluster: ControlPlane) -> RunningKeda:
    """Start operator and metrics server, and return when the HPA controller can ask them.

    Raises `ServerError` where one does not start, `MissingEnginesError` where KEDA's definitions are missing.
    """
    install_definitions(cluster.api, engines[OPERATOR], manager=MANAGER)
    group = Servers()
    try:
        certificates = _certificates(group.folder, cluster)
        ports = KedaPorts(free_port(), free_port(), free_port(), free_port())
        group.start(OPERATOR, programs.operator(engines[OPERATOR], cluster, certificates, ports))
        group.wait(OPERATOR, answers(f"http://127.0.0.1:{ports.health}/readyz"), START_SECONDS)
        group.start(METRICS_SERVER, programs.metrics_server(engines[METRICS_SERVER], cluster, certificates, ports))
        group.wait(METRICS_SERVER, answers(f"https://localhost:{ports.api}/healthz", cluster.ca_file), START_SECONDS)
        service, api = extensions.metrics_api(ports.api, cluster.ca_file.read_bytes())
        for obj in (service, api):
            cluster.api.apply(obj, manager=MANAGER)
        group.wait(METRICS_SERVER, lambda: has_condition(cluster.api, api, "Available"), START_SECONDS)
    except BaseException:
        _forget(cluster.api)
        group.close()
        raise
    return RunningKeda(cluster, f"127.0.0.1:{ports.metrics}", group)


@contextmanager
def judge(engines: Mapping[str, Path], cluster: ControlPlane) -> Iterator[None]:
    """KEDA's own admission webhooks, for the time of a `with` block: the API server asks them about every ScaledObject."""
    install_definitions(cluster.api, engines[OPERATOR], manager=MANAGER)
    with Servers() as group:
        certificates = _certificates(group.folder, cluster)
        port, health = free_port(), free_port()
        group.start(WEBHOOKS, programs.webhooks(engines[WEBHOOKS], cluster, certificates, port, health))
        group.wait(WEBHOOKS, answers(f"https://127.0.0.1:{port}/", cluster.ca_file), START_SECONDS)
        asked = extensions.admission(port, cluster.ca_file.read_bytes())
        cluster.api.apply(asked, manager=MANAGER)
        try:
            yield
        finally:
            cluster.api.delete(asked["apiVersion"], asked["kind"], asked["metadata"]["name"], grace_seconds=0)


def _certificates(folder: Path, cluster: ControlPlane) -> Path:
    """The folder that all of KEDA's programs read: authority, certificate and key."""
    place = folder / "certificates"
    place.mkdir(mode=0o700)
    credentials.certificate(cluster.ca_file.parent, place, "tls", [extensions.DNS_NAME])
    write(place / "ca.crt", cluster.ca_file.read_bytes())
    return place


def _forget(api: Api) -> None:
    service, extension = extensions.metrics_api(0, b"")
    for obj in (extension, service):
        name, namespace = obj["metadata"]["name"], obj["metadata"].get("namespace")
        api.delete(obj["apiVersion"], obj["kind"], name, namespace, grace_seconds=0)
