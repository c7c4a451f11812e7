"""`accel policy`: the IAM policy that deploying a stack takes, and the one of a preflight."""

import json
import sys
from typing import Any

from eks_accelerators.accel.plan import Plan, plan
from eks_accelerators.accel.render_text import console, print_problems
from eks_accelerators.accel.stacks import locate
from eks_accelerators.accelerators.iam_actions import (
    Registered,
    blocks_policy,
    deployment_policy,
    is_known,
    preflight_policy,
)
from eks_accelerators.settings.load import PROJECT

_SDK = ("aws:", "eks:")


def registered(planned: Plan) -> list[Registered]:
    """The AWS resources that the planned program registers, and the look-ups that it makes."""
    found = [
        Registered(resource["type"], resource["inputs"])
        for resource in planned.data["resources"]
        if resource["type"].startswith(_SDK) and (resource["type"].startswith("aws:") or is_known(resource["type"]))
    ]
    settings = planned.report.settings
    if settings and any(block.reservation_id for block in settings.capacity_blocks.values()):
        found.append(Registered("aws:ec2/getCapacityBlockReservation:getCapacityBlockReservation"))
    return found


def policy(planned: Plan, account: str) -> dict[str, Any]:
    """The policy document for deploying the planned stack."""
    settings = planned.report.settings
    assert settings is not None
    name = settings.cluster.name or f"{PROJECT}-{planned.report.stack}"
    return deployment_policy(registered(planned), name=name, region=settings.region, account=account)


def print_policy(purpose: str, stack: str | None, account: str) -> int:
    """Print one of the documents; what is wrong is a line on standard error, and exit status 2."""
    documents = {"preflight": preflight_policy, "blocks": blocks_policy}
    if purpose not in ("deploy", *documents) or (purpose == "deploy" and stack is None):
        sys.stderr.write("write `accel policy deploy STACK`, `accel policy preflight` or `accel policy blocks`\n")
        return 2
    if purpose != "deploy":
        document = documents[purpose]()
    else:
        planned = plan(locate(str(stack)))
        if planned.failed:
            print_problems(planned.report.data["problems"], console(sys.stderr))
            return 2
        document = policy(planned, account)
    print(json.dumps(document, indent=2))  # noqa: T201  (the answer)
    return 0
