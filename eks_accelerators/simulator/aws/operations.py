"""The registry of operations that are ours, each with what it refuses."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.errors import AwsError, PassedOnError
from eks_accelerators.simulator.aws.refusals import ApiRefusal, RefusedError
from eks_accelerators.simulator.chapters import Chapter

Handler = Callable[[Backend, dict[str, Any]], dict[str, Any]]


class UndeclaredRefusalError(Exception):
    """An operation refused with what it does not declare: a fault of the simulation."""


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation that is ours. What ``handler`` refuses is in ``refusals``, or passed on from moto in its own words."""

    service: str
    name: str
    """Name of the operation as boto3 spells it, such as `create_cluster`."""
    handler: Handler
    refusals: tuple[ApiRefusal, ...]
    chapter: Chapter
    source: str | None

    def __call__(self, account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
        """Answer a call; raises `AwsError`, and `UndeclaredRefusalError` for any that is not declared."""
        try:
            return self.handler(account, parameters)
        except AwsError as error:
            if not self._may_raise(error):
                raise UndeclaredRefusalError(f"{self.service}.{self.name} does not declare: {error}") from error
            raise

    def _may_raise(self, error: AwsError) -> bool:
        return isinstance(error, PassedOnError) or (isinstance(error, RefusedError) and error.refusal in self.refusals)


HANDLERS: dict[tuple[str, str], Operation] = {}
"""Operations that are ours, by service and operation in boto3's spelling."""


class _Registering(Protocol):
    def __call__(
        self, service: str, name: str, refusals: tuple[ApiRefusal, ...] = (), source: str | None = None
    ) -> Callable[[Handler], Handler]: ...


def operations_of(chapter: Chapter) -> _Registering:
    """A decorator that registers handlers of a chapter.

    ``name`` is in boto3's spelling, ``refusals`` are all that the handler raises, ``source`` is the operation's own.
    """

    def operation(
        service: str, name: str, refusals: tuple[ApiRefusal, ...] = (), source: str | None = None
    ) -> Callable[[Handler], Handler]:
        def register(handler: Handler) -> Handler:
            HANDLERS[service, name] = Operation(service, name, handler, refusals, chapter, source)
            return handler

        return register

    return operation
