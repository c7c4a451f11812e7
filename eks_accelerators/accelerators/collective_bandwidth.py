"""What collective communication between nodes reached where somebody measured it. Source: `data/collective-bandwidth.json`."""

from collections.abc import Mapping
from dataclasses import dataclass

from eks_accelerators.accelerators import data

_IN_GB = {"GB/s": 1.0, "GiB/s": 1024**3 / 1e9}


@dataclass(frozen=True, slots=True)
class MeasuredBandwidth:
    """An all-reduce of ``program`` over so many nodes of one instance type.

    ``bus_gb_per_second`` has the bus bandwidth in 10^9 bytes per second by message size in bytes. ``is_an_example``: the source
    itself does not offer the numbers for comparison.
    """

    instance_type: str
    nodes: int
    program: str
    bus_gb_per_second: Mapping[int, float]
    is_an_example: bool
    source: str

    @property
    def largest(self) -> tuple[int, float]:
        """The largest message size, and its bandwidth."""
        size = max(self.bus_gb_per_second)
        return size, self.bus_gb_per_second[size]


def measured(instance_type: str, nodes: int) -> MeasuredBandwidth | None:
    """What was measured on so many nodes of this type; None where nobody is known to have."""
    loaded = data.load("collective-bandwidth")
    for row in loaded["rows"]:
        if (row["instance_type"], row["nodes"]) == (instance_type, nodes):
            scale = _IN_GB[row["unit"]]
            return MeasuredBandwidth(
                instance_type,
                nodes,
                row["program"],
                {int(size): bandwidth * scale for size, bandwidth in row["bus"].items()},
                row["measured_for"] == "example",
                loaded["sources"][row["source"]],
            )
    return None


def thresholds() -> tuple[float, float]:
    """The parts of what was measured below which a result fails, and below which it is a warning."""
    loaded = data.load("collective-bandwidth")
    return loaded["fail_below"], loaded["warn_below"]
