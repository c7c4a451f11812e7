"""An exporter of a few lines, for tests: what it shows is set while it runs."""

import json
from contextlib import contextmanager

from eks_accelerators.simulator.local_server import LocalServer
from tests.replies import reply


class Exporter:
    """Shows ``samples``, which are lines as Prometheus reads them, to whoever asks; none of them: it fails."""

    def __init__(self, samples):
        self.samples = samples
        self.server = LocalServer(self._page, "exporter")

    def targets(self, file, **labels):
        """A file by which Prometheus finds it."""
        file.write_text(json.dumps([{"targets": [self.server.address], "labels": labels}]), encoding="utf-8")
        return file

    def _page(self, *_):
        text = "".join(f"{line}\n" for line in self.samples)
        return reply(text, 200 if text else 503, **{"Content-Type": "text/plain; version=0.0.4"})


@contextmanager
def exporting(*samples):
    """One for the time of a `with` block."""
    exporter = Exporter(list(samples))
    with exporter.server:
        yield exporter
