"""An exporter of a few lines, for tests: what it shows is set while it runs."""

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


class Exporter:
    """Shows ``samples``, which are lines as Prometheus reads them, to whoever asks; none of them: it fails."""

    def __init__(self):
        self.samples = []
        exporter = self

        class Page(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200 if exporter.samples else 503)
                self.send_header("Content-Type", "text/plain; version=0.0.4")
                self.end_headers()
                self.wfile.write("".join(f"{line}\n" for line in exporter.samples).encode())

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
        self._thread = Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def targets(self, file, **labels):
        """A file by which Prometheus finds it."""
        address = f"127.0.0.1:{self._server.server_address[1]}"
        file.write_text(json.dumps([{"targets": [address], "labels": labels}]), encoding="utf-8")
        return file

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextmanager
def exporting(*samples):
    """One for the time of a `with` block."""
    exporter = Exporter()
    exporter.samples = list(samples)
    try:
        yield exporter
    finally:
        exporter.close()
