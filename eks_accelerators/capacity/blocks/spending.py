"""The one call that costs money, made once. What became of it is known afterwards, or said to be unclear.

The order of things: `intended` is on the disk, the call is made by a client with a single attempt, its outcome is on the
disk. Whatever ends the process in between leaves an attempt without an outcome, which the next run looks up in AWS.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import botocore.exceptions

from eks_accelerators.capacity.aws_calls import Aws, Call, UnansweredError
from eks_accelerators.capacity.aws_calls.clients import Clients
from eks_accelerators.capacity.aws_calls.failure import failure_of
from eks_accelerators.capacity.aws_calls.identity import account_call
from eks_accelerators.capacity.blocks.errors import NotBoughtError
from eks_accelerators.capacity.blocks.ledger import Attempt, Ledger, LedgerError, PurchaseOutcome
from eks_accelerators.capacity.blocks.lost_purchases import made

LOOKS_AFTER_SECONDS = (0.0, 2.0, 5.0, 10.0)
"""When it is looked whether a call without an answer has bought something."""

_NOT_SENT = (
    botocore.exceptions.ConnectTimeoutError,
    botocore.exceptions.EndpointConnectionError,
    botocore.exceptions.NoCredentialsError,
    botocore.exceptions.PartialCredentialsError,
    botocore.exceptions.CredentialRetrievalError,
    botocore.exceptions.ParamValidationError,
    botocore.exceptions.TokenRetrievalError,
    botocore.exceptions.SSOTokenLoadError,
    botocore.exceptions.UnauthorizedSSOTokenError,
    botocore.exceptions.ProfileNotFound,
)
"""Errors that come before a request is sent."""


@dataclass(frozen=True)
class Spending:
    """A purchase that passed every check: the call, and what the ledger keeps of it."""

    operation: str
    parameters: Mapping[str, Any]
    account: str
    region: str
    request: str
    offering: str
    what: str
    stack: str | None = None
    block: str | None = None
    extends: str | None = None

    def call(self, **more: Any) -> Call[Any]:
        """The call; ``more`` are parameters beside those of the purchase."""
        return Call("ec2", self.operation, self.region, "CapacityReservation", dict, {**self.parameters, **more})


def caller_account(aws: Aws, region: str) -> str:
    """The number of the account that pays. Raises `UnansweredError`."""
    return aws.ask(account_call(region)).value


def dry_run(aws: Aws, spending: Spending) -> None:
    """Have AWS say that it would take the order. Raises `NotBoughtError`, or `UnansweredError` where it does not say."""
    call = spending.call(DryRun=True)
    answer = aws.ask_anew(call)
    if answer.refusal == "DryRunOperation":
        return
    if answer.failure is None or answer.refusal is None:
        raise (
            UnansweredError(call, answer.failure)
            if answer.failure
            else NotBoughtError(["AWS did not answer the dry run"])
        )
    raise NotBoughtError([f"AWS refuses the dry run: {answer.failure.line}"])


def spend(
    clients: Clients, aws: Aws, ledger: Ledger, spending: Spending, now: datetime, wait: Callable[[float], None]
) -> Attempt:
    """Buy, once. ``clients`` make a single attempt; ``aws`` is asked afterwards where the answer is unclear.

    The attempt that comes back is bought, refused or unclear. Raises `LedgerError` before anything was bought.
    """
    attempt = ledger.intend(
        now,
        account=spending.account,
        region=spending.region,
        request=spending.request,
        offering=spending.offering,
        what=spending.what,
        stack=spending.stack,
        block=spending.block,
        extends=spending.extends,
    )
    try:
        answer = getattr(clients.get("ec2", spending.region), spending.operation)(**spending.parameters)
    except Exception as error:
        failure = failure_of(spending.call(), error)
        line = failure.line if failure else f"{type(error).__name__}: {error}"
        if _surely_not_bought(error):
            return _settled(ledger, attempt, PurchaseOutcome.REFUSED, note=line)
        return _look(aws, ledger, attempt, wait, line)
    reservation = spending.extends or _reservation_in(answer)
    if reservation is None:
        return _look(aws, ledger, attempt, wait, "the answer names no reservation")
    return _settled(ledger, attempt, PurchaseOutcome.BOUGHT, reservation=reservation)


def _look(aws: Aws, ledger: Ledger, attempt: Attempt, wait: Callable[[float], None], note: str) -> Attempt:
    """Look for what a call without a readable answer may have bought."""
    unclear = _settled(ledger, attempt, PurchaseOutcome.UNCLEAR, note=note)
    for seconds in LOOKS_AFTER_SECONDS:
        wait(seconds)
        try:
            reservation = made(aws, attempt)
        except UnansweredError:
            continue
        if reservation:
            return _settled(ledger, attempt, PurchaseOutcome.BOUGHT, reservation=reservation, note="found in AWS")
    return unclear


def _settled(
    ledger: Ledger, attempt: Attempt, outcome: PurchaseOutcome, *, reservation: str | None = None, note: str = ""
) -> Attempt:
    """Write down what became of it. Where that fails the attempt stays open in the ledger, and who called knows anyway."""
    try:
        return ledger.settle(attempt, outcome, reservation=reservation, note=note)
    except LedgerError:
        return replace(attempt, outcome=outcome, reservation=reservation, note=note)


def _surely_not_bought(error: Exception) -> bool:
    """Whether AWS said no, or never heard of it. An error page of something in between says nothing."""
    if isinstance(error, botocore.exceptions.ClientError):
        code = str(error.response.get("Error", {}).get("Code", ""))
        status = int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode") or 0)
        return 400 <= status < 500 and status != 408 and bool(code) and not code.isdigit()
    return isinstance(error, _NOT_SENT)


def _reservation_in(answer: Any) -> str | None:
    if not isinstance(answer, Mapping):
        return None
    named = [answer.get("CapacityReservation"), *(answer.get("CapacityReservations") or [])]
    found = [each.get("CapacityReservationId") for each in named if isinstance(each, Mapping)]
    return next((str(each) for each in found if each), None)
