"""What a test of collective communication measured, whichever tool ran it."""

from dataclasses import dataclass, field

GIB_PER_GB = 1024**3 / 1e9
"""Neuron's `nccom-test` says GB/s and means GiB/s; everything here is in 10^9 bytes per second."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """One message size. ``bus_gb_per_second`` is the bus bandwidth in 10^9 bytes per second, the slower of both runs where a tool
    measures out of place and in place. ``wrong`` counts wrong elements; None where the tool did not look.
    """

    size_bytes: int
    bus_gb_per_second: float
    wrong: int | None


@dataclass(frozen=True, slots=True)
class CollectiveRun:
    """The whole output of a test, smallest size first.

    ``errors`` are what says that it failed, in the tool's words or ours. ``concluded`` says whether the output reaches its end: one
    that does not proves nothing. ``over_efa`` and ``gpu_direct`` are what NCCL's log says of the network; None where it says nothing.
    """

    measurements: tuple[Measurement, ...]
    errors: tuple[str, ...]
    concluded: bool
    over_efa: bool | None = field(default=None)
    gpu_direct: bool | None = field(default=None)

    @property
    def passed(self) -> bool:
        """Whether it ran to its end, found no error, and measured something."""
        return self.concluded and not self.errors and bool(self.measurements)

    def at(self, size_bytes: int) -> Measurement | None:
        """The measurement of one size; None where it was not measured."""
        return next((each for each in self.measurements if each.size_bytes == size_bytes), None)
