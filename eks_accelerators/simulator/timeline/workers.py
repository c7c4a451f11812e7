"""Event-driven list scheduling: a task starts when all that it needs is done and a worker is free.

As the engine's workers take what is ready, first come, first served: Pulumi v3.250,
pkg/resource/deploy/step_executor.go; read 2026-11-20.
"""

import heapq
from collections.abc import Mapping
from dataclasses import dataclass

from eks_accelerators.simulator.timeline.task import Key, Task


@dataclass(frozen=True, slots=True)
class Span:
    """Start and end in seconds from the beginning."""

    start: float
    end: float


def spans(tasks: Mapping[Key, Task], parallelism: int | None) -> dict[Key, Span]:
    """When each task runs, with at most ``parallelism`` at a time; None is no limit.

    Tasks without length need no worker. Raises ValueError where tasks wait for each other in a circle.
    """
    if parallelism is not None and parallelism < 1:
        raise ValueError(f"parallelism is {parallelism}, and must be at least 1")
    run = _Run(tasks, parallelism)
    while run.start_what_is_ready():
        run.finish_what_is_next()
    if stuck := sorted({key[0] for key in tasks.keys() - run.spans.keys()}):
        raise ValueError(f"these wait for each other: {', '.join(stuck)}")
    return run.spans


class _Run:
    """The queue of what is ready, the workers, and the clock."""

    def __init__(self, tasks: Mapping[Key, Task], parallelism: int | None) -> None:
        self.spans: dict[Key, Span] = {}
        self._tasks, self._workers = tasks, len(tasks) if parallelism is None else parallelism
        self._missing = {key: len(task.needs) for key, task in tasks.items()}
        self._waiting: dict[Key, list[Key]] = {}
        for key, task in tasks.items():
            for need in task.needs:
                self._waiting.setdefault(need.key, []).append(key)
        self._ready: list[tuple[float, int, Key]] = []
        self._running: list[tuple[float, int, Key]] = []
        self._now = 0.0
        free = [key for key, count in self._missing.items() if not count]
        self._finish([key for key in free if self._take_up(key)])

    def start_what_is_ready(self) -> bool:
        """Give ready tasks to free workers; whether any worker is busy then."""
        while self._ready and len(self._running) < self._workers:
            _, order, key = heapq.heappop(self._ready)
            end = self._now + self._tasks[key].seconds
            self.spans[key] = Span(self._now, end)
            heapq.heappush(self._running, (end, order, key))
        return bool(self._running)

    def finish_what_is_next(self) -> None:
        """Go on to the next end of a task, and finish all that end then."""
        self._now = self._running[0][0]
        finished = []
        while self._running and self._running[0][0] == self._now:
            finished.append(heapq.heappop(self._running)[2])
        self._finish(finished)

    def _finish(self, done: list[Key]) -> None:
        """Free what waits for ``done``; what has no length is done at once, and frees more."""
        while done:
            for key in self._waiting.get(done.pop(), []):
                self._missing[key] -= 1
                if not self._missing[key] and self._take_up(key):
                    done.append(key)

    def _take_up(self, key: Key) -> bool:
        """Queue a task that needs nothing any more; whether it is done already, as it has no length."""
        task = self._tasks[key]
        if task.seconds > 0:
            heapq.heappush(self._ready, (self._now, task.order, key))
            return False
        self.spans[key] = Span(self._now, self._now)
        return True
