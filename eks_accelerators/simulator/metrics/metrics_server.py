"""Pages of simulated exporters for a real Prometheus, and the file by which it finds them.

Sources: Prometheus documentation 3, `configuration/configuration` (file_sd_configs, honor_labels); read 2026-11-22.
"""

import contextlib
import json
import threading
import urllib.parse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from eks_accelerators.simulator import files
from eks_accelerators.simulator.kubernetes.api import ApiError
from eks_accelerators.simulator.local_server import LocalServer, Reply
from eks_accelerators.simulator.metrics.exposition import CONTENT_TYPE, Source, Target, page

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
        self._server = LocalServer(self._reply, "pages of exporters")
        self._thread = threading.Thread(target=self._run, name="exporters", daemon=True)

    def __enter__(self) -> "MetricsServer":
        self.look()
        self._server.__enter__()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._server.__exit__(None, None, None)
        self._thread.join()

    def address(self, target: str) -> str:
        """The URL of a target's page, by its id."""
        return f"http://{self._server.address}{_PATH.format(target)}"

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

    def _reply(self, _method: str, path: str, _headers: Any, _body: bytes) -> Reply:
        status, text = _answer(self, urllib.parse.urlsplit(path).path)
        return Reply(status, {"Content-Type": CONTENT_TYPE}, text.encode())

    def _write(self, targets: list[Target]) -> None:
        groups = [
            {
                "targets": [self._server.address],
                "labels": {"__metrics_path__": _PATH.format(target.id), **target.labels},
            }
            for target in sorted(targets, key=lambda each: each.id)
        ]
        text = json.dumps(groups, indent=1)
        if text == self._written:
            return
        files.write(self.targets, text.encode())
        self._written = text


def _answer(server: MetricsServer, path: str) -> tuple[int, str]:
    match path.split("/"):
        case ["", "targets", name, "metrics"]:
            try:
                text = server.page(urllib.parse.unquote(name))
            except KeyError:
                return 404, "no such target\n"
            return (503, "the exporter does not answer\n") if text is None else (200, text)
    return 404, "no such page\n"
