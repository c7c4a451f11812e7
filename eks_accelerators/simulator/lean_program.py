"""What the SDK tells an engine of every resource, and nobody in a simulation reads.

A stack trace: two thirds of what the engine keeps of a small resource are the lines of Python, of the SDK and of gRPC below
the program. The engine writes its whole state after every step, so they cost the square of the resources. And messages for
`pulumi --debug`, each of them a call that the program waits for. Neither has a setting. Source: Pulumi's Python SDK 3.272,
`pulumi/runtime/resource.py` and `pulumi/log.py`; its engine, `pkg/backend/snapshot.go`, read 2026-11-22.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import pulumi.log
from pulumi.runtime import resource
from pulumi.runtime.proto import source_pb2


@contextmanager
def untraced(*, debug: bool = False) -> Iterator[None]:
    """Programs run inside without a stack trace of each resource, and say nothing for debugging unless ``debug``."""
    with mock.patch.object(resource, "_get_stack_trace", source_pb2.StackTrace):
        if debug:
            yield
            return
        with mock.patch.object(pulumi.log, "debug", _nothing):
            yield


def _nothing(*_: Any, **__: Any) -> None:
    """Nothing is said."""
