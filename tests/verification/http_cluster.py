"""A cluster on paper behind HTTP, as an API server answers: for processes, which are asked and killed like real ones."""

import json
import re
from contextlib import contextmanager
from threading import Lock
from urllib.parse import parse_qs, urlsplit

import yaml

from eks_accelerators.simulator.local_server import LocalServer
from eks_accelerators.verification.cluster import ClusterError
from tests.replies import reply

_PATH = re.compile(
    r"/(?:api/v1|apis/[\w.]+/v1)(?:/namespaces/(?P<namespace>[\w-]+)(?=/))?/(?P<kind>[a-z]+)(?:/(?P<name>[\w.:-]+))?(?P<rest>/.*)?"
)


@contextmanager
def served(cluster):
    """The URL under which ``cluster`` answers."""
    lock = Lock()

    def answer(method, path, _headers, body):
        try:
            with lock:
                return reply(_done(cluster, method, urlsplit(path), json.loads(body or b"null")))
        except ClusterError as error:
            return reply({"kind": "Status", "message": str(error)}, error.status)

    with LocalServer(answer, "cluster") as server:
        yield f"http://{server.address}"


def _done(cluster, method, url, body):
    found = _PATH.fullmatch(url.path)
    namespace, kind, name, rest = (found[key] or "" for key in ("namespace", "kind", "name", "rest"))
    if rest.startswith("/proxy/"):
        return _asked(cluster, kind, namespace, name, rest.removeprefix("/proxy/"), body)
    if kind == "services" and name:
        return cluster.get(kind, name, namespace)
    if method == "GET" and rest == "/log":
        return cluster.log(namespace, name)
    if method == "GET" and not name:
        return {"items": cluster.list(kind, namespace, parse_qs(url.query).get("labelSelector", [""])[0])}
    if method == "POST" and not name:
        return cluster.create(kind, body)
    if method == "PATCH":
        cluster.annotate(kind, name, body["metadata"]["annotations"])
        return {}
    if method == "DELETE":
        cluster.delete(kind, name, namespace)
        return {}
    raise ClusterError(f"{method} {url.path}: no such way", 404)


def _asked(cluster, kind, namespace, name, path, body):
    name, _, port = name.partition(":")
    if kind == "services":
        return cluster.ask_service(namespace, name, path, body)
    return cluster.ask_pod(namespace, name, int(port), path, body)


def kubeconfig(folder, url, user=None):
    """The file that leads there."""
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": url}}],
        "users": [{"name": "u", "user": user or {"token": "any"}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    file = folder / "kubeconfig"
    file.write_text(yaml.safe_dump(config), encoding="utf-8")
    return file
