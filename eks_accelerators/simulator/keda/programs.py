"""KEDA's programs: what they are called here, their command lines, and the definitions of their kinds.

Sources: KEDA v2.20.2, `cmd/operator`, `cmd/adapter` and `cmd/webhooks`, read 2026-11-22.
"""

from dataclasses import dataclass
from pathlib import Path

from eks_accelerators.simulator.engines import MissingEnginesError
from eks_accelerators.simulator.kubernetes.control_plane import ControlPlane

OPERATOR, METRICS_SERVER, WEBHOOKS = "keda-operator", "keda-metrics-server", "keda-admission-webhooks"
ENGINES = (OPERATOR, METRICS_SERVER)
"""What scales. The third program only judges what is written."""

NAMESPACE = "keda"
"""Where KEDA takes itself to be; it looks for Secrets of ClusterTriggerAuthentications there."""

_ENVIRONMENT = (
    "/usr/bin/env",
    "WATCH_NAMESPACE=",
    f"POD_NAMESPACE={NAMESPACE}",
    f"KEDA_CLUSTER_OBJECT_NAMESPACE={NAMESPACE}",
)
_LOG_LEVEL = "--zap-log-level=info"
_REQUESTS = ("--kube-api-qps=1000", "--kube-api-burst=2000")
"""A second; the defaults of 20 and 30 would slow a compressed simulation down."""


@dataclass(frozen=True, slots=True)
class KedaPorts:
    """Ports of 127.0.0.1. The operator has metrics of itself, its health, and values of triggers for the metrics server."""

    metrics: int
    health: int
    values: int
    api: int


def operator(program: Path, cluster: ControlPlane, certificates: Path, ports: KedaPorts) -> list[str | Path]:
    """The operator: it makes a HorizontalPodAutoscaler of each ScaledObject, and asks the triggers."""
    return [
        *_environment(cluster),
        program,
        f"--metrics-bind-address=127.0.0.1:{ports.metrics}",
        f"--health-probe-bind-address=127.0.0.1:{ports.health}",
        f"--metrics-service-bind-address=127.0.0.1:{ports.values}",
        f"--cert-dir={certificates}",
        *_REQUESTS,
        _LOG_LEVEL,
    ]


def metrics_server(program: Path, cluster: ControlPlane, certificates: Path, ports: KedaPorts) -> list[str | Path]:
    """The extension of the API server that tells the HPA controller what the operator has found.

    Metrics of itself are on a free port of all addresses: it knows no other way.
    """
    return [
        *_environment(cluster),
        program,
        "--bind-address=127.0.0.1",
        f"--secure-port={ports.api}",
        f"--tls-cert-file={certificates / 'tls.crt'}",
        f"--tls-private-key-file={certificates / 'tls.key'}",
        f"--client-ca-file={cluster.ca_file}",
        f"--cert-dir={certificates}",
        f"--metrics-service-address=127.0.0.1:{ports.values}",
        *(f"--{use}-kubeconfig={cluster.kubeconfig}" for use in ("lister", "authentication", "authorization")),
        "--port=0",
        *_REQUESTS,
        _LOG_LEVEL,
    ]


def webhooks(program: Path, cluster: ControlPlane, certificates: Path, port: int, health: int) -> list[str | Path]:
    """The judge of what is written; it listens on all addresses, since it knows no other way."""
    return [
        *_environment(cluster),
        program,
        f"--port={port}",
        "--metrics-bind-address=0",
        f"--health-probe-bind-address=127.0.0.1:{health}",
        f"--cert-dir={certificates}",
        *_REQUESTS,
        _LOG_LEVEL,
    ]


def version(program: Path) -> str:
    """The version of the operator, as `v2.20.2`. Raises `MissingEnginesError` where it does not say one."""
    file = program.with_name(f"{program.name}-crds") / "VERSION"
    if not file.exists():
        raise MissingEnginesError(f"missing {file}. Run `make engines MORE=1`")
    return file.read_text(encoding="utf-8").strip()


def _environment(cluster: ControlPlane) -> tuple[str, ...]:
    return (*_ENVIRONMENT, f"KUBECONFIG={cluster.kubeconfig}")
