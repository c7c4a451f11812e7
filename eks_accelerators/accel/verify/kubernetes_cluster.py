"""The cluster that a kubeconfig names, by the Kubernetes project's own Python client.

That client reads kubeconfigs of every shape, such as those of `aws eks update-kubeconfig` whose token a command makes. It
takes a second to import, so only who verifies imports this module.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypedDict, Unpack
from urllib.parse import quote, urlsplit

import kubernetes.client
import urllib3
from kubernetes.client.exceptions import ApiException
from kubernetes.stream import stream

from eks_accelerators.accel.verify.kubeconfig import configuration_of
from eks_accelerators.verification.cluster import ClusterError, KubernetesObject

_CORE, _RESOURCES = "/api/v1", "/apis/resource.k8s.io/v1"
_PATHS = {
    "nodes": _CORE,
    "pods": _CORE,
    "namespaces": _CORE,
    "services": _CORE,
    "configmaps": _CORE,
    "jobs": "/apis/batch/v1",
    "resourceclaims": _RESOURCES,
    "resourceclaimtemplates": _RESOURCES,
}
"""Where the API has the objects of each kind that is asked for."""

_SECONDS = (10, 120)
"""To connect, and to be answered: what an API server writes may take a while."""

_ANSWER_SECONDS = (10, 60)
"""For a completion of a few tokens, which may wait behind others. All servers are asked at a time, so that this is all of it."""

_HERE = ("127.0.0.1", "localhost", "::1")
_CONNECTIONS = 32
"""As many as there are questions at a time."""

_LEAST_WAIT = urllib3.Retry(total=3, read=False, allowed_methods=None, raise_on_status=False)
_MERGE = "application/merge-patch+json"


class _How(TypedDict, total=False):
    """How a request is sent: its ``body``, the ``selector`` of labels, the type of the ``content``, and the ``seconds`` to connect and
    to be answered.
    """

    body: Any
    selector: str
    content: str
    seconds: tuple[int, int]


class KubernetesCluster:
    """A cluster behind an API server."""

    def __init__(self, kubeconfig: Path | None = None, context: str | None = None) -> None:
        """``kubeconfig`` is by default the one that kubectl takes. Raises `ClusterError` where it cannot be used."""
        configuration = configuration_of(kubeconfig, context)
        self.address = str(configuration.host)
        if urlsplit(self.address).hostname in _HERE:
            configuration.proxy = None  # HTTPS_PROXY is for the world outside
        configuration.retries = _LEAST_WAIT
        configuration.connection_pool_maxsize = _CONNECTIONS
        self._configuration = configuration
        self._client = kubernetes.client.ApiClient(configuration)
        self._client.user_agent = "eks-accelerators"

    def list(self, kind: str, namespace: str = "", selector: str = "") -> Sequence[KubernetesObject]:
        """All objects of a kind, by its plural name."""
        found: Sequence[KubernetesObject] = self._send("GET", _path(kind, namespace), selector=selector)["items"]
        return found

    def get(self, kind: str, name: str, namespace: str = "") -> KubernetesObject:
        """The object of this name, of a plural kind; an empty ``namespace`` is for kinds without one."""
        found: KubernetesObject = self._send("GET", f"{_path(kind, namespace)}/{quote(name)}")
        return found

    def create(self, kind: str, obj: KubernetesObject) -> KubernetesObject:
        """Create ``obj``, of ``kind``; returns it as the API server keeps it."""
        made: KubernetesObject = self._send("POST", _path(kind, obj["metadata"].get("namespace") or ""), body=obj)
        return made

    def annotate(self, kind: str, name: str, annotations: Mapping[str, str]) -> None:
        """Merge ``annotations`` into those of a cluster-wide object, such as a node."""
        change = {"metadata": {"annotations": dict(annotations)}}
        self._send("PATCH", f"{_path(kind, '')}/{quote(name)}", body=change, content=_MERGE)

    def delete(self, kind: str, name: str, namespace: str = "") -> None:
        """Delete an object with all that it owns."""
        body = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"}
        try:
            self._send("DELETE", f"{_path(kind, namespace)}/{quote(name)}", body=body)
        except ClusterError as error:
            if error.status != 404:
                raise

    def log(self, namespace: str, pod: str) -> str:
        """The log of a pod's only container."""
        return self._read("GET", f"{_path('pods', namespace)}/{quote(pod)}/log")

    def execute(self, namespace: str, pod: str, container: str, command: Sequence[str]) -> str:
        """Run a command in a container."""
        # A client of its own: for the time of the call it is made to speak WebSocket.
        api = kubernetes.client.CoreV1Api(kubernetes.client.ApiClient(self._configuration))
        with _told():
            printed = stream(
                api.connect_get_namespaced_pod_exec,
                pod,
                namespace,
                container=container,
                command=list(command),
                stdout=True,
                stderr=True,
                stdin=False,
                tty=False,
                _request_timeout=_SECONDS[1],
            )
        return str(printed)

    def ask_service(self, namespace: str, service: str, path: str, body: Mapping[str, Any] | None) -> Mapping[str, Any]:
        """Send JSON to the first port of a Service, or read there."""
        port = self.get("services", service, namespace)["spec"]["ports"][0]["port"]
        return self._asked(f"{_path('services', namespace)}/{quote(service)}:{port}/proxy/{path}", service, body)

    def ask_pod(
        self, namespace: str, pod: str, port: int, path: str, body: Mapping[str, Any] | None
    ) -> Mapping[str, Any]:
        """Send JSON to a port of a pod, or read there."""
        return self._asked(f"{_path('pods', namespace)}/{quote(pod)}:{port}/proxy/{path}", pod, body)

    def _asked(self, proxy: str, whom: str, body: Mapping[str, Any] | None) -> Mapping[str, Any]:
        answer = self._send("GET" if body is None else "POST", proxy, body=body, seconds=_ANSWER_SECONDS)
        if not isinstance(answer, Mapping):
            raise ClusterError(f"{whom} answers no object: {answer!r}"[:200])
        return answer

    def close(self) -> None:
        """Close all connections."""
        self._client.rest_client.pool_manager.clear()

    def _send(self, method: str, path: str, **how: Unpack[_How]) -> Any:
        text = self._read(method, path, **how)
        try:
            return json.loads(text)
        except ValueError:
            raise ClusterError(f"{path}: no JSON: {text[:120]!r}") from None

    def _read(self, method: str, path: str, **how: Unpack[_How]) -> str:
        selector = how.get("selector")
        query = [("labelSelector", selector)] if selector else []
        headers = {"Accept": "application/json, */*", "Content-Type": how.get("content", "application/json")}
        with _told():
            request = self._client.param_serialize(
                method,
                path,
                query_params=query,
                header_params=headers,
                body=how.get("body"),
                auth_settings=["BearerToken"],
            )
            answer: Any = self._client.call_api(*request, _request_timeout=how.get("seconds", _SECONDS))
            data = answer.read() or b""
            if answer.status >= 300:
                raise _refused(answer.status, data, str(answer.reason))
        return data.decode(errors="replace")


