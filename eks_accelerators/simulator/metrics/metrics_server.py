"""Pages of simulated exporters for a real Prometheus, and the file by which it finds them.

Sources: Prometheus documentation 3, `configuration/configuration` (file_sd_configs, honor_labels); read 2026-11-22.
"""

import contextlib
import json
import threading
import urllib.parse
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from eks_accelerators.simulator import files
from eks_accelerators.simulator.kubernetes.api import ApiError
from eks_accelerators.simulator.metrics.exposition import CONTENT_TYPE, Source, Target, page

_HOST = "127.0.0.1"
_PATH = "/targets/{}/metrics"
_INTERVAL_SECONDS = 1.0


class MetricsServer:
    """Serves what ``source`` shows on a free port of 127.0.0.1, as of the last round; a context manager.

    There is a round every ``interval`` seconds, however many targets there are and however often they are scraped. The
    file ``targets`` is a file_sd file, replaced at once whenever targets come or go. A target that does not answer has
    status 503, one that is not there 404.
    """

    def __init__(self, source: Source, targets: Path, interval: float = _INTERVAL_SECONDS) -> None:
        self._source, self._interval = source, interval
        self.targets = targets
        """The file by which Prometheus finds every target."""
        self._pages: Mapping[str, tuple[Target, str]] = {}
        self._written = ""
        self._stop = threading.Event()
        self._server = _Server((_HOST, 0), _handler(self))
        self._server.daemon_threads = True
        self._threads = [
            threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True),
            threading.Thread(target=self._run, name="exporters", daemon=True),
        ]

    def __enter__(self) -> "MetricsServer":
        self.look()
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._server.shutdown()
        for thread in self._threads:
            thread.join()
        self._server.server_close()

    @property
    def port(self) -> int:
        """Port on 127.0.0.1 that it listens on."""
        return int(self._server.server_address[1])

    def address(self, target: str) -> str:
        """The URL of a target's page, by its id."""
        return f"http://{_HOST}:{self.port}{_PATH.format(target)}"

    def look(self) -> None:
        """One round: ask the source, and let pages and the file be as it says."""
        shown = [(target, samples) for target, samples in self._source.scrape()]
        self._pages = {target.id: (target, page(samples) if target.answers else "") for target, samples in shown}
        self._write([target for target, _ in shown])

    def page(self, target: str) -> str | None:
        """The page of a target, None where it does not answer. Raises KeyError for one that is not there."""
        found, text = self._pages[target]
        return text if found.answers else None

    def _run(self) -> None:
        while not self._stop.wait(self._interval):
            # An API server that is just starting or ending answers the next round.
            with contextlib.suppress(ApiError, OSError):
                self.look()

    def _write(self, targets: list[Target]) -> None:
        groups = [
            {
                "targets": [f"{_HOST}:{self.port}"],
                "labels": {"__metrics_path__": _PATH.format(target.id), **target.labels},
            }
            for target in sorted(targets, key=lambda each: each.id)
        ]
        text = json.dumps(groups, indent=1)
        if text == self._written:
            return
        files.write(self.targets, text.encode())
        self._written = text


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: who asked was not patient enough, and asks again."""


def _handler(server: MetricsServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Answers for one server."""

        def do_GET(self) -> None:
            """A page, by `/targets/<id>/metrics`."""
            status, text = _answer(server, urllib.parse.urlsplit(self.path).path)
            body = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", CONTENT_TYPE)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (the name that it is called by)
            """Nothing: a scrape a second would fill every log."""

    return Handler


def _answer(server: MetricsServer, path: str) -> tuple[int, str]:
    match path.split("/"):
        case ["", "targets", name, "metrics"]:
            try:
                text = server.page(urllib.parse.unquote(name))
            except KeyError:
                return 404, "no such target\n"
            return (503, "the exporter does not answer\n") if text is None else (200, text)
    return 404, "no such page\n"
