"""Questions to an API that are asked in parallel."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TypeVar

_MOST = 32
"""At a time."""

T = TypeVar("T")


def in_parallel(calls: Sequence[Callable[[], T]]) -> list[T]:
    """What the calls return, in their order. Raises what the first of them raises that does.

    Their threads are daemons: who is interrupted does not wait for a server that does not answer.
    """
    futures: list[Future[T]] = [Future() for _ in calls]
    waiting: SimpleQueue[tuple[Callable[[], T], Future[T]]] = SimpleQueue()
    for each in zip(calls, futures, strict=True):
        waiting.put(each)
    for _ in range(min(_MOST, len(calls))):
        Thread(target=_work, args=(waiting,), daemon=True).start()
    return [future.result() for future in futures]


def _work(waiting: SimpleQueue[tuple[Callable[[], T], Future[T]]]) -> None:
    while True:
        try:
            call, future = waiting.get_nowait()
        except Empty:
            return
        try:
            future.set_result(call())
        except BaseException as error:  # who waits for the result gets it
            future.set_exception(error)
