"""How long a deployment takes in life: what runs when, and which chain of resources decides its length."""

from simulator.timeline.chart import chart
from simulator.timeline.operation import Operation
from simulator.timeline.reasons import reason
from simulator.timeline.registrations import operations
from simulator.timeline.schedule import DEFAULT_PARALLELISM, schedule
from simulator.timeline.sentence import sentence
from simulator.timeline.timeline import Edge, Step, Timeline

__all__ = [
    "DEFAULT_PARALLELISM",
    "Edge",
    "Operation",
    "Step",
    "Timeline",
    "chart",
    "operations",
    "reason",
    "schedule",
    "sentence",
]
