"""Calls in parallel, each made once."""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self, TypeVar

from eks_accelerators.capacity.aws_calls.answer import Answer
from eks_accelerators.capacity.aws_calls.call import Call
from eks_accelerators.capacity.aws_calls.clients import BotoClients, Clients
from eks_accelerators.capacity.aws_calls.failure import failure_of

T = TypeVar("T")

AT_ONCE = 32
"""Calls in flight. EC2's read operations refill 20 requests per second (EC2 API Reference `throttling`, read 2026-11-20)."""

Listener = Callable[[int, int], None]


class Aws:
    """Asks AWS. A call that was made is not made again: two that ask the same get one answer.

    ``listen`` hears how many calls are done, and how many there are so far.
    """

    def __init__(
        self, clients: Clients | None = None, *, at_once: int = AT_ONCE, listen: Listener | None = None
    ) -> None:
        self._clients = clients or BotoClients(connections=at_once)
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix="aws")
        self._lock = threading.Lock()
        self._asked: dict[tuple[str, ...], tuple[Call[Any], Future[Answer[Any]]]] = {}
        self._done = 0
        self._listen = listen or (lambda _done, _all: None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._threads.shutdown(cancel_futures=True)

    @property
    def calls(self) -> list[Call[Any]]:
        """Every call that was made, in order, each once."""
        with self._lock:
            return [call for call, _ in self._asked.values()]

    def ask(self, call: Call[T]) -> Answer[T]:
        """Make one call, and wait for its answer."""
        return self._begin(call).result()

    def begin(self, *calls: Call[Any]) -> None:
        """Make calls whose answers are asked for later, after those of others that need not wait for them."""
        for call in calls:
            self._begin(call)

    def ask_anew(self, call: Call[T]) -> Answer[T]:
        """Make the call, also where it was made before: for what may have changed since."""
        with self._lock:
            self._asked.pop(call.key, None)
        return self.ask(call)

    def ask_all(self, calls: Iterable[Call[T]]) -> list[Answer[T]]:
        """Make several calls at once; answers come in their order."""
        return [begun.result() for begun in [self._begin(call) for call in calls]]

    def _begin(self, call: Call[T]) -> "Future[Answer[T]]":
        with self._lock:
            if call.key not in self._asked:
                begun = self._threads.submit(self._make, call)
                self._asked[call.key] = call, begun
                self._listen(self._done, len(self._asked))
            return self._asked[call.key][1]

    def _make(self, call: Call[T]) -> Answer[T]:
        try:
            return Answer(call, call.read(_found(self._clients.get(call.service, call.region), call)))
        except Exception as error:
            failure = failure_of(call, error)
            if failure is None:
                raise
            return Answer(call, None, failure)
        finally:
            with self._lock:
                self._done += 1
                self._listen(self._done, len(self._asked))


def _found(client: Any, call: Call[Any]) -> Any:
    """The member of the answer that is wanted; where it comes in pages, of all of them."""
    if not client.can_paginate(call.operation):
        return getattr(client, call.operation)(**call.parameters)[call.result]
    pages = client.get_paginator(call.operation).paginate(**call.parameters)
    found: list[Any] = []
    for page in pages:
        found += page[call.result]
    return found
