"""One simulated AWS account: calls in, answers or refusals out, and a journal from which it can be had again.

moto keeps its state in memory. What survives a command, and a crash, is the journal: every call that
changed something, in order. Opening an account makes those calls again; identifiers come out the same, as
each call draws its random numbers from its own place in the journal.
"""

import copy
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from eks_accelerators.capacity.aws_calls.clients import answered_by
from eks_accelerators.simulator.aws import handlers  # noqa: F401  (they register)
from eks_accelerators.simulator.aws.backend import READS, Backend
from eks_accelerators.simulator.aws.clients import simulated_clients
from eks_accelerators.simulator.aws.clock import let_pass
from eks_accelerators.simulator.aws.environment import environment_of_nobody
from eks_accelerators.simulator.aws.errors import AwsError, NotSimulatedError
from eks_accelerators.simulator.aws.journal import Journal
from eks_accelerators.simulator.aws.model import State
from eks_accelerators.simulator.aws.moto_backend import moto_opened
from eks_accelerators.simulator.aws.operations import HANDLERS
from eks_accelerators.simulator.aws.through_boto3 import capacity_block_calls
from eks_accelerators.simulator.aws.world import put


class Account:
    """The account, open. One at a time in a process, as moto patches botocore as a whole."""

    def __init__(self, journal: Path, region: str, now: datetime) -> None:
        self.state = State(now=now.astimezone(UTC).replace(microsecond=0), region=region)
        self.calls = 0
        self.before_call: Callable[[str, str], None] = lambda _service, _operation: None
        """Called ahead of every call that is not replayed; raises `AwsError` to refuse it."""
        self.backend = Backend(self.state)
        """What operations work on, past the journal: to look only."""
        self._journal = Journal(journal)
        self._lock = threading.RLock()
        self._entries = 0
        self._open = ExitStack()
        self._replaying = False

    def __enter__(self) -> Self:
        with ExitStack() as opening:
            opening.enter_context(environment_of_nobody())
            opening.enter_context(moto_opened())
            opening.enter_context(capacity_block_calls(self))
            # Whatever profile, role or endpoint the stack names: the program's own questions come here.
            opening.enter_context(answered_by(simulated_clients(self)))
            self.backend.wake()
            self._replay()
            self._open = opening.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def call(self, service: str, name: str, /, **parameters: Any) -> dict[str, Any]:
        """Make one call; ``name`` and ``parameters`` as for a boto3 client. Raises `AwsError` on a refusal.

        Calls of several threads come one after the other.
        """
        with self._lock:
            if not self._replaying:
                self.calls += 1
                self.before_call(service, name)
            self.backend.begin(self._entries)
            answer = self._answer(service, name, parameters)
            if not name.startswith(READS):
                self._write({"service": service, "operation": name, "parameters": parameters})
            return answer

    def set_clock(self, moment: datetime) -> None:
        """Let time pass until ``moment``: what was due in between happens, in order. Time does not run backwards."""
        with self._lock:
            moment = moment.astimezone(UTC).replace(microsecond=0)
            if moment < self.state.now:
                raise ValueError(
                    f"the simulated clock stands at {self.state.now:%Y-%m-%d %H:%M} UTC and does not run backwards"
                )
            self.backend.begin(self._entries)
            let_pass(self.backend, moment)
            self._write({"clock": moment.isoformat()})

    def set_up(self, world: Mapping[str, Any]) -> None:
        """Put what is there from the beginning into the account: quotas, Capacity Blocks, offerings, shortages."""
        with self._lock:
            put(self.state, world, self.backend.zone)
            self._write({"world": dict(world)})

    @property
    def is_new(self) -> bool:
        """Whether nothing was ever done in the account."""
        return self._entries == 0

    @property
    def version(self) -> int:
        """A number that grows with every change of the account."""
        return self._entries

    def _answer(self, service: str, name: str, parameters: dict[str, Any]) -> dict[str, Any]:
        handler = HANDLERS.get((service, name))
        if handler is None:
            return self.backend.moto(service, name, parameters)
        self.backend.validate(service, name, parameters)
        try:
            # Nobody has a hand on the state: neither who asked nor who was answered.
            return copy.deepcopy(handler(self.backend, copy.deepcopy(parameters)))
        except AwsError as error:
            error.operation = error.operation or self.backend.api_name(service, name)
            raise

    def _write(self, entry: dict[str, Any]) -> None:
        self._entries += 1
        if self._replaying:
            return
        self._journal.add(entry)

    def _replay(self) -> None:
        self._replaying = True
        try:
            for number, entry in enumerate(self._journal.entries(), 1):
                try:
                    self._do_again(entry)
                except (AwsError, NotSimulatedError, ArithmeticError, LookupError, TypeError, ValueError) as error:
                    raise self._journal.refused(number, error) from None
        finally:
            self._replaying = False

    def _do_again(self, entry: dict[str, Any]) -> None:
        if "clock" in entry:
            self.set_clock(datetime.fromisoformat(entry["clock"]))
        elif "world" in entry:
            self.set_up(entry["world"])
        else:
            self.call(entry["service"], entry["operation"], **entry["parameters"])
