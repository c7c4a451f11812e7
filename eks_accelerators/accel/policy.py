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
    Registered,
    blocks_policy,
    deployment_policy,
    facts_policy,
    is_known,
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


def print_policy(purpose: str, stack: str | None, account: str) -> ExitStatus:
    """Print one of the documents; what is wrong is said on standard error."""
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
        sys.stderr.write(
            "write `accel policy deploy STACK`, `accel policy preflight`, `accel policy blocks` or `accel policy facts`\n"
        )
        return ExitStatus.REFUSED
    emit(PolicyReport.model_validate(document), Format.JSON)
    return ExitStatus.DONE
