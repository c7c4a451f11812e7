"""NVLinks between the GPUs of an instance. Source: NVIDIA data sheets (A100 600, H100 and H200 900, B200 and B300 1800 GB/s
both ways together) and `nvidia-smi topo -m` of p4, p5 and p6 instances (NV12, NV18); read 2026-11-22.
"""

from dataclasses import dataclass

from eks_accelerators.accelerators.instance_type import InstanceType


@dataclass(frozen=True, slots=True)
class NvLinks:
    """The links of one GPU: how many, and what one carries in one direction, in 10^9 bytes per second."""

    count: int
    gb_per_second: float

    @property
    def rate(self) -> float:
        """What all of them carry in one direction, in 10^9 bytes per second."""
        return self.count * self.gb_per_second


_LINKS = {
    "A100": NvLinks(12, 25.0),
    "H100": NvLinks(18, 25.0),
    "H200": NvLinks(18, 25.0),
    "B200": NvLinks(18, 50.0),
    "B300": NvLinks(18, 50.0),
}


def nvlinks_of(kind: InstanceType) -> NvLinks | None:
    """The links of each GPU of an instance with several; None where it has none, or nobody has said so here."""
    return _LINKS.get(kind.accelerator.name) if kind.accelerator.count > 1 else None
