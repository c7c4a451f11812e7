"""The account's clock, running: for the time of a closed loop it goes with the wall clock, faster by the pace of the loop.

Elsewhere in a simulation time passes only where somebody sets the clock. Here what is due happens when it is due: scheduled
actions, Capacity Blocks, launches that failed and are tried again; and an instance is a node only after the time that
nodes take, which is an estimate for each kind of instance type (`accelerators.durations.node_seconds`).
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from eks_accelerators.accelerators import durations
from eks_accelerators.simulator.aws.account import Account
from eks_accelerators.simulator.aws.clock import next_event
from eks_accelerators.simulator.aws.model import InstanceRecord
from eks_accelerators.simulator.kubernetes.kubelets import Kubelets
from eks_accelerators.simulator.pace import Pace, PacedClock

_LOOKS_SECONDS = 0.1
"""How often it is looked whether anything is due, by the wall clock."""

_TRIED_AGAIN = timedelta(minutes=1)
"""A launch that failed is tried again after so long. Assumed: AWS does not say how often it tries."""


class RunningClock:
    """Goes from the moment at which it is made."""

    def __init__(self, account: Account, pace: Pace, kubelets: Kubelets | None = None) -> None:
        self._account, self._kubelets = account, kubelets
        self._there = {instance.id for group in account.state.scaling_groups() for instance in group.instances}
        self._lock = threading.Lock()
        self.paced = PacedClock.beginning_now(pace, account.state.now.timestamp())

    @property
    def now(self) -> datetime:
        """The present of the simulation: the account's own clock stands where something happened last."""
        return datetime.fromtimestamp(self.paced.now(), UTC)

    def advance(self) -> None:
        """Let the account's time pass until now."""
        with self._lock:
            now = self.now
            if now.replace(microsecond=0) > self._account.state.now:
                self._account.set_clock(now)
        if self._kubelets:
            self._kubelets.wake()

    def has_joined(self, instance: InstanceRecord) -> bool:
        """Whether an instance has had the time to become a node. Those that were there before the clock ran are nodes."""
        return instance.id in self._there or self._joins(instance) <= self._account.state.now

    def run(self, stop: threading.Event) -> None:
        """Let happen what is due, when it is due, until ``stop`` is set."""
        while not stop.wait(_LOOKS_SECONDS):
            if self._is_due(self.now):
                self.advance()

    def _is_due(self, now: datetime) -> bool:
        state = self._account.state
        groups = state.scaling_groups()
        if any(group.failure for group in groups) and now >= state.now + _TRIED_AGAIN:
            return True
        if any(state.now < self._joins(each) <= now for group in groups for each in list(group.instances)):
            return True
        return next_event(state, until=now) is not None

    def _joins(self, instance: InstanceRecord) -> datetime:
        return instance.launched + timedelta(seconds=durations.node_seconds(instance.instance_type))


@contextmanager
def running(account: Account, pace: Pace, kubelets: Kubelets | None = None) -> Iterator[RunningClock]:
    """Inside, the account's clock runs; afterwards it stands where it came to, and every instance is a node."""
    clock = RunningClock(account, pace, kubelets)
    before = kubelets.has_joined if kubelets else None
    if kubelets:
        kubelets.has_joined = clock.has_joined
    stop = threading.Event()
    thread = threading.Thread(target=clock.run, args=(stop,), name="running-clock", daemon=True)
    thread.start()
    try:
        yield clock
    finally:
        stop.set()
        thread.join()
        clock.advance()
        if kubelets and before:
            kubelets.has_joined = before
            kubelets.wake()
