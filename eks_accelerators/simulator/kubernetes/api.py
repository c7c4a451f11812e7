"""Requests to a Kubernetes API server: objects are plain dictionaries, as in YAML."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import kubernetes.client
import urllib3
from kubernetes.client.exceptions import ApiException
from kubernetes.dynamic import DynamicClient

from eks_accelerators.simulator.kubernetes.kinds import Kinds

Object = dict[str, Any]

MANAGER = "pulumi-kubernetes"
"""The field manager of Pulumi's Kubernetes provider."""

List = list
"""`list` is also a method of `Api`, and hides the type of this name there."""

_USER_AGENT = "eks-accelerators"
"""Also the manager of fields that `patch` writes."""

_NOT_FOUND = 404
_CONNECTIONS = 32
"""Kept open; threads beyond it make one each for the time of a request."""

_RETRIES = urllib3.Retry(total=8, read=False, allowed_methods=None, raise_on_status=False)
"""A server that is too busy (429) has done nothing, so every request can be repeated. One of which the answer was lost
may have been done, so it is not."""


_dynamic_client: Any = DynamicClient  # the package has no types for it


class ApiError(Exception):
    """A request that the API server refused, in its own words.

    ``status`` is the HTTP status: 0 where no answer came, 408 where waiting took too long. ``reason`` is Kubernetes'
    word for it, such as `Forbidden`.
    """

    def __init__(self, status: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason
        self.message = message


class Api:
    """One API server. Safe to use from several threads."""

    def __init__(self, url: str, ca_file: Path, token: str) -> None:
        configuration = kubernetes.client.Configuration()
        configuration.host = url
        configuration.ssl_ca_cert = str(ca_file)
        configuration.api_key = {"authorization": f"Bearer {token}"}
        configuration.retries = _RETRIES
        configuration.connection_pool_maxsize = _CONNECTIONS
        configuration.proxy = None  # HTTPS_PROXY is for the world outside
        self._http = kubernetes.client.ApiClient(configuration)
        self._http.user_agent = _USER_AGENT
        client = _dynamic_client(self._http, discoverer=lambda found, _cache: Kinds(found.request))
        self._request: Callable[..., Any] = client.request
        self._kinds: Kinds = client.resources

    def apply(self, obj: Object, *, dry_run: bool = False, manager: str = MANAGER, force: bool = True) -> Object:
        """Create or change an object by server-side apply, and return what the server has made of it.

        Without ``force`` fields that another manager owns are a conflict (409).
        """
        path = self._path(obj["apiVersion"], obj["kind"], obj["metadata"]["name"], obj["metadata"].get("namespace"))
        return self._send(
            "patch",
            path,
            obj,
            content_type="application/apply-patch+yaml",
            field_manager=manager,
            force_conflicts=force,
            dry_run="All" if dry_run else None,
        )

    def create(self, obj: Object, *, dry_run: bool = False, strict: bool = False, manager: str = MANAGER) -> Object:
        """Create an object, which may have `metadata.generateName` in place of a name.

        With ``strict`` a field that its kind does not have is refused; it is dropped otherwise.
        """
        namespace = obj["metadata"].get("namespace") or "default"
        path = self._path(obj["apiVersion"], obj["kind"], None, namespace)
        query = [("fieldValidation", "Strict")] if strict else []
        dry = "All" if dry_run else None
        return self._send("post", path, obj, field_manager=manager, dry_run=dry, query_params=query)

    def get(self, api_version: str, kind: str, name: str, namespace: str | None = None) -> Object | None:
        """An object; None where it, or its kind, is not there."""
        try:
            return self._send("get", self._path(api_version, kind, name, namespace))
        except ApiError as error:
            if error.status == _NOT_FOUND:
                return None
            raise

    def list(
        self,
        api_version: str,
        kind: str,
        namespace: str | None = None,
        label_selector: str | None = None,
        *,
        on_node: str | None = None,
        remembered: bool = False,
    ) -> List[Object]:
        """All objects of a kind, in one namespace or in all; as they were a moment ago if that is ``remembered``.

        Pods also by the node that they are ``on_node``.
        """
        options: Object = {"label_selector": label_selector, "resource_version": "0" if remembered else None}
        if on_node is not None:
            options["field_selector"] = f"spec.nodeName={on_node}"
        found = self._send("get", self._path(api_version, kind, None, namespace), **options)
        # A list names the kind of its items once, and not in each.
        return [{"apiVersion": api_version, "kind": kind, **item} for item in found["items"]]

    def version(self, api_version: str, kind: str) -> str:
        """The version of all objects of a kind: nothing has changed for as long as it is the same.

        Cheap enough to be asked for all the time. A `list` of what is not ``remembered`` may change it too.
        """
        path, none = self._path(api_version, kind, None, None), "metadata.name="
        return str(self._send("get", path, resource_version="0", field_selector=none)["metadata"]["resourceVersion"])

    def delete(
        self,
        api_version: str,
        kind: str,
        name: str,
        namespace: str | None = None,
        *,
        wait_seconds: float | None = None,
        grace_seconds: int | None = None,
    ) -> None:
        """Delete an object after what it owns; one that is not there is no error.

        With ``wait_seconds`` returns when it is gone, and raises `ApiError` with status 408 where that takes longer.
        With ``grace_seconds=0`` it goes at once, and what it owns after it; also a pod whose node is not there any
        more: nobody else ends it before the pod garbage collector does, after a minute.
        """
        before = self.get(api_version, kind, name, namespace) if wait_seconds is not None else None
        if wait_seconds is not None and before is None:
            return
        at_once = grace_seconds == 0
        body: Object = {"kind": "DeleteOptions", "apiVersion": "v1"}
        body["propagationPolicy"] = "Background" if at_once else "Foreground"
        body |= {} if grace_seconds is None else {"gracePeriodSeconds": grace_seconds}
        try:
            self._send("delete", self._path(api_version, kind, name, namespace), body)
        except ApiError as error:
            if error.status != _NOT_FOUND:
                raise
        if before is not None:
            self._wait_until_gone(before, wait_seconds or 0)

    def delete_all(self, api_version: str, kind: str, namespace: str) -> None:
        """Delete all objects of a kind, without waiting; those of a namespaced kind in one namespace."""
        self._send("delete", self._path(api_version, kind, None, namespace))

    def patch(
        self,
        api_version: str,
        kind: str,
        name: str,
        namespace: str | None,
        patch: Object,
        *,
        subresource: str | None = None,
    ) -> Object:
        """Change an object, or its subresource such as `status`, by a merge patch: None removes a key."""
        path = self._path(api_version, kind, name, namespace) + (f"/{subresource}" if subresource else "")
        return self._send("patch", path, patch, content_type="application/merge-patch+json")

    def kinds(self) -> List[tuple[str, str]]:
        """API version and kind of everything that can be listed and deleted."""
        with _refusals():
            return self._kinds.deletable()

    def api_versions(self) -> List[str]:
        """All API versions that the server has, such as `v1` and `apps/v1`."""
        with _refusals():
            return self._kinds.versions()

    def is_ready(self) -> bool:
        """Whether the server answers and has started completely."""
        try:
            with _refusals():
                self._request("get", "/readyz", serialize=False, _request_timeout=5)
        except ApiError:
            return False
        return True

    def close(self) -> None:
        """Close all connections."""
        self._http.rest_client.pool_manager.clear()

    def _path(self, api_version: str, kind: str, name: str | None, namespace: str | None) -> str:
        with _refusals():
            found = self._kinds.find(api_version, kind)
        if found is None:
            raise ApiError(_NOT_FOUND, "NotFound", f'no matches for kind "{kind}" in version "{api_version}"')
        return found.path(name, namespace)

    def _send(self, method: str, path: str, body: Object | None = None, **options: Any) -> Object:
        with _refusals():
            answer: Object = json.loads(self._request(method, path, body=body, serialize=False, **options).data)
            return answer

    def _wait_until_gone(self, obj: Object, seconds: float) -> None:
        metadata = obj["metadata"]
        reference = (obj["apiVersion"], obj["kind"], metadata["name"], metadata.get("namespace"))
        until = time.monotonic() + seconds
        while True:
            now = self.get(*reference)
            # One of the same name may have been created since.
            if now is None or now["metadata"]["uid"] != metadata["uid"]:
                return
            if time.monotonic() > until:
                raise ApiError(408, "Timeout", f"{obj['kind']} {metadata['name']} is still there after {seconds:g} s")
            time.sleep(0.05)


@contextmanager
def _refusals() -> Iterator[None]:
    """Raise what the API server refuses, and that it does not answer, as `ApiError`."""
    try:
        yield
    except ApiException as error:
        raise _refusal(error) from None
    except urllib3.exceptions.HTTPError as error:
        raise ApiError(0, "Unreachable", f"the API server does not answer: {error}") from None


def _refusal(error: ApiException) -> ApiError:
    """The `Status` that an API server sends, or what came in its place."""
    text = error.body.decode(errors="replace") if isinstance(error.body, bytes) else str(error.body or "")
    try:
        status = json.loads(text)
    except ValueError:
        status = {}
    status = status if isinstance(status, dict) else {}
    return ApiError(error.status, status.get("reason") or str(error.reason), status.get("message") or text)
