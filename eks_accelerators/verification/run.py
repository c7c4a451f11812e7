"""One verification: what the API says, then the checks on nodes, in a namespace of their own that is gone at the end."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from eks_accelerators.settings.resolved_stack import ResolvedStack
from eks_accelerators.verification import nvidia_smi
from eks_accelerators.verification.api_checks import api_findings
from eks_accelerators.verification.check_pod import HOSTNAME, MANAGED, NAMESPACE, CheckPod, job, namespace
from eks_accelerators.verification.checks import checks_of
from eks_accelerators.verification.cluster import (
    AskedCluster,
    ClusterError,
    ClusterState,
    KubernetesObject,
    is_ready,
    labels_of,
    look,
    name_of,
    phase_of,
    why_waiting,
)
from eks_accelerators.verification.device_checks import (
    CannotCheck,
    CheckedNode,
    DeviceCheck,
    Level,
    PodOutput,
    findings_of,
)
from eks_accelerators.verification.findings import VerificationFinding, by_cause
from eks_accelerators.verification.servers import server_findings

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
class Verification:
    """What is needed for one. ``images`` are by their name in `charts-values/charts.yaml`.

    ``tell`` is told what is under way. ``unscheduled_seconds`` a pod of a check may wait for its node. Nothing is interrupted
    while it is ``shielded``.
    """

    stack: ResolvedStack
    cluster: AskedCluster
    images: Mapping[str, str]
    level: Level = Level.QUICK
    tell: Callable[[str], None] = lambda _text: None
    unscheduled_seconds: float = 60.0
    shielded: Callable[[], AbstractContextManager[None]] = nullcontext
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    _renewed: float = field(default=0.0)

    def findings(self) -> list[VerificationFinding]:
        """Everything that is found, one finding for each cause. Raises `ClusterError` and `AnotherVerificationError`."""
        self.tell("asking the API")
        state = look(self.cluster)
        found = list(api_findings(self.stack, state))
        if self.level is Level.API:
            return by_cause(found)
        with self._space():
            for check in checks_of(self.level):
                found += self._checked(check)
        self.tell("asking the servers")
        found += server_findings(self.stack, state, self.cluster)
        return by_cause(found)

    def nodes(self, state: ClusterState) -> list[CheckedNode]:
        """The nodes that can be checked: those that are ready."""
        return [
            CheckedNode(group, node, state, self.images)
            for group in self.stack.groups.values()
            for node in state.of_group(group.name)
            if is_ready(node)
        ]

    def _checked(self, check: DeviceCheck) -> list[VerificationFinding]:
        """One check on all nodes at a time."""
        found: list[VerificationFinding] = []
        begun: list[tuple[CheckedNode, CheckPod, str]] = []
        for node in self.nodes(look(self.cluster)):
            planned = check.plan(node)
            if isinstance(planned, CannotCheck):
                found.append(node.subject.not_verified(check.code, check.means, planned.why))
            elif planned is not None:
                begun.append((node, planned, self._begin(check, node, planned)))
        for node, pod, name in begun:
            self.tell(f"{check.name} on {node.name}")
            outputs = self._outputs(name, pod) if name else []
            if check.asks_users:
                outputs += [self._asked(user) for user in node.users]
            found += findings_of(check, node, outputs)
        return found

    def _begin(self, check: DeviceCheck, node: CheckedNode, pod: CheckPod) -> str:
        """Create the Job; returns its name, empty where there is nothing to run."""
        if not pod.copies:
            return ""
        hostname = labels_of(node.node).get(HOSTNAME, node.name)
        made = self.cluster.create("jobs", job(check.name, node.name, hostname, pod))
        return str(made["metadata"]["name"])

    def _outputs(self, name: str, pod: CheckPod) -> list[PodOutput]:
        """Wait until all pods of a Job have ended, and read what they printed."""
        began = time.monotonic()
        while True:
            self._renew()
            pods = self.cluster.list("pods", NAMESPACE, f"batch.kubernetes.io/job-name={name}")
            waited = time.monotonic() - began
            over = waited > pod.seconds
            lost = waited > self.unscheduled_seconds and any(not each["spec"].get("nodeName") for each in pods)
            ended = [each for each in pods if phase_of(each) in ("Succeeded", "Failed")]
            if over or lost or (len(ended) == len(pods) >= pod.copies):
                break
            time.sleep(_STEP_SECONDS)
        found = [self._output(each) for each in pods]
        self.cluster.delete("jobs", name, NAMESPACE)
        return found or [PodOutput(name, "", succeeded=False, why="its Job has made no pod")]

    def _output(self, pod: KubernetesObject) -> PodOutput:
        name, phase = str(pod["metadata"]["name"]), phase_of(pod)
        if phase not in ("Succeeded", "Failed"):
            return PodOutput(name, "", succeeded=False, why=why_waiting(pod) or "it has not ended in time")
        try:
            log = self.cluster.log(NAMESPACE, name)
        except ClusterError as error:
            return PodOutput(name, "", succeeded=False, why=f"its log cannot be read: {error}")
        if not log and phase == "Failed":
            return PodOutput(name, "", succeeded=False, why=why_waiting(pod))
        return PodOutput(name, log, succeeded=phase == "Succeeded")

    def _asked(self, pod: KubernetesObject) -> PodOutput:
        """Which devices a pod of somebody else has: it is asked, and nothing in it is changed."""
        metadata, container = pod["metadata"], _with_device(pod)
        if not is_ready(pod):
            return PodOutput(name_of(pod), "", succeeded=False, why=f"it is not ready: {why_waiting(pod)}")
        try:
            log = self.cluster.execute(metadata["namespace"], metadata["name"], container, nvidia_smi.LIST)
        except ClusterError as error:
            return PodOutput(name_of(pod), "", succeeded=False, why=f"it cannot be asked: {error}")
        return PodOutput(name_of(pod), log)

    @contextmanager
    def _space(self) -> Iterator[None]:
        """The namespace, from here to the end of the block, whatever ends it."""
        self.tell("making room")
        remove_leftovers(self.cluster, self.now(), self.tell)
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
            yield
        finally:
            with self.shielded():
                self.tell("cleaning up")
                if any(_annotation(space, _OWNER) == mark for space in _spaces(self.cluster)):
                    self.cluster.delete("namespaces", NAMESPACE)

    def _renew(self) -> None:
        if time.monotonic() - self._renewed > _RENEW_SECONDS:
            self._renewed = time.monotonic()
            self.cluster.annotate("namespaces", NAMESPACE, {ALIVE: self._until()})

    def _until(self) -> str:
        return (self.now() + timedelta(seconds=_ALIVE_SECONDS)).isoformat(timespec="seconds")


def remove_leftovers(cluster: AskedCluster, now: datetime, tell: Callable[[str], None] = lambda _text: None) -> bool:
    """Remove what a verification has left that was killed, found by its label. Returns whether there was any.

    Raises `AnotherVerificationError` where one is under way.
    """
    found = _spaces(cluster)
    for space in found:
        if "deletionTimestamp" not in space["metadata"]:
            if _alive_until(space) > now:
                raise AnotherVerificationError(_other(cluster))
            tell("removing what another verification has left")
            cluster.delete("namespaces", space["metadata"]["name"])
    end = time.monotonic() + _GONE_SECONDS
    while found and _spaces(cluster):
        if time.monotonic() > end:
            raise ClusterError(f"the namespace {NAMESPACE} is still there after {_GONE_SECONDS} s")
        time.sleep(_STEP_SECONDS)
    return bool(found)


def _spaces(cluster: AskedCluster) -> Sequence[KubernetesObject]:
    return cluster.list("namespaces", "", ",".join(f"{key}={value}" for key, value in MANAGED.items()))


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


def _with_device(pod: KubernetesObject) -> str:
    """The container that asks for an extended resource."""
    containers = pod["spec"]["containers"]
    for container in containers:
        if any("/" in name for name in (container.get("resources") or {}).get("requests") or {}):
            return str(container["name"])
    return str(containers[0]["name"])
