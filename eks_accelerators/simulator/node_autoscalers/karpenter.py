"""The real Karpenter with its AWS provider, on the simulated account and its cluster.

It is told by the settings with which a stack deploys it, as variables of its environment; what differs is where AWS and
Kubernetes are. Source: aws/karpenter-provider-aws v1.14.1, `pkg/operator/options` and the core's.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any

from eks_accelerators.accelerators.go_duration import nanoseconds
from eks_accelerators.simulator.kubernetes.control_plane import ControlPlane
from eks_accelerators.simulator.node_autoscalers.program import NodeAutoscalerProgram
from eks_accelerators.simulator.pace import Pace
from eks_accelerators.simulator.processes import Servers, free_port
from eks_accelerators.simulator.readiness import answers

NAME = "karpenter"
"""Name of the engine, as `make engines` installs it."""

DURATIONS: Mapping[str, str] = {"BATCH_IDLE_DURATION": "1s", "BATCH_MAX_DURATION": "10s"}
"""Settings that say how long it waits for more pods, with their defaults: each is divided by the pace, given or not."""

START_SECONDS = 300
"""How long it may take on a machine that is busy: it asks the account for all instance types first. Some seconds are usual."""

_NAMESPACE = "kube-system"
_OF_POOL: tuple[tuple[str, ...], ...] = (
    ("disruption", "consolidateAfter"),
    ("template", "spec", "expireAfter"),
    ("template", "spec", "terminationGracePeriod"),
)


@contextmanager
def karpenter(
    program: Path,
    cluster: ControlPlane,
    *,
    aws_url: str,
    region: str,
    cluster_name: str,
    settings: Mapping[str, str] | None = None,
    pace: Pace = Pace(1),  # noqa: B008  (it does not change)
) -> Iterator[NodeAutoscalerProgram]:
    """It runs for the time of a `with` block, and is ready at its beginning.

    Its custom resource definitions must be there: `eks_accelerators.simulator.kubernetes.definitions`. ``aws_url`` is that of an `AwsEndpoint`;
    ``settings`` are variables of its deployment, such as `BATCH_IDLE_DURATION`. Its NodePools have durations of their own:
    `paced_pool`. Raises `ServerError` where it does not start, and ValueError for a duration that is none.
    """
    with Servers() as servers:
        metrics, health = free_port(), free_port()
        told = {
            "FEATURE_GATES": "ReservedCapacity=true",
            **(settings or {}),
            **{name: _setting(name, (settings or {}).get(name, usual), pace) for name, usual in DURATIONS.items()},
            "KUBECONFIG": str(cluster.kubeconfig),
            "CLUSTER_NAME": cluster_name,
            "CLUSTER_ENDPOINT": cluster.url,
            "SYSTEM_NAMESPACE": _NAMESPACE,
            "KARPENTER_SERVICE": NAME,
            "DISABLE_LEADER_ELECTION": "true",
            "ISOLATED_VPC": "true",  # prices are those built in: the account's list is not in the shape that it reads
            "METRICS_PORT": str(metrics),
            "HEALTH_PROBE_PORT": str(health),
            "AWS_ENDPOINT_URL": aws_url,
            "AWS_REGION": region,
            "AWS_ACCESS_KEY_ID": "simulated",
            "AWS_SECRET_ACCESS_KEY": "simulated",
            "AWS_EC2_METADATA_DISABLED": "true",
        }
        servers.start(NAME, ["env", *(f"{name}={value}" for name, value in told.items()), program])
        servers.wait(NAME, answers(f"http://127.0.0.1:{health}/readyz"), START_SECONDS)
        yield NodeAutoscalerProgram(NAME, f"http://127.0.0.1:{metrics}/metrics", servers)


def paced_pool(pool: Mapping[str, Any], pace: Pace) -> dict[str, Any]:
    """A NodePool with its durations divided by the pace: whole seconds, as its definition wants them; `Never` stays.

    Raises ValueError for a duration that Go does not read.
    """
    changed: dict[str, Any] = deepcopy(dict(pool))
    for *path, name in _OF_POOL:
        place = changed["spec"]
        for each in path:
            place = place.get(each, {})
        if place.get(name, "Never") != "Never":
            place[name] = f"{pace.whole_wall_seconds(_seconds(name, place[name]))}s"
    return changed


def _setting(name: str, duration: str, pace: Pace) -> str:
    return f"{round(pace.wall(_seconds(name, duration)) * 1000)}ms"


def _seconds(name: str, duration: str) -> float:
    length = nanoseconds(duration)
    if length is None:
        raise ValueError(f"{name}: found {duration!r}; allowed: a duration as Go writes it, such as 5m or 720h")
    return length / 10**9
