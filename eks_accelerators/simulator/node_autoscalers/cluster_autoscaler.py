"""The real Cluster Autoscaler with its AWS provider, on the simulated account and its cluster.

It is told by the flags with which a stack deploys it; what differs is where AWS and Kubernetes are, and that its durations
are those of the wall clock. Version 1.33.0: newer ones cannot be built from modules alone. Source of the flags and of their
defaults: kubernetes/autoscaler `config/flags/flags.go` at that version.
"""

import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from eks_accelerators.accelerators.go_duration import nanoseconds
from eks_accelerators.simulator.files import write
from eks_accelerators.simulator.kubernetes.control_plane import START_SECONDS, ControlPlane
from eks_accelerators.simulator.node_autoscalers.program import NodeAutoscalerProgram
from eks_accelerators.simulator.pace import Pace
from eks_accelerators.simulator.processes import Servers, free_port

NAME = "cluster-autoscaler"
"""The program, and the account that it has in a cluster."""

DURATIONS: Mapping[str, str] = {
    "scan-interval": "10s",
    "scale-down-delay-after-add": "10m",
    "scale-down-delay-after-delete": "0s",
    "scale-down-delay-after-failure": "3m",
    "scale-down-unneeded-time": "10m",
    "scale-down-unready-time": "20m",
    "unremovable-node-recheck-timeout": "5m",
    "max-node-provision-time": "15m",
    "max-pod-eviction-time": "2m",
    "new-pod-scale-up-delay": "0s",
    "node-delete-delay-after-taint": "5s",
    "node-deletion-batcher-interval": "0s",
    "node-deletion-delay-timeout": "2m",
    "initial-node-group-backoff-duration": "5m",
    "max-node-group-backoff-duration": "30m",
    "node-group-backoff-reset-timeout": "3h",
}
"""Flags that say how long it waits for what, with their defaults. Each is divided by the pace, given or not. Flags that
bound its own computing, or restart it where it hangs, stay as they are."""

REFRESH = "60s"
"""How often it reads its scaling groups anew: a constant of its AWS provider (`refreshInterval` in `aws_manager.go`), that
the build in `tools/cluster-autoscaler` makes a variable of the environment."""

_REFRESH_VARIABLE = "CLUSTER_AUTOSCALER_AWS_REFRESH"
_LOOKED = b'cluster_autoscaler_last_activity{activity="main"}'
_SERVICES = ("autoscaling", "ec2", "eks")


@contextmanager
def cluster_autoscaler(
    program: Path,
    cluster: ControlPlane,
    *,
    aws_url: str,
    region: str,
    flags: Mapping[str, str],
    pace: Pace = Pace(1),  # noqa: B008  (it does not change)
) -> Iterator[NodeAutoscalerProgram]:
    """It runs for the time of a `with` block, and is ready at its beginning.

    ``aws_url`` is that of an `AwsEndpoint`. ``flags`` are those of its deployment, without dashes, as `extraArgs` of its chart
    has them: `node-group-auto-discovery` at least, without which it does nothing. Raises `ServerError` where it does
    not start, and ValueError for a duration that is none.
    """
    with Servers() as servers:
        config = write(servers.folder / "aws.conf", _cloud_config(aws_url, region))
        port = free_port()
        command = _command(program, cluster.kubeconfig, config, port, flags, pace)
        servers.start(NAME, ["env", *_environment(region, pace), *command])
        metrics = f"http://127.0.0.1:{port}/metrics"
        servers.wait(NAME, lambda: _has_looked(metrics), START_SECONDS)
        yield NodeAutoscalerProgram(NAME, metrics, servers)


def paced(flags: Mapping[str, str], pace: Pace) -> dict[str, str]:
    """The flags with every duration divided by the pace, also those that only their default says.

    Raises ValueError for a duration that Go does not read.
    """
    return {**flags, **{name: _divided(name, flags.get(name, usual), pace) for name, usual in DURATIONS.items()}}


def _divided(name: str, duration: str, pace: Pace) -> str:
    length = nanoseconds(duration)
    if length is None:
        raise ValueError(f"--{name}: found {duration!r}; allowed: a duration as Go writes it, such as 10m or 1h30m")
    return f"{round(pace.wall(length))}ns" if length else "0s"


def _command(
    program: Path, kubeconfig: Path, config: Path, port: int, flags: Mapping[str, str], pace: Pace
) -> Sequence[str | Path]:
    ours = {
        "cloud-provider": "aws",
        "cloud-config": str(config),
        "kubeconfig": str(kubeconfig),
        "address": f"127.0.0.1:{port}",
        "leader-elect": "false",
        "namespace": "kube-system",
    }
    told = {**paced(flags, pace), **ours}
    return [program, *(f"--{name}={value}" for name, value in told.items())]


def _environment(region: str, pace: Pace) -> list[str]:
    return [
        f"AWS_REGION={region}",
        "AWS_ACCESS_KEY_ID=simulated",
        "AWS_SECRET_ACCESS_KEY=simulated",
        "AWS_EC2_METADATA_DISABLED=true",
        f"{_REFRESH_VARIABLE}={_divided('refresh', REFRESH, pace)}",
    ]


def _cloud_config(url: str, region: str) -> bytes:
    """Where its AWS SDK finds each service. Source: kubernetes/cloud-provider-aws, `ServiceOverride`."""
    sections = [
        f'[ServiceOverride "{number}"]\nService = {service}\nRegion = {region}\nURL = {url}\nSigningRegion = {region}\n'
        for number, service in enumerate(_SERVICES, 1)
    ]
    return "\n".join(["[Global]", *sections]).encode()


def _has_looked(metrics_url: str) -> bool:
    """Whether it has begun to look after the cluster: its port is open before it knows the instance types of AWS."""
    try:
        with urllib.request.urlopen(metrics_url, timeout=5) as answer:  # noqa: S310  (a port of this machine)
            return _LOOKED in answer.read()
    except OSError:
        return False
