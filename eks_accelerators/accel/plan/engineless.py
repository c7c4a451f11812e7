"""Running a Pulumi program in this process, with a monitor of our own in place of the engine's."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

import pulumi
from google.protobuf import empty_pb2
from pulumi.runtime import mocks, stack
from pulumi.runtime import settings as runtime

_PATIENCE_SECONDS = 5
"""For tasks of a failed program that do not want to be cancelled."""


def run_without_engine(
    program: Callable[[], Any],
    monitor: mocks.MockMonitor,
    *,
    engine: Any,
    project: str,
    stack_name: str,
    config: Mapping[str, str],
    secrets: Iterable[str],
    preview: bool = True,
    callbacks: Any = None,
) -> None:
    """Run ``program`` to its end, as the SDK does under an engine; what it raises is raised here.

    ``monitor`` answers registrations and invokes, ``engine`` takes the log; ``config`` has full keys and
    text values. ``callbacks`` stands for the server that an engine calls hooks on.
    """
    pulumi.runtime.set_all_config(dict(config), sorted(secrets))
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    # Not `set_mocks`: it makes a root stack of its own, on an event loop that nobody runs here.
    runtime.configure(
        mocks.MockSettings(
            monitor=monitor,
            monitor_features=set(monitor.GetDeploymentInfo(empty_pb2.Empty()).supportedFeatures),
            engine=engine,
            project=project,
            stack=stack_name,
            dry_run=preview,
            organization=None,
            callbacks=callbacks,
        )
    )
    # A run before this one may have left its root and, where it failed, what it still waited for.
    runtime.set_root_resource(cast("Any", None))
    runtime.SETTINGS.rpc_manager.clear()
    runtime.SETTINGS.outputs.clear()
    try:
        loop.run_until_complete(stack.run_in_stack(program))
    finally:
        _abandon(loop)
        asyncio.set_event_loop(None)
        pulumi.runtime.set_all_config({}, [])


def _unheard(_loop: asyncio.AbstractEventLoop, _context: dict[str, Any]) -> None:
    """The first failure was raised; asyncio would print every other one that follows from it."""


def _abandon(loop: asyncio.AbstractEventLoop) -> None:
    """Close the loop; a program that failed has left tasks, which nobody waits for any more."""
    loop.set_exception_handler(_unheard)
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if left:
        loop.run_until_complete(asyncio.wait(left, timeout=_PATIENCE_SECONDS))
    loop.close()
