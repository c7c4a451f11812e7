"""The one call that costs money, made once. What became of it is known afterwards, or said to be unclear.

The order of things: `intended` is on the disk, the call is made by a client with a single attempt, its outcome is on the
disk. Whatever ends the process in between leaves an attempt without an outcome, which `settle_open` looks up in AWS.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import botocore.exceptions
from pydantic import AwareDatetime

from accelerators.block_tags import OFFERING_TAG, REQUEST_TAG
from capacity.asking import Aws, Call, UnansweredError
from capacity.asking.call import PascalCase
from capacity.asking.clients import Clients
from capacity.asking.failure import failure_of
from capacity.blocks.held import held
from capacity.blocks.ledger import Attempt, Ledger, LedgerError, Outcome

LOOKS_AFTER_SECONDS = (0.0, 2.0, 5.0, 10.0)
"""When it is looked whether a call without an answer has bought something."""
CLEARABLE_AFTER = timedelta(hours=1)
"""From the attempt on, before which nobody may say that nothing was bought: AWS shows what was bought within minutes."""
FAILED = ("failed", "payment-failed", "cancelled")
"""States of a reservation that was never paid."""

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


class RefusedError(Exception):
    """Nothing is bought, for these reasons."""

    def __init__(self, reasons: list[str]) -> None:
        self.reasons = reasons
        super().__init__("\n".join(reasons))


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


class _Extension(PascalCase):
    capacity_block_extension_offering_id: str
    capacity_block_extension_status: str
    capacity_block_extension_start_date: AwareDatetime


def caller_account(aws: Aws, region: str) -> str:
    """The number of the account that pays. Raises `UnansweredError`."""
    return aws.ask(Call("sts", "get_caller_identity", region, "Account", str)).value


def history_call(region: str, reservation: str) -> Call[list[_Extension]]:
    """Extensions of a reservation that were bought."""
    parameters = {"CapacityReservationIds": [reservation]}
    operation = "describe_capacity_block_extension_history"
    return Call("ec2", operation, region, "CapacityBlockExtensions", list[_Extension], parameters)


def dry_run(aws: Aws, spending: Spending) -> None:
    """Have AWS say that it would take the order. Raises `RefusedError`, or `UnansweredError` where it does not say."""
    call = spending.call(DryRun=True)
    answer = aws.ask_anew(call)
    if answer.refusal == "DryRunOperation":
        return
    if answer.failure is None or answer.refusal is None:
        raise (
            UnansweredError(call, answer.failure)
            if answer.failure
            else RefusedError(["AWS did not answer the dry run"])
        )
    raise RefusedError([f"AWS refuses the dry run: {answer.failure.line}"])


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
            return _settled(ledger, attempt, Outcome.REFUSED, note=line)
        return _look(aws, ledger, attempt, wait, line)
    reservation = spending.extends or _reservation_in(answer)
    if reservation is None:
        return _look(aws, ledger, attempt, wait, "the answer names no reservation")
    return _settled(ledger, attempt, Outcome.BOUGHT, reservation=reservation)


def settle_open(aws: Aws, ledger: Ledger, account: str) -> list[Attempt]:
    """Look up in AWS what became of attempts without an outcome; those stay that AWS shows nothing of."""
    still = []
    for attempt in ledger.attempts():
        if attempt.outcome.is_open and attempt.account == account:
            if reservation := made(aws, attempt):
                ledger.settle(attempt, Outcome.BOUGHT, reservation=reservation, note="found in AWS")
            else:
                still.append(attempt)
    return still


def clear(aws: Aws, ledger: Ledger, attempt: Attempt, now: datetime) -> Attempt:
    """Take the user's word that nothing was bought. Raises `RefusedError` where it is too early, or AWS shows otherwise."""
    if not attempt.outcome.is_open:
        raise RefusedError([f"{attempt.what}: {attempt.outcome.value}; there is nothing to clear"])
    if reservation := made(aws, attempt):
        ledger.settle(attempt, Outcome.BOUGHT, reservation=reservation, note="found in AWS")
        raise RefusedError([f"it was bought, as {reservation}: {attempt.what}"])
    if now < attempt.at + CLEARABLE_AFTER:
        raise RefusedError(
            [f"too early: AWS may still show it. Clear it after {attempt.at + CLEARABLE_AFTER:%Y-%m-%d %H:%M} UTC"]
        )
    return ledger.settle(attempt, Outcome.CLEARED, note="by the user")


def made(aws: Aws, attempt: Attempt) -> str | None:
    """The reservation that the attempt has bought or extended, as AWS shows it now. Raises `UnansweredError`."""
    if attempt.extends:
        extensions = aws.ask_anew(history_call(attempt.region, attempt.extends)).value
        bought = {each.capacity_block_extension_offering_id for each in extensions}
        return attempt.extends if attempt.offering in bought else None
    return next(
        (
            block.id
            for block in held(aws, attempt.region)
            if block.state not in FAILED
            and (block.tags.get(REQUEST_TAG) == attempt.request or block.tags.get(OFFERING_TAG) == attempt.offering)
        ),
        None,
    )


def _look(aws: Aws, ledger: Ledger, attempt: Attempt, wait: Callable[[float], None], note: str) -> Attempt:
    """Look for what a call without a readable answer may have bought."""
    unclear = _settled(ledger, attempt, Outcome.UNCLEAR, note=note)
    for seconds in LOOKS_AFTER_SECONDS:
        wait(seconds)
        try:
            reservation = made(aws, attempt)
        except UnansweredError:
            continue
        if reservation:
            return _settled(ledger, attempt, Outcome.BOUGHT, reservation=reservation, note="found in AWS")
    return unclear


def _settled(
    ledger: Ledger, attempt: Attempt, outcome: Outcome, *, reservation: str | None = None, note: str = ""
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
