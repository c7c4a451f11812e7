"""An API server without what a cluster held, as the next cluster begins: a simulation has one for all its clusters."""

import time
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from eks_accelerators.simulator.kubernetes.api import Api, ApiError

_PATIENCE_SECONDS = 150
"""Namespaces go when what is in them has gone: some seconds, and many times as long on a busy machine."""

_INTERVAL_SECONDS = 0.2

_NAMESPACES = ("default", "kube-node-lease", "kube-public", "kube-system")
_OWN = {
    "ConfigMap": (
        "kube-root-ca.crt",
        "kube-apiserver-legacy-service-account-token-tracking",
        "extension-apiserver-authentication",
    ),
    "Namespace": _NAMESPACES,
    "PriorityClass": ("system-cluster-critical", "system-node-critical"),
    "Service": ("kubernetes",),
    "ServiceAccount": ("default",),
}
"""What every new cluster has, by kind: the servers make it, and make it again where it is gone."""

_OWN_LABELS = ("kubernetes.io/bootstrapping", "kube-aggregator.kubernetes.io/automanaged")
_SERVERS_OWN = frozenset(
    {"Event", "Lease", "Endpoints", "EndpointSlice", "IPAddress", "ServiceCIDR", "FlowSchema"}
    | {"PriorityLevelConfiguration"}
)
"""Kinds that the servers keep for themselves, or that follow from others."""


def empty(api: Api) -> None:
    """Delete all that a new cluster does not have, and return when it is gone."""
    until = time.monotonic() + _PATIENCE_SECONDS
    while (left := list(leftovers(api))) and time.monotonic() < until:
        for obj in left:
            metadata = obj["metadata"]
            api.delete(obj["apiVersion"], obj["kind"], metadata["name"], metadata.get("namespace"), grace_seconds=0)
        time.sleep(_INTERVAL_SECONDS)


def leftovers(api: Api) -> Iterator[dict[str, Any]]:
    """All that a new cluster does not have. Of other namespaces only pods, which nobody ends when nodes are gone."""
    for api_version, kind in api.kinds():
        if kind not in _SERVERS_OWN:
            yield from (obj for obj in _all(api, api_version, kind) if not _is_own(obj) and not _goes_along(obj))


def _all(api: Api, api_version: str, kind: str) -> list[dict[str, Any]]:
    """None of a kind that went after the kinds were listed, with its definition."""
    try:
        return api.list(api_version, kind)
    except ApiError as error:
        if error.status == HTTPStatus.NOT_FOUND:
            return []
        raise


def _is_own(obj: dict[str, Any]) -> bool:
    metadata = obj["metadata"]
    labels = metadata.get("labels", {})
    return metadata["name"] in _OWN.get(obj["kind"], ()) or any(label in labels for label in _OWN_LABELS)


def _goes_along(obj: dict[str, Any]) -> bool:
    """Whether a namespace that is deleted takes the object with it."""
    namespace = obj["metadata"].get("namespace")
    return namespace is not None and namespace not in _NAMESPACES and obj["kind"] != "Pod"
