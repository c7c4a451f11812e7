"""How long a deployment takes on real AWS: what runs when, and which chain of resources decides its length."""

from eks_accelerators.simulator.timeline.chart import chart
from eks_accelerators.simulator.timeline.operation import TimedOperation
from eks_accelerators.simulator.timeline.reasons import reason
from eks_accelerators.simulator.timeline.registrations import operations
from eks_accelerators.simulator.timeline.schedule import DEFAULT_PARALLELISM, schedule
from eks_accelerators.simulator.timeline.sentence import sentence
from eks_accelerators.simulator.timeline.timeline import Edge, Step, Timeline

__all__ = [
    "DEFAULT_PARALLELISM",
    "Edge",
    "Step",
    "TimedOperation",
    "Timeline",
    "chart",
    "operations",
    "reason",
    "schedule",
    "sentence",
]
