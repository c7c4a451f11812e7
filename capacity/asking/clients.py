"""boto3's clients: one for each service and region, made when first asked for."""

import threading
from typing import Any, Protocol

import boto3
from botocore.config import Config

CONNECT_SECONDS = 5
READ_SECONDS = 20
ATTEMPTS = 3


class Clients(Protocol):
    """Where calls go: AWS, or a simulated account."""

    def get(self, service: str, region: str) -> Any:
        """A client as boto3 makes them."""


class BotoClients:
    """Clients with the caller's own credentials. Retries are adaptive: throttled, they slow down by themselves."""

    def __init__(self, *, connections: int, config: Config | None = None) -> None:
        self._session = boto3.session.Session()
        self._lock = threading.Lock()
        self._made: dict[tuple[str, str], Any] = {}
        ours = Config(
            connect_timeout=CONNECT_SECONDS,
            read_timeout=READ_SECONDS,
            max_pool_connections=connections,
            retries={"mode": "adaptive", "total_max_attempts": ATTEMPTS},
            user_agent_appid="eks-accelerators",
        )
        self._config = ours.merge(config) if config else ours

    def get(self, service: str, region: str) -> Any:
        """The client of ``service`` in ``region``."""
        with self._lock:  # sessions are not safe between threads, clients are
            if (service, region) not in self._made:
                self._made[service, region] = self._session.client(service, region_name=region, config=self._config)
            return self._made[service, region]