def _path(kind: str, namespace: str) -> str:
    within = f"/namespaces/{quote(namespace)}" if namespace else ""
    return f"{_PATHS[kind]}{within}/{kind}"


@contextmanager
def _told() -> Iterator[None]:
    """Raise what the API server refuses, and that it does not answer, as `ClusterError`."""
    try:
        yield
    except ApiException as error:
        body = error.body if isinstance(error.body, bytes) else str(error.body or "").encode()
        raise _refused(error.status or 0, body, str(error.reason)) from None
    except (urllib3.exceptions.HTTPError, OSError) as error:
        raise ClusterError(f"the API server does not answer: {error}") from None


def _refused(status: int, body: bytes, reason: str) -> ClusterError:
    """The `Status` that an API server sends, or what came in its place."""
    text = body.decode(errors="replace")
    try:
        told = json.loads(text)
    except ValueError:
        # Of a WebSocket that is refused the answer is in the midst of words.
        told = _last_object(reason)
    told = told if isinstance(told, dict) else {}
    message = _message(told)
    if told and told.get("kind") != "Status":
        return ClusterError(message or text.strip()[:200], status, by_server=True)
    if status == 401:
        return ClusterError(f"the API server does not know who you are (401): {message or reason}", status)
    return ClusterError(message or text.strip()[:200] or reason, status)


def _message(told: Mapping[str, Any]) -> str:
    """Of a `Status`, or in the shapes of servers: OpenAI's `error`, with or without an object, and FastAPI's `detail`."""
    error = told.get("error")
    within = error.get("message") if isinstance(error, dict) else error
    return str(told.get("message") or within or told.get("detail") or "")


def _last_object(reason: str) -> Any:
    """What an API server answered to a WebSocket that it refuses: the client puts headers before it, and marks between."""
    body = reason.rpartition("-+-+-")[2]
    try:
        return json.loads(body[body.find("{") : body.rfind("}") + 1] or "{}")
    except ValueError:
        return {}
