"""What Reloader does: the pods of a Deployment are replaced when a Secret that it names has changed.

Source: stakater/Reloader v1.4.21, `internal/pkg/controller`, `internal/pkg/handler/upgrade.go` (strategy `annotations`: a strategic merge
patch of the pod template) and `internal/pkg/options/flags.go`; read 2026-11-22. As there, a Secret that is made sets nothing in motion, and
what changed while the program was away is missed. Jobs are left alone, as the values of the chart say. Left out: every other
annotation, ConfigMaps, DaemonSets and StatefulSets, and events.
"""

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from eks_accelerators.simulator.kubernetes.api import Api
from eks_accelerators.simulator.kubernetes.objects import Manifest

NAMES = "secret.reloader.stakater.com/reload"
LAST = "reloader.stakater.com/last-reloaded-from"

_NAMESPACES = "--namespaces="

_Key = tuple[str, str]


class Reloads:
    """What the program remembers of secrets from pass to pass: a digest of each, by namespace and name."""

    def __init__(self) -> None:
        self._known: dict[_Key, str] = {}

    def sync(self, api: Api, pods: Iterable[Manifest], now: datetime) -> None:
        """One pass over the secrets of the namespaces that its ``pods`` watch."""
        watched = _watched(pods)
        if not watched:
            self._known.clear()
            return
        listed = (each for space in watched for each in api.list("v1", "Secret", space, remembered=True))
        found = {_key(each): _digest(each.get("data", {})) for each in listed}
        changed = {key for key, digest in found.items() if self._known.get(key, digest) != digest}
        for deployment in api.list("apps/v1", "Deployment", remembered=True) if changed else []:
            for key in sorted(changed):
                if key[0] == deployment["metadata"]["namespace"] and key[1] in named(deployment):
                    _reload(api, deployment, key[1], found[key], now)
        self._known = found

    def forget(self) -> None:
        """Forget what is known of objects, when the cluster is replaced."""
        self._known.clear()


def named(deployment: Manifest) -> list[str]:
    """The Secrets that a Deployment names."""
    annotations = deployment["metadata"].get("annotations") or {}
    return [name.strip() for name in annotations.get(NAMES, "").split(",") if name.strip()]


def _watched(pods: Iterable[Manifest]) -> frozenset[str]:
    """The namespaces that the program watches, as its arguments say."""
    arguments = [argument for pod in pods for argument in pod["spec"]["containers"][0].get("args", [])]
    listed = [argument.removeprefix(_NAMESPACES) for argument in arguments if argument.startswith(_NAMESPACES)]
    return frozenset(name for each in listed for name in each.split(","))


def _reload(api: Api, deployment: Manifest, secret: str, digest: str, now: datetime) -> None:
    metadata, pod = deployment["metadata"], deployment["spec"]["template"]["spec"]
    source: dict[str, Any] = {
        "type": "SECRET",
        "name": secret,
        "namespace": metadata["namespace"],
        "hash": digest,
        "containerRefs": [pod["containers"][0]["name"]],
        "observedAt": int(now.timestamp()),
    }
    change = {"spec": {"template": {"metadata": {"annotations": {LAST: json.dumps(source)}}}}}
    api.patch("apps/v1", "Deployment", metadata["name"], metadata["namespace"], change)


def _key(obj: Manifest) -> _Key:
    return obj["metadata"]["namespace"], obj["metadata"]["name"]


def _digest(data: Mapping[str, str]) -> str:
    """As the program has it: nobody reads a long random token out of that."""
    texts = sorted(f"{key}={base64.b64decode(value).decode(errors='replace')}" for key, value in data.items())
    return hashlib.sha1(";".join(texts).encode(), usedforsecurity=False).hexdigest()
