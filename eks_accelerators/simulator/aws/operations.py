"""The registry of operations that are ours."""

from collections.abc import Callable
from typing import Any

from eks_accelerators.simulator.aws.backend import Backend

Handler = Callable[[Backend, dict[str, Any]], dict[str, Any]]
HANDLERS: dict[tuple[str, str], Handler] = {}
"""Operations that are ours, by service and operation in boto3's spelling."""


def operation(service: str, name: str) -> Callable[[Handler], Handler]:
    """Register a handler for an operation of ``service``; ``name`` in boto3's spelling."""

    def register(handler: Handler) -> Handler:
        HANDLERS[service, name] = handler
        return handler

    return register
