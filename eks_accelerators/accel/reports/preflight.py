"""What `accel preflight` finds out."""

from typing import Annotated

from pydantic import AliasPath, BeforeValidator, Field

from eks_accelerators.accel.reports.base import ReportPart, VersionedReport
from eks_accelerators.capacity.preflight.result import CheckStatus


class CheckCounts(ReportPart):
    """Number of findings by status."""

    ok: int = Field(description="AWS has what the stack needs")
    problem: int = Field(description="AWS would refuse it")
    warning: int = Field(description="It would go through, and you may not like what comes of it")
    unknown: int = Field(description="It could not be asked")


class PreflightFinding(ReportPart):
    """What one check found about one property of the stack."""

    code: str = Field(description="One of [preflight-checks.md](preflight-checks.md)")
    status: CheckStatus = Field(
        validation_alias=AliasPath("finding", "status"),
        description="A problem is what AWS would refuse, unknown is what could not be asked",
    )
    path: str = Field(validation_alias=AliasPath("finding", "path"), description="Property path that it concerns")
    found: str = Field(
        validation_alias=AliasPath("finding", "found"), description="What AWS has, or why it could not be asked"
    )
    fix: Annotated[str | None, BeforeValidator(lambda text: text or None)] = Field(
        validation_alias=AliasPath("finding", "fix"), description="What to do; null where nothing is to be done"
    )
    calls: tuple[str, ...] = Field(
        validation_alias=AliasPath("finding", "calls"), description="What it rests on, as commands of the AWS CLI"
    )


class PreflightReport(VersionedReport):
    """`accel preflight <stack> --json`. The exit status is 0, 2 with a problem, or with `--strict` 3 where something stayed
    unknown; 3 too where nobody could be asked. Settings that are wrong print no JSON.
    """

    stack: str = Field(description="Name of the stack")
    account: str = Field(description="Number of the account that was asked")
    region: str = Field(description="AWS region")
    ok: bool = Field(description="Whether there is no problem; what is unknown does not count")
    counts: CheckCounts = Field(description="How many there are of each status")
    call_count: int = Field(description="Calls that were made")
    checks: tuple[PreflightFinding, ...] = Field(description="What was found")
