"""A small HTTP server on 127.0.0.1, whose answers are made by whoever opens it."""

import http.server
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

_HOST = "127.0.0.1"
_POLL_SECONDS = 0.05
"""How long it may take until a server hears that it ends."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP response: status, headers but for the length, and body as they are sent."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Answer = Callable[[str, str, Any, bytes], Reply]
"""From method, path with query, headers and body."""


class LocalServer:
    """Sends what ``answer`` replies, for the time of a `with` block; ``name`` is that of its thread."""

    def __init__(self, answer: Answer, name: str) -> None:
        self._server = _Server(answer)
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(_POLL_SECONDS,), name=name, daemon=True
        )

    @property
    def address(self) -> str:
        """Host and port, such as `127.0.0.1:40123`."""
        return f"{_HOST}:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        super().__init__((_HOST, 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever asked may be gone, in the midst of a request too: that is nothing to tell."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    """Head and content go out together: apart, the second waits for the acknowledgement of the first."""
    server: _Server

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        reply = self.server.answer(self.command, self.path, self.headers, body)
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body)

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = _answer  # noqa: N815  (so they are called in the class above)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (so it is called in the class above)
        """Nothing: each server knows by itself what it was asked."""
