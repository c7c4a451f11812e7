"""What `accel verify` finds out."""

from pydantic import Field

from eks_accelerators.accel.reports.base import Moment, ReportPart, Usd, VersionedReport
from eks_accelerators.verification.device_checks import Level
from eks_accelerators.verification.severity import FindingSeverity


class SeverityCounts(ReportPart):
    """Number of findings of each severity."""

    isolate: int = Field(description="The node has to be taken out")
    reboot: int = Field(description="The node has to be rebooted, or replaced")
    reset: int = Field(description="A device has to be reset")
    monitor: int = Field(description="Something is not as expected, and works")
    not_verified: int = Field(description="Nobody could look")
    passed: int = Field(alias="pass", description="As expected")


class VerifiedFinding(ReportPart):
    """One thing that was looked at, and what follows from the same cause."""

    code: str = Field(description="One of [verify-codes.md](verify-codes.md)")
    where: str = Field(description="Node group and node, node group, workload, or namespace")
    severity: FindingSeverity = Field(description="What has to be done; `pass` where nothing is wrong")
    expected: str = Field(description="What is right")
    source: str = Field(description="Who says so")
    found: str = Field(description="What there is, or why nobody could look")
    evidence: tuple[str, ...] = Field(description="Further signs of the same cause")
    nodes: tuple[str, ...] = Field(description="Nodes that it is about")
    next_step: str | None = Field(description="What to do; null where nothing is wrong")
    runbook: str | None = Field(description="Page that says more, under docs/; null where nothing is wrong")


class VerifyReport(VersionedReport):
    """`accel verify <stack> --json`. The exit status is 0, 2 where something is not as expected, 3 where nothing could be
    looked at, or with `--strict` anything.
    """

    stack: str = Field(description="Name of the stack")
    cluster: str = Field(description="Address of the API server that was asked")
    simulated: bool = Field(description="Whether it is a simulation")
    level: Level = Field(description="How much was looked at")
    began: Moment = Field(description="When it began")
    seconds: int = Field(description="How long it took")
    usd: Usd | None = Field(description="What the nodes cost meanwhile; null where a price is not known")
    ok: bool = Field(description="Whether nothing is wrong; what was not verified does not count")
    counts: SeverityCounts = Field(description="How many there are of each severity")
    findings: tuple[VerifiedFinding, ...] = Field(description="What was found, the worst first")
