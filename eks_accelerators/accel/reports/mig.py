"""What `accel mig check` finds out."""

from pydantic import Field

from eks_accelerators.accel.reports.base import Report, ReportPart
from eks_accelerators.accel.reports.findings import FindingReport


class PlacedInstance(ReportPart):
    """A MIG instance and its place on the GPU."""

    profile: str = Field(description="Profile, such as `3g.40gb`")
    start: int = Field(description="Its first memory slice")
    size: int = Field(description="Memory slices")


class AdvertisedUnder(ReportPart):
    """What a node advertises whose GPUs are all divided so, by the strategy of the device plugin."""

    mixed: dict[str, int] | None = Field(
        description="By resource; null on Bottlerocket, whose device plugin does not know the strategy"
    )
    single: dict[str, int] | None = Field(description="By resource; null where there is more than one profile")


class MigReport(Report):
    """`accel mig check INSTANCE_TYPE LAYOUT --json`. The exit status is 0 where the layout can be had, else 2.

    Codes of problems: `instance-type-unknown`, `mig-unsupported` (no MIG), `mig-unknown` (profiles not known), `mig-syntax`,
    `mig-profile` (not of this GPU), `mig-count` (more than the GPU takes of it), `mig-placement` (not together), and with
    `--nodes` `mig-bottlerocket`, `mig-bottlerocket-profile` (one that it refuses, or takes for the whole GPU) and
    `auto-mode-sharing`. Their `path` is the profile, or empty; `line` is null.
    """

    valid: bool = Field(description="Each GPU of the instance type can be divided so")
    instance_type: str | None = Field(description="EC2 instance type; null where it is not known, as are the next two")
    gpu: str | None = Field(description="Name of the chip, such as `H100`")
    gpus_per_node: int | None = Field(description="GPUs of one node")
    problems: tuple[FindingReport, ...] = Field(description="What is wrong")
    placement: tuple[PlacedInstance, ...] = Field(description="One way to have it; empty where there is none")
    advertised: AdvertisedUnder | None = Field(
        description="What a node advertises; null where the layout cannot be had"
    )
    nearest: tuple[str, ...] = Field(description="Layouts that can be had instead, the nearest first")
