"""Event loops of programs whose engine ended first."""

import asyncio
import time
from contextlib import suppress
from typing import Any

_TIDY_SECONDS, _STILL = 10, 10


def end(loops: list[asyncio.AbstractEventLoop]) -> None:
    """End them.

    The SDK leaves them open, with coroutines that never ran to their end: Python would complain of them some time later.
    """
    for loop in loops:
        until, still = time.monotonic() + _TIDY_SECONDS, 0
        while still < _STILL and time.monotonic() < until:  # the SDK runs it again and again, to cancel its tasks
            time.sleep(0.01)
            still = 0 if loop.is_running() else still + 1
        if still == _STILL and not loop.is_closed():
            loop.set_exception_handler(lambda _loop, _context: None)  # the SDK's stops the loop at the next error
            with suppress(RuntimeError):  # the SDK has come back to it
                loop.run_until_complete(_cancelled(asyncio.all_tasks(loop)))
                loop.close()


async def _cancelled(tasks: set["asyncio.Task[Any]"]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
