"""The namespace that a verification works in: there for as long as it runs, and gone at the end, whatever ends it."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from eks_accelerators.verification.check_pod import MANAGED, NAMESPACE, namespace
from eks_accelerators.verification.cluster import AskedCluster, ClusterError, KubernetesObject

ALIVE = "eks-accelerators/alive-until"
"""Annotation of the namespace: who made it is at work until then, and says so again before it is over."""

_OWNER = "eks-accelerators/verification"
"""Annotation that tells one verification from another."""

_ALIVE_SECONDS, _RENEW_SECONDS = 90, 30
_STEP_SECONDS = 0.5
_GONE_SECONDS = 120


class AnotherVerificationError(Exception):
    """Another verification is under way in the cluster."""


@dataclass(slots=True)
class Space:
    """The namespace. ``tell`` is told what is under way, ``note`` what is worth keeping; nothing is interrupted while it is
    ``shielded``.
    """

    cluster: AskedCluster
    tell: Callable[[str], None]
    note: Callable[[str], None] = lambda _text: None
    shielded: Callable[[], AbstractContextManager[None]] = nullcontext
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    _renewed: float = field(default=0.0)

    @contextmanager
    def made(self) -> Iterator[None]:
        """The namespace, from here to the end of the block, whatever ends it."""
        self.tell("making room")
        if remove_leftovers(self.cluster, self.now(), self.tell):
            self.note(f"removed the namespace {NAMESPACE}, which a verification that was killed had left")
        made, mark = namespace(), uuid4().hex
        made["metadata"]["annotations"] = {ALIVE: self._until(), _OWNER: mark}
        self._renewed = time.monotonic()
        try:
            try:
                self.cluster.create("namespaces", made)
            except ClusterError as error:
                if error.status == 409:
                    raise AnotherVerificationError(_other(self.cluster)) from None
                raise
            # Nobody else is at work from here on: what is elsewhere was left by one that was killed.
            remove_jobs(self.cluster)
            yield
        finally:
            with self.shielded():
                self.tell("cleaning up")
                if any(_annotation(space, _OWNER) == mark for space in _spaces(self.cluster)):
                    try:
                        remove_jobs(self.cluster)
                    finally:
                        self.cluster.delete("namespaces", NAMESPACE)

    def renew(self) -> None:
        """Say again that it is at work, where it is time to."""
        if time.monotonic() - self._renewed > _RENEW_SECONDS:
            self._renewed = time.monotonic()
            self.cluster.annotate("namespaces", NAMESPACE, {ALIVE: self._until()})

    def _until(self) -> str:
        return (self.now() + timedelta(seconds=_ALIVE_SECONDS)).isoformat(timespec="seconds")


_LABELLED = ",".join(f"{key}={value}" for key, value in MANAGED.items())


def remove_jobs(cluster: AskedCluster) -> None:
    """Delete the Jobs of a verification that are in the namespaces of workloads, where volumes are claimed."""
    try:
        found = cluster.list("jobs", "", _LABELLED)
    except ClusterError as error:
        if error.status == 403:
            return  # who may not look at other namespaces has made nothing there
        raise
    for each in found:
        if each["metadata"]["namespace"] != NAMESPACE:
            cluster.delete("jobs", each["metadata"]["name"], each["metadata"]["namespace"])


def remove_leftovers(cluster: AskedCluster, now: datetime, tell: Callable[[str], None]) -> bool:
    """Remove what a verification has left that was killed, found by its label. Returns whether there was any, not deleted yet.

    Raises `AnotherVerificationError` where one is under way.
    """
    found = _spaces(cluster)
    left = [space for space in found if "deletionTimestamp" not in space["metadata"]]
    for space in left:
        if _alive_until(space) > now:
            raise AnotherVerificationError(_other(cluster))
        tell("removing what another verification has left")
        cluster.delete("namespaces", space["metadata"]["name"])
    end = time.monotonic() + _GONE_SECONDS
    while found and _spaces(cluster):
        if time.monotonic() > end:
            raise ClusterError(f"the namespace {NAMESPACE} is still there after {_GONE_SECONDS} s")
        time.sleep(_STEP_SECONDS)
    return bool(left)


def _spaces(cluster: AskedCluster) -> Sequence[KubernetesObject]:
    return cluster.list("namespaces", "", _LABELLED)


def _annotation(obj: KubernetesObject, name: str) -> str:
    return str((obj["metadata"].get("annotations") or {}).get(name, ""))


def _alive_until(space: KubernetesObject) -> datetime:
    try:
        return datetime.fromisoformat(_annotation(space, ALIVE)).astimezone(UTC)
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)


def _other(cluster: AskedCluster) -> str:
    until = next((f"{_alive_until(space):%H:%M:%S} UTC" for space in _spaces(cluster)), "soon")
    return (
        f"another verification is under way in this cluster: the namespace {NAMESPACE} says so until {until}; "
        "wait for it, and after a crash until then"
    )
