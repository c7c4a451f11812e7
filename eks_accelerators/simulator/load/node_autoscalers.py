"""The node autoscalers that may take part in a closed loop: the real programs, by the setting that asks for them."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from eks_accelerators.settings.model.node_autoscaling import NodeAutoscaler
from eks_accelerators.settings.resolved_stack import ResolvedStack
from eks_accelerators.simulator.folder import SimulationError
from eks_accelerators.simulator.kubernetes.api import Api
from eks_accelerators.simulator.kubernetes.control_plane import ControlPlane
from eks_accelerators.simulator.node_autoscalers import cluster_autoscaler, karpenter, karpenter_objects
from eks_accelerators.simulator.node_autoscalers.program import NodeAutoscalerProgram
from eks_accelerators.simulator.pace import Pace
from eks_accelerators.simulator.processes import Servers

_NOT_TOLD = ("cloud-provider", "namespace", "logtostderr", "stderrthreshold")
"""Flags of a deployment that are others here."""

_PATIENCE_WITH_GPUS = {"bypassed-scheduler-names": "nobody", "new-pod-scale-up-delay": "30s"}
"""Cluster Autoscaler waits until the oldest pod with GPUs has waited for 30 s, a constant that goes by the wall clock and
would be many minutes here. Where it looks past any scheduler it does not wait, and the delay, which is a flag, is divided by
the pace. Source: kubernetes/autoscaler 1.33 `core/static_autoscaler.go`, `unschedulablePodWithGpuTimeBuffer`."""


class RunningAutoscaler(Protocol):
    """A node autoscaler while it runs."""

    @property
    def metrics_url(self) -> str:
        """Where Prometheus reads its metrics of itself."""
        ...

    @property
    def servers(self) -> Servers:
        """The process that it runs in, to be looked after."""
        ...


@dataclass(frozen=True, slots=True)
class AutoscaledCluster:
    """What a node autoscaler looks after. ``aws_url`` is where the account answers."""

    cluster: ControlPlane
    aws_url: str
    region: str
    pace: Pace


@dataclass(frozen=True, slots=True)
class LoopAutoscaler:
    """One of them. ``engine`` is its program, and the name under which its own chart has its metrics scraped."""

    engine: str
    decides_seconds: float
    """The most that lies between a pod that waits and the node that is asked for, in simulated time."""
    source: str
    """Where its seconds come from."""
    start: Callable[[Path, AutoscaledCluster], AbstractContextManager[RunningAutoscaler]]
    """Runs for the time of a `with` block."""


def deployed_flags(api: Api) -> dict[str, str]:
    """The flags of the Cluster Autoscaler that is deployed. Raises `SimulationError` where there is none."""
    selector = f"app.kubernetes.io/name=aws-{cluster_autoscaler.NAME}"
    for deployment in api.list("apps/v1", "Deployment", None, selector):
        words = [str(word) for each in deployment["spec"]["template"]["spec"]["containers"] for word in each["command"]]
        flags = dict(word[2:].partition("=")[::2] for word in words if word.startswith("--"))
        return {name: value or "true" for name, value in flags.items() if name not in _NOT_TOLD}
    raise SimulationError("no Cluster Autoscaler is deployed; run `accel simulate STACK up` first")


def _cluster_autoscaler(program: Path, here: AutoscaledCluster) -> AbstractContextManager[NodeAutoscalerProgram]:
    return cluster_autoscaler.cluster_autoscaler(
        program,
        here.cluster,
        aws_url=here.aws_url,
        region=here.region,
        flags={**deployed_flags(here.cluster.api), **_PATIENCE_WITH_GPUS},
        pace=here.pace,
    )


@contextmanager
def _karpenter(program: Path, here: AutoscaledCluster) -> Iterator[NodeAutoscalerProgram]:
    """Karpenter, with the stack's NodePools in its hands."""
    api = here.cluster.api
    settings = karpenter_objects.deployed_settings(api)
    with (
        karpenter_objects.handed_over(api, program, here.pace),
        karpenter.karpenter(
            program,
            here.cluster,
            aws_url=here.aws_url,
            region=here.region,
            cluster_name=settings["CLUSTER_NAME"],
            settings=settings,
            pace=here.pace,
        ) as running,
    ):
        yield running


AUTOSCALERS: Mapping[NodeAutoscaler, LoopAutoscaler] = MappingProxyType(
    {
        NodeAutoscaler.CLUSTER_AUTOSCALER: LoopAutoscaler(
            cluster_autoscaler.NAME, 10.0 + 30.0, "its interval, and its patience with GPU pods", _cluster_autoscaler
        ),
        NodeAutoscaler.KARPENTER: LoopAutoscaler(
            karpenter.NAME, 10.0, "the most that it waits for more pods", _karpenter
        ),
    }
)
"""By the setting of a node group. Sources of the seconds: `--scan-interval`, and kubernetes/autoscaler 1.33
`core/static_autoscaler.go`; Karpenter 1.14 `BATCH_MAX_DURATION`."""


def autoscalers_of(stack: ResolvedStack) -> tuple[LoopAutoscaler, ...]:
    """Those that look after any node group of ``stack``."""
    kinds = {group.settings.autoscaler for group in stack.groups.values()}
    return tuple(AUTOSCALERS[kind] for kind in AUTOSCALERS if kind in kinds)
