"""A registry on this machine: OCI tags behind a token and in pages, and the index of a Helm repository."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

PAGE = 2
TOKEN = "for-everybody"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        asked = urlsplit(self.path)
        query = parse_qs(asked.query)
        if asked.path == "/token":
            return self.answer({"token": TOKEN} if query["service"] == ["tests"] else {})
        if asked.path == "/index.yaml":
            entries = {name: [{"version": tag} for tag in tags] for name, tags in self.server.tags.items()}
            return self.answer({"apiVersion": "v1", "entries": entries})
        path = asked.path.removeprefix("/v2/").removesuffix("/tags/list")
        if path not in self.server.tags:
            return self.answer({"errors": []}, status=404)
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            realm = f'Bearer realm="{self.server.address}/token",service="tests",scope="repository:{path}:pull"'
            return self.answer({}, status=401, **{"WWW-Authenticate": realm})
        tags, start = self.server.tags[path], int(query.get("last", ["0"])[0])
        end = start + PAGE
        more = {"Link": f'</v2/{path}/tags/list?last={end}>; rel="next"'} if end < len(tags) else {}
        return self.answer({"name": path, "tags": tags[start:end]}, **more)

    def answer(self, content, status=200, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(json.dumps(content).encode())

    def log_message(self, *_):
        """Say nothing."""


@contextmanager
def registry(tags):
    """Its address, while it serves ``tags`` by path."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.tags, server.address = tags, f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server.address
        finally:
            server.shutdown()
            thread.join()
