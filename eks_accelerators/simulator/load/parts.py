"""The way from more load to a server that answers, part by part: what a stack waits for, one after the other.

No part can be skipped, and none begins before the one ahead has ended. Intervals count whole, though on average half of one
passes.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from eks_accelerators.accelerators import durations
from eks_accelerators.settings.autoscaling import Autoscaling
from eks_accelerators.simulator.load.participants import SCRAPE_SECONDS
from eks_accelerators.simulator.load.starts import StartTime

HPA_SYNC_SECONDS = 15.0
"""Between two looks of the HPA controller. Source: EKS, `kubeControllerManagerConfig`: 10 to 15 s, 15 by default."""
SCAN_SECONDS, PATIENCE_SECONDS = 10.0, 30.0
"""Of Cluster Autoscaler: between two looks, and how old the oldest pod with GPUs has to be. Source: `--scan-interval`, and
kubernetes/autoscaler 1.33 `core/static_autoscaler.go`."""


@dataclass(frozen=True, slots=True)
class WayPart:
    """One part: ``seconds`` at most."""

    name: str
    seconds: float
    source: str


def parts_of(scaling: Autoscaling, start: StartTime, instance_type: str | None) -> tuple[WayPart, ...]:
    """The parts for a server that is added; ``instance_type`` is that of the node that it needs first, None for none."""
    return (
        WayPart("scrape", SCRAPE_SECONDS, "interval of the PodMonitors"),
        WayPart("HPA sync", HPA_SYNC_SECONDS, "interval on EKS"),
        WayPart("stabilization", scaling.up.window_seconds, "autoscaling.scaleUp.stabilizationSeconds"),
        *(_node(start, instance_type) if instance_type else ()),
        WayPart("weights", start.weights, "download, by their size"),
        WayPart("engine", start.engine + start.other, "measured elsewhere"),
    )


def _node(start: StartTime, instance_type: str) -> Iterator[WayPart]:
    yield WayPart("node autoscaler", SCAN_SECONDS + PATIENCE_SECONDS, "its interval, and its patience with GPU pods")
    yield WayPart("node", durations.node_seconds(instance_type), "usual time of the instance type")
    yield WayPart("image", start.image, "measured elsewhere")
