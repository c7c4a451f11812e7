"""`accel policy`: the IAM policy that deploying a stack takes, and the one of a preflight."""

import sys

from eks_accelerators.accel.emit import Format, emit
from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.accel.plan import Plan, plan
from eks_accelerators.accel.render_text import console, print_problems
from eks_accelerators.accel.reports.base import Properties
from eks_accelerators.accel.reports.policy import PolicyReport
from eks_accelerators.accel.stacks import locate
from eks_accelerators.accelerators.iam_actions import (
    LONGEST,
    Registered,
    blocks_policy,
    deployment_policy,
    facts_policy,
    is_known,
    managed_policies,
    preflight_policy,
)
from eks_accelerators.settings.load import PROJECT

_SDK = ("aws:", "eks:")


def registered(planned: Plan) -> list[Registered]:
    """The AWS resources that the planned program registers, and the look-ups that it makes."""
    found = [
        Registered(resource.type, resource.inputs)
        for resource in planned.report.resources
        if resource.type.startswith(_SDK) and (resource.type.startswith("aws:") or is_known(resource.type))
    ]
    settings = planned.checked.settings
    if settings and any(block.reservation_id for block in settings.capacity_blocks.values()):
        found.append(Registered("aws:ec2/getCapacityBlockReservation:getCapacityBlockReservation"))
    return found


def policy(planned: Plan, account: str) -> Properties:
    """The policy document for deploying the planned stack."""
    settings = planned.checked.settings
    assert settings is not None
    name = settings.cluster.name or f"{PROJECT}-{planned.checked.stack}"
    return deployment_policy(registered(planned), name=name, region=settings.region, account=account)


def print_policy(purpose: str, stack: str | None, account: str, part: int | None) -> ExitStatus:
    """Print one of the documents; what is wrong is said on standard error.

    ``part`` is the number of a policy where a stack takes more than one, and None where it is said in one.
    """
    documents = {"preflight": preflight_policy, "blocks": blocks_policy, "facts": facts_policy}
    if purpose in documents:
        document = documents[purpose]()
    elif purpose == "deploy" and stack:
        planned = plan(locate(stack))
        if planned.failed:
            print_problems(planned.report.problems, console(sys.stderr))
            return ExitStatus.REFUSED
        document = policy(planned, account)
    else:
        return _refuse(
            "write `accel policy deploy STACK`, `accel policy preflight`, `accel policy blocks` or `accel policy facts`"
        )
    parts = managed_policies(document)
    if part is None and len(parts) > 1:
        return _refuse(
            f"this takes {len(parts)} managed policies of at most {LONGEST} characters, all of them for one principal: "
            f"write the number of each, --part 1 to --part {len(parts)}"
        )
    if part is not None and not 1 <= part <= len(parts):
        return _refuse(f"--part {part}: there are parts 1 to {len(parts)}")
    emit(PolicyReport.model_validate(parts[(part or 1) - 1]), Format.JSON)
    return ExitStatus.DONE


def _refuse(why: str) -> ExitStatus:
    sys.stderr.write(f"{why}\n")
    return ExitStatus.REFUSED
