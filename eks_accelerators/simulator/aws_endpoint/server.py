"""An HTTP server on 127.0.0.1 whose calls the open account answers."""

from collections import Counter
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Protocol, Self
from unittest import mock

import moto.core.errors

from eks_accelerators.simulator.aws.backend import READS
from eks_accelerators.simulator.aws.clients import Answering
from eks_accelerators.simulator.aws.errors import AwsError, NotSimulatedError
from eks_accelerators.simulator.aws.operations import HANDLERS
from eks_accelerators.simulator.aws_endpoint import moments, wire
from eks_accelerators.simulator.local_server import LocalServer, Reply
from eks_accelerators.simulator.pace import PacedClock

NOT_SIMULATED = "NotSimulated"
"""The code of the answer to a call that the simulation does not know: no code of AWS."""

_BAD_REQUEST = 400

_CONSTANT = frozenset({("ec2", "describe_instance_types"), ("ec2", "describe_instance_type_offerings")})
"""Long answers that are the same in every account, for as long as moto is: each autoscaler asks for them when it starts."""

_said: dict[tuple[str, str, str], Reply] = {}
"""What was answered to them: by region, operation and parameters."""


class Clock(Protocol):
    """The clock of those who ask, where it is not the account's own."""

    paced: PacedClock

    def advance(self) -> None:
        """Let the account's time pass until now."""


class AwsEndpoint:
    """Serves ``account`` at `url` for the time of a `with` block.

    Whoever asks lives by the wall clock: with a ``clock`` what they change happens now, and the moments that they name and
    are told are moments of theirs.
    """

    def __init__(self, account: Answering, clock: Clock | None = None) -> None:
        self._account, self._clock = account, clock
        self._server = LocalServer(self.reply, "aws-endpoint")
        self._open = ExitStack()
        self.answered: Counter[tuple[str, str]] = Counter()
        """How often each operation was asked for, by service and boto3's spelling."""
        self.unknown: dict[str, str] = {}
        """What was asked for and is not simulated: the calls, each with the words of the answer."""

    @property
    def url(self) -> str:
        """Base URL of the endpoint, such as `http://127.0.0.1:40123`."""
        return f"http://{self._server.address}"

    def __enter__(self) -> Self:
        # Refusals of codes that no model names are the rule here, and go out all the same.
        self._open.enter_context(mock.patch.object(moto.core.errors, "warn"))
        self._open.enter_context(self._server)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def reply(self, method: str, path: str, headers: Any, body: bytes) -> Reply:
        """What goes back to a request."""
        try:
            call = wire.read(method, self.url + path, headers, body)
        except wire.UnreadableRequestError as error:
            self.unknown[f"{method} {path}"] = str(error)
            return Reply(_BAD_REQUEST, {"Content-Type": "text/plain"}, str(error).encode())
        self.answered[call.service, call.operation] += 1
        if (call.service, call.operation) not in _CONSTANT:
            return wire.written(call, self._result(call))
        key = (self._account.state.region, call.operation, repr(call.parameters))
        if key not in _said:
            _said[key] = wire.written(call, self._result(call))
        return _said[key]

    def _result(self, call: wire.WireCall) -> dict[str, Any] | Exception:
        # moto's own records go by the wall clock anyway.
        paced = self._clock.paced if self._clock and (call.service, call.operation) in HANDLERS else None
        parameters = moments.to_simulated(call.parameters, paced) if paced else call.parameters
        if self._clock and not call.operation.startswith(READS):
            self._clock.advance()
        try:
            answer = self._account.call(call.service, call.operation, **parameters)
        except AwsError as error:
            return error
        except NotSimulatedError as error:
            self.unknown[f"{call.service}.{call.operation}"] = str(error)
            return AwsError(NOT_SIMULATED, str(error), call.operation)
        return moments.to_wall(answer, paced) if paced else answer
