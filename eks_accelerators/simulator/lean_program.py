"""What the SDK and an engine do for every resource of a program, and nobody in a simulation needs.

- A stack trace: two thirds of what the engine keeps of a small resource are the lines of Python, of the SDK and of gRPC below
  the program. The engine sends them with every step, and writes them into its state.
- Messages for `pulumi --debug`, each of them a call that the program waits for.
- At the end the SDK waits for all values that are not known yet until one is, and then anew for all others: again the square.
  To wait until all are known, or one has failed, comes to the same.

None has a setting. Source: Pulumi's Python SDK 3.272, `pulumi/runtime/resource.py`, `pulumi/log.py` and
`pulumi/runtime/stack.py`; its engine, `pkg/backend/journal.go`, read 2026-11-23.
"""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pulumi.log
from pulumi.runtime import resource, stack
from pulumi.runtime.proto import source_pb2


@contextmanager
def untraced(*, debug: bool = False) -> Iterator[None]:
    """Programs run inside without a stack trace of each resource, wait once for all values, and say nothing for debugging
    unless ``debug``.
    """
    with ExitStack() as patches:
        patches.enter_context(mock.patch.object(resource, "_get_stack_trace", source_pb2.StackTrace))
        patches.enter_context(mock.patch.object(stack, "asyncio", _Asyncio))
        if not debug:
            patches.enter_context(mock.patch.object(pulumi.log, "debug", _nothing))
        yield


async def _all_or_a_failure(tasks: Iterable["asyncio.Task[Any]"], **_: Any) -> Any:
    return await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)


_Asyncio = SimpleNamespace(**{**vars(asyncio), "wait": _all_or_a_failure})


def _nothing(*_: Any, **__: Any) -> None:
    """Nothing is said."""
