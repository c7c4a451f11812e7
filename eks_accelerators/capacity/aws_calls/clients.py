"""boto3's clients: one for each service and region, made when first asked for."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from botocore.config import Config

from eks_accelerators.capacity.aws_calls.client_classes import ClientClasses
from eks_accelerators.capacity.aws_calls.sessions import configured, options, session_of
from eks_accelerators.settings.aws_provider import AwsProvider

CONNECT_SECONDS = 5
READ_SECONDS = 20
ATTEMPTS = 3


class Clients(Protocol):
    """Where calls go: AWS, or a simulated account."""

    def get(self, service: str, region: str) -> Any:
        """A client as boto3 makes them."""


class BotoClients:
    """Clients with a stack's provider configuration, by default the caller's own credentials.

    Retries are adaptive: throttled, they slow down by themselves. ``region`` is where roles are assumed. Raises botocore's
    `ProfileNotFound`.
    """

    def __init__(
        self,
        *,
        connections: int,
        config: Config | None = None,
        provider: AwsProvider | None = None,
        region: str | None = None,
    ) -> None:
        self._provider = provider or AwsProvider()
        self._lock, self._classes = threading.Lock(), ClientClasses()
        self._made: dict[tuple[str, str], Any] = {}
        ours = Config(
            connect_timeout=CONNECT_SECONDS,
            read_timeout=READ_SECONDS,
            max_pool_connections=connections,
            retries={"mode": "adaptive", "total_max_attempts": ATTEMPTS},
            user_agent_appid="eks-accelerators",
        )
        reading = configured(self._provider, ours)
        self._config = reading.merge(config) if config else reading
        self._session = session_of(self._provider, region, reading)

    def get(self, service: str, region: str) -> Any:
        """The client of ``service`` in ``region``."""
        with self._lock:  # sessions are not safe between threads, clients are
            if (service, region) not in self._made:
                more = options(self._provider, service, region)
                with self._classes.shared():
                    self._made[service, region] = self._session.client(service, config=self._config, **more)
            return self._made[service, region]


_stand_in: Clients | None = None


def stand_in() -> Clients | None:
    """Inside `answered_by`, who answers in place of AWS."""
    return _stand_in


@contextmanager
def answered_by(clients: Clients) -> Iterator[None]:
    """Inside, code that runs under an engine asks ``clients``, in every thread."""
    global _stand_in  # noqa: PLW0603  (hooks under an engine run on threads of their own)
    before, _stand_in = _stand_in, clients
    try:
        yield
    finally:
        _stand_in = before
