"""A real Prometheus that runs, and its API."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import urllib3
import yaml

from eks_accelerators.simulator.files import write
from eks_accelerators.simulator.pace import PacedClock
from eks_accelerators.simulator.processes import ServerError, Servers, free_port
from eks_accelerators.simulator.prometheus import answers, compression, configuration
from eks_accelerators.simulator.prometheus.answers import ActiveAlert, Series, Value
from eks_accelerators.simulator.prometheus.configuration import PrometheusSettings

ENGINE = "prometheus"
"""The program's name among engines."""

START_SECONDS = 60
"""How long it may take on a machine that is busy; less than a second is usual."""

_ANSWER_SECONDS = 30
_OK = 200


class PrometheusError(Exception):
    """A question that Prometheus refused, in its own words, or did not answer."""


@dataclass(frozen=True)
class Prometheus:
    """A running server. Whoever asks writes expressions, durations and moments in simulated time, and is answered in it.

    Ends with `stop`, at the end of a `with` block, or with this process.
    """

    url: str
    clock: PacedClock
    servers: Servers = field(repr=False)
    _http: urllib3.PoolManager = field(repr=False, default_factory=urllib3.PoolManager)

    def query(self, expression: str) -> list[Value]:
        """What an expression answers now. Raises `PrometheusError`."""
        return answers.values(self._ask("query", query=compression.expression(expression, self.clock)))

    def query_range(self, expression: str, begin: float, end: float, step_seconds: float) -> list[Series]:
        """What an expression answers from one simulated moment to another. Raises `PrometheusError`."""
        answer = self._ask(
            "query_range",
            query=compression.expression(expression, self.clock),
            start=f"{self.clock.wall(begin):.3f}",
            end=f"{self.clock.wall(end):.3f}",
            step=compression.written(self.clock.pace.wall(step_seconds)),
        )
        return answers.series(answer, self.clock)

    def alerts(self) -> list[ActiveAlert]:
        """All alerts that are pending or firing."""
        return [answers.alert(found, self.clock) for found in self._ask("alerts")["alerts"]]

    def targets(self) -> list[dict[str, Any]]:
        """The targets that it scrapes, as its API has them: `labels`, `health`, `lastError`."""
        found: list[dict[str, Any]] = self._ask("targets", state="active")["activeTargets"]
        return found

    def is_ready(self) -> bool:
        """Whether `/-/ready` answers that it is."""
        try:
            return self._http.request("GET", f"{self.url}/-/ready", retries=False, timeout=1).status == _OK
        except urllib3.exceptions.HTTPError:
            return False

    def wait_until_scraped(self, seconds: float = START_SECONDS) -> None:
        """Return when every target has been scraped, or tried; raises `ServerError` after ``seconds`` by the wall clock."""
        self.servers.wait(ENGINE, lambda: all(each["health"] != "unknown" for each in self.targets()), seconds)

    def stop(self) -> None:
        """End it; nothing answers at its address any more."""
        self._http.clear()
        self.servers.close()

    def _ask(self, path: str, **fields: str) -> Any:
        try:
            answer = self._http.request(
                "GET", f"{self.url}/api/v1/{path}", fields=fields, retries=False, timeout=_ANSWER_SECONDS
            )
            said = json.loads(answer.data)
        except (urllib3.exceptions.HTTPError, ValueError) as error:
            raise PrometheusError(f"Prometheus does not answer: {error}") from None
        if said["status"] != "success":
            raise PrometheusError(f"{said['errorType']}: {said['error']}")
        return said["data"]


@contextmanager
def prometheus(program: Path, settings: PrometheusSettings, clock: PacedClock) -> Iterator[Prometheus]:
    """A server for the time of a `with` block: see `start`."""
    server = start(program, settings, clock)
    try:
        yield server
    finally:
        server.stop()


def start(program: Path, settings: PrometheusSettings, clock: PacedClock) -> Prometheus:
    """Start a server with an empty memory, and return when it is ready.

    Raises `ServerError` where it does not start, with its reason: rules that it cannot read are one.
    """
    try:
        return _start(program, settings, clock)
    except ServerError as error:
        if "address already in use" not in error.log:
            raise
        return _start(program, settings, clock)  # another process took the port in between


def _start(program: Path, settings: PrometheusSettings, clock: PacedClock) -> Prometheus:
    group = Servers()
    try:
        port = free_port()
        server = Prometheus(f"http://127.0.0.1:{port}", clock, group)
        rules = _yaml(group.folder / "rules.yaml", configuration.rule_file(settings, clock))
        config = _yaml(group.folder / "prometheus.yaml", configuration.config_file(settings, [rules], clock))
        group.start(ENGINE, configuration.command(program, config, group.folder / "data", port, clock))
        group.wait(ENGINE, server.is_ready, START_SECONDS)
    except BaseException:
        group.close()
        raise
    return server


def _yaml(path: Path, content: dict[str, Any]) -> Path:
    return write(path, yaml.safe_dump(content, sort_keys=False, width=1000).encode())
