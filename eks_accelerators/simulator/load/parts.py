"""The way from more load to a server that answers, part by part: what a stack waits for, one after the other.

No part can be skipped, and none begins before the one ahead has ended. Intervals count whole, though on average half of one
passes.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from eks_accelerators.accelerators import durations
from eks_accelerators.accelerators.start_times import StartTime
from eks_accelerators.settings.autoscaling import Autoscaling
from eks_accelerators.simulator.load.node_autoscalers import LoopAutoscaler
from eks_accelerators.simulator.load.participants import SCRAPE_SECONDS

HPA_SYNC_SECONDS = 15.0
"""Between two looks of the HPA controller. Source: EKS, `kubeControllerManagerConfig`: 10 to 15 s, 15 by default."""

STABILIZATION = "stabilization"
"""The part that is a setting of the stack."""


@dataclass(frozen=True, slots=True)
class WayPart:
    """A part of the way from more load to a server that answers: at most so many ``seconds``."""

    name: str
    seconds: float
    source: str


@dataclass(frozen=True, slots=True)
class NewNode:
    """A node that a server needs first: its instance type, and who asks for it."""

    instance_type: str
    autoscaler: LoopAutoscaler


def parts_of(scaling: Autoscaling, start: StartTime, node: NewNode | None) -> tuple[WayPart, ...]:
    """The parts for a server that is added; ``node`` is the one that it needs first, None for none."""
    return (
        WayPart("scrape", SCRAPE_SECONDS, "interval of the PodMonitors"),
        WayPart("HPA sync", HPA_SYNC_SECONDS, "interval on EKS"),
        WayPart(STABILIZATION, scaling.up.window_seconds, "autoscaling.scaleUp.stabilizationSeconds"),
        *(_node(start, node) if node else ()),
        *_server(start),
    )


def _server(start: StartTime) -> Iterator[WayPart]:
    if start.weights:
        yield WayPart("weights", start.weights, "download, by their size")
    if start.compiler:
        yield WayPart("compiler", start.compiler, start.compiled)
    yield WayPart("engine", start.engine + start.other, start.source)


def _node(start: StartTime, node: NewNode) -> Iterator[WayPart]:
    yield WayPart("node autoscaler", node.autoscaler.decides_seconds, node.autoscaler.source)
    yield WayPart("node", durations.node_seconds(node.instance_type), "usual time of the instance type")
    yield WayPart("image", start.image, start.source)
