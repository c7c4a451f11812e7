"""What the engine's journal makes of the deployment before it.

Source: Pulumi 3.250.0, `sdk/go/common/apitype/journal.go` and `pkg/backend/journal.go` (`JournalReplayer`), read 2026-11-23.
"""

import hashlib
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from enum import IntEnum
from typing import Any

from eks_accelerators.simulator.state.references import Resource, renamed, without_dangling

VERSION = 1
"""Of the entries."""


class EntryKind(IntEnum):
    """What an entry says."""

    BEGIN = 0
    SUCCESS = 1
    FAILURE = 2
    REFRESH_SUCCESS = 3
    OUTPUTS = 4
    WRITE = 5
    SECRETS_MANAGER = 6
    REBUILT_BASE_STATE = 7
    EXTENSION_PARAMETERIZE = 8
    SNIPPETS = 9


class UnknownEntryError(ValueError):
    """An entry of a kind or version that is not known; the message says which."""


_PLAIN, _WITH_FEATURES = 3, 4
"""Versions of a deployment's schema."""

_FEATURES = {
    "refreshBeforeUpdate": "refreshBeforeUpdate",
    "viewOf": "views",
    "resourceHooks": "hooks",
    "taint": "taint",
    "replaceWith": "replaceWith",
    "extensionRef": "extensionParameterization",
}
"""What an engine must know to read a resource that has such a key."""


class Replay:
    """A deployment, and the journal of what is done to it.

    Entries are taken in the order in which they come: the engine begins nothing that depends on an entry before that one
    is acknowledged. They name resources of the deployment by their index, and those that the journal made by the
    operation that made them. An entry that is sent again, as its acknowledgement was lost, changes nothing.
    """

    def __init__(self, base: Mapping[str, Any] | None, version: str) -> None:
        """``version`` is that of the CLI, such as `v3.250.0`."""
        self._base: dict[str, Any] = dict(base or {})
        self.version = version
        self._taken: set[int] = set()
        self._refreshed = False
        self._forget()

    def _forget(self) -> None:
        self._removed: set[int] = set()
        self._to_be_deleted: set[int] = set()
        self._to_be_replaced: set[int] = set()
        self._exchanged: dict[int, Resource] = {}
        self._made: dict[int, Resource] = {}
        self._begun: dict[int, Mapping[str, Any]] = {}
        self._extensions: dict[str, Any] = {}

    def check(self, entries: Iterable[Mapping[str, Any]]) -> None:
        """Raise `UnknownEntryError` where one is not known."""
        for entry in entries:
            if entry["version"] != VERSION or entry["kind"] not in iter(EntryKind):
                raise UnknownEntryError(f"an entry of version {entry['version']} and kind {entry['kind']}")

    def add(self, entries: Iterable[Mapping[str, Any]]) -> None:
        """Take known entries."""
        for entry in entries:
            if entry["sequenceID"] not in self._taken:
                self._taken.add(entry["sequenceID"])
                self._take(entry)

    def _take(self, entry: Mapping[str, Any]) -> None:
        match entry["kind"]:
            case EntryKind.BEGIN:
                self._begun[entry["operationID"]] = entry.get("operation") or {}
            case EntryKind.SUCCESS:
                self._succeed(entry)
            case EntryKind.REFRESH_SUCCESS:
                self._refresh(entry)
            case EntryKind.FAILURE:
                self._begun.pop(entry["operationID"], None)
            case EntryKind.OUTPUTS:
                self._exchange(entry)
            case EntryKind.WRITE:
                self._base = dict(entry["newSnapshot"])
            case EntryKind.SECRETS_MANAGER:
                self._base["secrets_providers"] = entry.get("secretsProvider")
            case EntryKind.SNIPPETS:
                self._base["snippets"] = entry.get("snippets")
            case EntryKind.EXTENSION_PARAMETERIZE:
                self._extensions[entry["extensionRef"]] = entry["extension"]
            case EntryKind.REBUILT_BASE_STATE:
                self._base = self.deployment()
                self._forget()

    def _succeed(self, entry: Mapping[str, Any]) -> None:
        self._begun.pop(entry["operationID"], None)
        if state := entry.get("state"):
            self._made[entry["operationID"]] = state
        self._remove(entry)
        for key, marked, mark in (
            ("delete", self._to_be_deleted, "delete"),
            ("pendingReplacement", self._to_be_replaced, "pendingReplacement"),
        ):
            if (old := entry.get(f"{key}Old")) is not None:
                marked.add(old)
            if (new := entry.get(f"{key}New")) in self._made:
                self._made[new] = {**self._made[new], mark: True}
        self._refreshed |= bool(entry.get("isRefresh"))

    def _refresh(self, entry: Mapping[str, Any]) -> None:
        self._begun.pop(entry["operationID"], None)
        self._refreshed = True
        if entry.get("state"):
            self._exchange(entry)
        else:
            self._remove(entry)

    def _remove(self, entry: Mapping[str, Any]) -> None:
        if (old := entry.get("removeOld")) is not None:
            self._removed.add(old)
        self._made.pop(entry.get("removeNew") or 0, None)

    def _exchange(self, entry: Mapping[str, Any]) -> None:
        state = entry["state"]
        if (old := entry.get("removeOld")) is not None:
            self._exchanged[old] = state
        if (new := entry.get("removeNew")) in self._made:
            self._made[new] = state

    def deployment(self) -> dict[str, Any]:
        """The deployment by now, with what has begun and not ended as `pending_operations`."""
        resources = [*self._made.values(), *self._left()]
        if self._refreshed:
            resources = without_dangling(resources)
        before = self._base.get("pending_operations") or ()
        # A creation of which nobody knows what came of it stays until somebody says so (`refresh`).
        pending = [
            *(each for each in self._begun.values() if each),
            *(each for each in before if each["type"] == "creating"),
        ]
        found = {
            "manifest": {
                "time": datetime.now(UTC).isoformat(),
                "magic": hashlib.sha256(self.version.encode()).hexdigest(),
                "version": self.version,
            },
            "secrets_providers": self._base.get("secrets_providers"),
            "resources": renamed(resources),
            "pending_operations": pending,
            "metadata": self._base.get("metadata") or {},
            "snippets": self._base.get("snippets"),
            "extensions": {**self._extensions, **(self._base.get("extensions") or {})},
        }
        return {key: value for key, value in found.items() if value or key == "metadata"}

    def _left(self) -> Iterable[Resource]:
        """Resources of the deployment before that the journal has not made anew."""
        for index, resource in enumerate(self._base.get("resources") or ()):
            if index in self._removed:
                continue
            if index in self._exchanged:
                yield self._exchanged[index]
                continue
            marks = {"delete": index in self._to_be_deleted, "pendingReplacement": index in self._to_be_replaced}
            yield {**resource, **{mark: True for mark, marked in marks.items() if marked}}


def features(deployment: Mapping[str, Any]) -> list[str]:
    """What an engine must know to read the deployment."""
    pending = (each["resource"] for each in deployment.get("pending_operations") or ())
    found = {
        feature
        for resource in (*(deployment.get("resources") or ()), *pending)
        for key, feature in _FEATURES.items()
        if resource.get(key)
    }
    return sorted(found | ({"snippets-prototype"} if deployment.get("snippets") else set()))


def schema_version(needed: Iterable[str]) -> int:
    """Of a deployment whose reader must know the features ``needed``."""
    return _WITH_FEATURES if any(needed) else _PLAIN
