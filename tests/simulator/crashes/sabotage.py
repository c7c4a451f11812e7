"""What goes wrong: operations that fail, and an engine that is killed.

All of it is a `Fault`, which a provider asks before each operation. What an operation has done the provider tells
`Simulation.watch`, before its answer goes to the engine.
"""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from pulumi.automation.events import EngineEvent

from eks_accelerators.simulator.providers.aws_provider import Done, identity
from eks_accelerators.simulator.providers.faults import Fault
from eks_accelerators.simulator.simulation import Simulation
from tests.simulator.crashes.stacks import PROJECT, STACK

Operation = tuple[str, str, str]
"""Action, type and name: no two resources of the stack have both type and name in common."""

Wanted = Callable[[Operation], bool]
"""Of which operations something is tried; the others pass."""

_PATIENCE_SECONDS = 240
"""For an engine to write a file, or to end: some milliseconds are usual."""
_LOOK_SECONDS = 0.01
_QUIET_SECONDS = 0.3
"""After that no more operations are expected while others hang. More that come later are killed with the next."""
_LONG_SECONDS = 3.0
"""An operation that takes longer waits for others, as a Deployment does for its pods: it is cut short."""


class FailsOnce(Fault):
    """The first attempt of each operation that is ``wanted`` fails, before AWS has heard of it."""

    def __init__(self, wanted: Wanted) -> None:
        super().__init__("any")
        self._wanted = wanted
        self.failed: set[Operation] = set()
        self._lock = threading.Lock()

    def strikes(self, action: str, token: str, name: str) -> bool:
        operation = (action, token, name)
        with self._lock:
            if operation in self.failed or not self._wanted(operation):
                return False
            self.failed.add(operation)
            return True


class Killer(Fault):
    """Lets some operations through and kills the engine; what else has begun by then never reaches AWS.

    ``recorded``: when the engine has the answers and has written them down. Otherwise when AWS has done the operations
    and the answers are on their way, so that the engine never hears.
    ``at_once`` is how many of those that are ``wanted`` it is at a time, and more where they wait for more.
    """

    def __init__(
        self,
        simulation: Simulation,
        *,
        recorded: bool,
        at_once: int = 1,
        wanted: Wanted = lambda _operation: True,
    ) -> None:
        super().__init__("any")
        self._simulation, self._recorded, self._at_once, self._wanted = simulation, recorded, at_once, wanted
        self._lock = threading.Lock()
        self._chosen: set[Operation] = set()
        self._running: set[Operation] = set()
        """Let through, and neither done nor failed."""
        self._answered: dict[Operation, tuple[str, Any]] = {}
        """Done, and perhaps not yet in the engine's state: with URN and what the state had of it."""
        self._closing = False
        self._ended = threading.Event()
        self._changed = time.monotonic()
        self.struck: list[Done] = []
        """What AWS had done when the engine was killed, of what was wanted."""
        self.interrupted: set[Operation] = set()
        """What was at work when the engine was killed."""
        self.killed = False

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        """Inside, a run of the engine may be killed."""
        before = self._simulation.watch
        self._simulation.watch = self._done
        thread = threading.Thread(target=self._lurk, name="killer", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._ended.set()
            thread.join()
            self._simulation.watch = before

    def strikes(self, action: str, token: str, name: str) -> bool:
        """Whether the operation fails: only where the engine that asked for it is dead."""
        operation, until = (action, token, name), time.monotonic() + _PATIENCE_SECONDS
        chosen = self._wanted(operation)
        with self._lock:
            self._changed = time.monotonic()
        while not self._let_through(operation, chosen):
            if self._ended.wait(_LOOK_SECONDS) or time.monotonic() > until:
                return True
        return False

    def _let_through(self, operation: Operation, chosen: bool) -> bool:
        with self._lock:
            if self._needs_more():
                self._at_once += 1
                self._changed = time.monotonic()
            elif self._closing or (chosen and len(self._chosen) >= self._at_once):
                return False
            self._running.add(operation)
            if chosen:
                self._chosen.add(operation)
            return True

    def _needs_more(self) -> bool:
        """Whether what is at work and must end waits for what is held back, as a Deployment for the device plugin."""
        return self._recorded and bool(self._running) and time.monotonic() - self._changed > _LONG_SECONDS

    def hear(self, event: EngineEvent) -> None:
        """Follow what the engine says: an operation that failed is over."""
        if failed := event.res_op_failed_event:
            action = str(getattr(failed.metadata.op, "value", failed.metadata.op)).partition("-")[0]
            with self._lock:
                self._changed = time.monotonic()
                self._running.discard((action, *identity(failed.metadata.urn)))

    def _done(self, done: Done) -> None:
        operation, entries = (done.action, done.token, done.name), self._entries(done.urn)
        with self._lock:
            self._changed = time.monotonic()
            self._running.discard(operation)
            if operation in self._chosen:
                self.struck.append(done)
            if self._recorded or operation not in self._chosen:
                self._answered[operation] = (done.urn, entries)
                return
        self._ended.wait(_PATIENCE_SECONDS)

    def _lurk(self) -> None:
        """Kill the engine when its time has come."""
        while not self._ended.wait(_LOOK_SECONDS):
            if self._is_time():
                self._kill()
                self._ended.set()

    def _is_time(self) -> bool:
        with self._lock:
            still = time.monotonic() - self._changed
            at_rest = still > (_LONG_SECONDS if self._running else _QUIET_SECONDS)
            full = len(self.struck) >= self._at_once
            self._closing = self._closing or full or bool(self.struck and at_rest and not self._recorded)
            if not self._closing or (self._running and (self._recorded or not at_rest)):
                return False
            answered, self.interrupted = list(self._answered.values()), set(self._running)
        return all(self._entries(urn) != before for urn, before in answered)

    def _entries(self, urn: str) -> Any:
        """What the engine's state has of a resource."""
        resources = self._simulation.engine.state(PROJECT, STACK).get("resources") or []
        return [each for each in resources if each["urn"] == urn]

    def _kill(self) -> None:
        number = self._simulation.engine.process()
        if number is None:  # it has just ended by itself
            return
        os.kill(number, signal.SIGKILL)
        self.killed = True
        until = time.monotonic() + _PATIENCE_SECONDS
        with contextlib.suppress(ProcessLookupError):
            while time.monotonic() < until:
                os.kill(number, 0)
                time.sleep(_LOOK_SECONDS)
