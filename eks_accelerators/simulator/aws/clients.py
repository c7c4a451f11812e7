"""A simulated account where boto3's clients would be: whoever asks AWS asks it, and notices no difference."""

from collections.abc import Callable
from typing import Any, Protocol

from botocore.exceptions import ClientError

from eks_accelerators.capacity.aws_calls.clients import Clients
from eks_accelerators.capacity.aws_calls.failure import NOT_SIMULATED
from eks_accelerators.simulator.aws.errors import AwsError, NotSimulatedError
from eks_accelerators.simulator.aws.model import State

_WITHOUT_REGION = {"iam", "pricing", "sts"}
_EMPTY_ELSEWHERE = {
    "describe_capacity_block_offerings": "CapacityBlockOfferings",
    "describe_capacity_blocks": "CapacityBlocks",
    "describe_capacity_reservations": "CapacityReservations",
}
"""What the account can truly say of regions in which it has nothing."""


class Answering(Protocol):
    """An open account: its state, and the calls that it answers."""

    state: State

    def call(self, service: str, name: str, /, **parameters: Any) -> dict[str, Any]:
        """Answer a call, or raise `AwsError` or `NotSimulatedError`."""


def simulated_clients(account: Answering) -> Clients:
    """Clients whose calls the open ``account`` answers; refusals are botocore's `ClientError`."""
    return _Clients(account)


class _Clients:
    def __init__(self, account: Answering) -> None:
        self._account = account

    def get(self, service: str, region: str) -> "_Client":
        return _Client(self._account, service, region)


class _Client:
    """One service in one region."""

    def __init__(self, account: Answering, service: str, region: str) -> None:
        self._account, self._service, self._region = account, service, region

    def can_paginate(self, _operation: str) -> bool:
        """Answers come whole."""
        return False

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        def call(**parameters: Any) -> Any:
            try:
                if self._is_elsewhere and operation != "describe_regions":
                    return self._elsewhere(operation)
                return self._account.call(self._service, operation, **parameters)
            except AwsError as error:
                raise _refusal(error.code, error.message, operation) from None
            except NotSimulatedError as error:
                raise _refusal(NOT_SIMULATED, str(error), operation) from None

        return call

    @property
    def _is_elsewhere(self) -> bool:
        return self._region != self._account.state.region and self._service not in _WITHOUT_REGION

    def _elsewhere(self, operation: str) -> Any:
        if self._service == "ec2" and operation in _EMPTY_ELSEWHERE:
            return {_EMPTY_ELSEWHERE[operation]: []}
        raise NotSimulatedError(
            f"{self._service}.{operation} is not simulated in {self._region}: "
            f"the simulated account is in {self._account.state.region}"
        )


def _refusal(code: str, message: str, operation: str) -> ClientError:
    return ClientError(
        {"Error": {"Code": code, "Message": message}, "ResponseMetadata": {"HTTPStatusCode": 400}}, operation
    )
