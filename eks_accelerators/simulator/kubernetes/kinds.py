"""Which kinds a Kubernetes API server has, and the paths of their objects.

The official package has discovery of its own. It keeps what it found in a file of the shared temporary folder, named
after host and port, which for a server on a free port may be left over from another one; and it is not safe to use
from several threads.
"""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from kubernetes.client.exceptions import ApiException


@dataclass(frozen=True, slots=True)
class ApiKind:
    """One kind: `/apis/apps/v1`, `deployments`, and whether its objects are in namespaces."""

    base: str
    resource: str
    namespaced: bool

    def path(self, name: str | None = None, namespace: str | None = None) -> str:
        """The path of one object, or of all: in one namespace, or without ``namespace`` in all of them.

        An object of a namespaced kind without a namespace is in `default`.
        """
        if self.namespaced and name and not namespace:
            namespace = "default"
        within = f"/namespaces/{namespace}" if self.namespaced and namespace else ""
        return f"{self.base}{within}/{self.resource}" + (f"/{name}" if name else "")


class Kinds:
    """The kinds of one server, asked for once per API version, and again where a kind is not among them.

    ``request`` sends a request, as `DynamicClient.request` does, and raises what comes in the place of an answer.
    """

    def __init__(self, request: Callable[..., Any]) -> None:
        self._request = request
        self._lock = threading.Lock()
        self._known: dict[str, dict[str, ApiKind]] = {}

    def find(self, api_version: str, kind: str) -> ApiKind | None:
        """The kind, or None where the server has none of this name."""
        known = self._known.get(api_version, {}).get(kind)
        if known is not None:
            return known
        with self._lock:
            # Another thread may have asked in the meantime; asking again is cheaper than to keep track of it.
            self._known[api_version] = self._ask(api_version)
            return self._known[api_version].get(kind)

    def versions(self) -> list[str]:
        """All API versions, as `v1` and `apps/v1`."""
        core = self._get("/api").get("versions", [])
        groups = self._get("/apis").get("groups", [])
        return [*core, *(version["groupVersion"] for group in groups for version in group["versions"])]

    def deletable(self) -> list[tuple[str, str]]:
        """API version and kind of all that can be listed and deleted, each in the version that the server prefers."""
        groups = self._get("/apis").get("groups", [])
        return [
            (version, entry["kind"])
            for version in ("v1", *(group["preferredVersion"]["groupVersion"] for group in groups))
            for entry in self._resources(version)
            if "/" not in entry["name"] and {"list", "delete"} <= set(entry["verbs"])
        ]

    def _resources(self, api_version: str) -> list[dict[str, Any]]:
        """None of a version that went after it was listed, with the definition of its last kind."""
        try:
            found: list[dict[str, Any]] = self._get(_base(api_version)).get("resources", [])
        except ApiException as error:
            if error.status == HTTPStatus.NOT_FOUND:
                return []
            raise
        return found

    def _ask(self, api_version: str) -> dict[str, ApiKind]:
        base = _base(api_version)
        return {
            entry["kind"]: ApiKind(base, entry["name"], entry["namespaced"])
            for entry in self._get(base).get("resources", [])
            if "/" not in entry["name"]  # a subresource, such as pods/eviction
        }

    def _get(self, path: str) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self._request("get", path, serialize=False).data)
        return answer


def _base(api_version: str) -> str:
    return f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
