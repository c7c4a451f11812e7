"""One preflight, from the stack file to the exit status."""

import functools
import json
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from eks_accelerators.accel import policy
from eks_accelerators.accel.aws import NOT_SIGNED_IN, CannotReachError, Whom, aws_of
from eks_accelerators.accel.plan import Plan, plan
from eks_accelerators.accel.preflight.progress import PreflightProgress
from eks_accelerators.accel.preflight.render import print_preflight
from eks_accelerators.accel.render_text import console, print_problems
from eks_accelerators.accel.stacks import StackLocation
from eks_accelerators.accelerators import clock
from eks_accelerators.capacity.aws_calls import Aws
from eks_accelerators.capacity.aws_calls.caller_location import Here, Reach, from_metadata, reach
from eks_accelerators.capacity.aws_calls.identity import CannotIdentifyError
from eks_accelerators.capacity.preflight.inquiry import Inquiry
from eks_accelerators.capacity.preflight.result import CheckResult, CheckStatus
from eks_accelerators.capacity.preflight.run import run

SCHEMA = 1
PROBLEMS = 2
"""Exit status where AWS would not let the deployment through, or the settings are wrong."""
UNKNOWN = 3
"""Exit status, with `--strict`, where something could not be asked; also where nobody could be asked at all."""


def preflight(
    location: StackLocation,
    whom: Whom | None,
    *,
    as_json: bool,
    strict: bool,
    everything: bool,
    my_address: str | None = None,
) -> int:
    """Ask AWS, or with ``whom`` a simulated account, about the stack at ``location``.

    ``my_address`` is the one that the internet sees. Settings that are wrong are told, and nothing is asked.
    """
    planned = plan(location)
    if planned.failed or planned.report.settings is None:
        print_problems(planned.report.data["problems"], console(sys.stderr))
        return PROBLEMS
    try:
        with (
            PreflightProgress(console(sys.stderr)) as progress,
            aws_of(whom, location, planned.report.settings, listen=progress) as reached,
        ):
            # Nobody is anywhere in a simulation, and the API of a simulated cluster is not at its address.
            is_real = reached.folder is None
            locate = from_metadata if is_real and my_address is None else partial(Here, my_address)
            data = ask(planned, reached.aws, reached.account, locate, reach if is_real else None)
    except CannotReachError as error:
        sys.stderr.write(f"{error}\n")
        return PROBLEMS
    except CannotIdentifyError as error:
        sys.stderr.write(f"{error}\n")
        return NOT_SIGNED_IN
    return tell(data, as_json=as_json, strict=strict, everything=everything)


def ask(
    planned: Plan, aws: Aws, account: str, locate: Callable[[], Here] = Here, reach: Reach | None = None
) -> dict[str, Any]:
    """The documented JSON of a preflight of a stack that could be planned, in the account that ``aws`` answers for."""
    settings = planned.report.settings
    assert settings is not None
    allowed = functools.partial(policy.policy, planned)
    inquiry = Inquiry(planned.report.stack, settings, aws, clock.now(), allowed, locate, reach)
    return data_of(inquiry, run(inquiry), account)


def tell(data: dict[str, Any], *, as_json: bool, strict: bool, everything: bool) -> int:
    """Print it; gives the exit status."""
    if as_json:
        print(json.dumps(data, indent=2))  # noqa: T201  (the answer)
    else:
        print_preflight(data, console(), everything=everything)
    if data["counts"]["problem"]:
        return PROBLEMS
    return UNKNOWN if strict and data["counts"]["unknown"] else 0


def data_of(inquiry: Inquiry, results: list[CheckResult], account: str) -> dict[str, Any]:
    """The documented JSON."""
    counts = Counter(result.status for result in results)
    return {
        "schema": SCHEMA,
        "stack": inquiry.stack,
        "account": account,
        "region": inquiry.region,
        "ok": not counts[CheckStatus.PROBLEM],
        "counts": {status.value: counts[status] for status in CheckStatus},
        "callCount": len(inquiry.aws.calls),
        "checks": [result.to_dict() for result in results],
    }
