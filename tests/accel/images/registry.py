"""A registry on this machine: OCI tags behind a token and in pages, and the index of a Helm repository."""

from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

from eks_accelerators.simulator.local_server import LocalServer
from tests.replies import reply

PAGE = 2
TOKEN = "for-everybody"


def answer(tags, headers, path):
    asked = urlsplit(path)
    query = parse_qs(asked.query)
    if asked.path == "/token":
        return reply({"token": TOKEN} if query["service"] == ["tests"] else {})
    if asked.path == "/index.yaml":
        entries = {name: [{"version": tag} for tag in found] for name, found in tags.items()}
        return reply({"apiVersion": "v1", "entries": entries})
    path = asked.path.removeprefix("/v2/").removesuffix("/tags/list")
    if path not in tags:
        return reply({"errors": []}, status=404)
    if headers.get("Authorization") != f"Bearer {TOKEN}":
        realm = f'Bearer realm="http://{headers["Host"]}/token",service="tests",scope="repository:{path}:pull"'
        return reply({}, status=401, **{"WWW-Authenticate": realm})
    start = int(query.get("last", ["0"])[0])
    end = start + PAGE
    more = {"Link": f'</v2/{path}/tags/list?last={end}>; rel="next"'} if end < len(tags[path]) else {}
    return reply({"name": path, "tags": tags[path][start:end]}, **more)


@contextmanager
def registry(tags):
    """Its address, while it serves ``tags`` by path."""
    with LocalServer(lambda _method, path, headers, _body: answer(tags, headers, path), "registry") as server:
        yield f"http://{server.address}"
