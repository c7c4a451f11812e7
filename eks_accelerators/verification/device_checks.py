"""Checks, and those among them that look at one node at a time: pods on it, and what is made of what they print."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.resolved_stack import ResolvedStack
from eks_accelerators.verification.check_pod import HOSTNAME, CheckPod, job
from eks_accelerators.verification.cluster import (
    ClusterState,
    KubernetesObject,
    allocatable_of,
    is_ready,
    labels_of,
    name_of,
)
from eks_accelerators.verification.findings import Subject, VerificationFinding
from eks_accelerators.verification.tasks import CheckTask, GangMaker, Images, PodOutput


class Level(StrEnum):
    """How much is looked at; each has what the one before has."""

    API = "api"
    QUICK = "quick"
    STANDARD = "standard"
    THOROUGH = "thorough"

    @property
    def rank(self) -> int:
        """Order of the levels: 0 for the one that looks least."""
        return list(Level).index(self)


@dataclass(frozen=True, slots=True)
class CheckedNode:
    """A node that is checked, what its group promises, and what is in the cluster. ``images`` are by their name in
    `charts-values/charts.yaml`.
    """

    group: ResolvedNodeGroup
    node: KubernetesObject
    state: ClusterState
    images: Images

    @property
    def name(self) -> str:
        """Name of the node in Kubernetes."""
        return str(self.node["metadata"]["name"])

    @property
    def hostname(self) -> str:
        """The value of its label, which need not be its name."""
        return labels_of(self.node).get(HOSTNAME, self.name)

    @property
    def subject(self) -> Subject:
        """The node as findings name it, with its group."""
        return Subject(f"{self.group.name} {self.name}", (self.name,))

    @property
    def gpus(self) -> int:
        """GPUs, or Neuron devices, of the type."""
        return self.group.type.accelerator.count

    def free(self, resource: str) -> int:
        """How much of a resource no pod has."""
        return max(0, allocatable_of(self.node).get(resource, 0) - self.state.requested(self.name)[resource])

    @property
    def users(self) -> Sequence[KubernetesObject]:
        """The pods that have any of its accelerators."""
        return self.state.users(self.name, [share.resource for share in self.group.shares])

    @property
    def taken(self) -> str:
        """Who has its accelerators, in words."""
        return _names(self.users)

    def holders(self, resource: str) -> str:
        """Who has any of a resource of the node, in words; empty where nobody has."""
        return _names(self.state.users(self.name, [resource]))

    @property
    def is_shared(self) -> bool:
        """Whether pods share its GPUs, or parts of them."""
        return self.group.sharing.replicas > 1 or self.group.sharing.mig is not None

    @property
    def is_whole_and_idle(self) -> bool:
        """Whether nobody has any of its accelerators, and none is shared."""
        return not self.is_shared and not self.group.is_claimed and not self.users

    @property
    def why_not_whole(self) -> str:
        """Why nothing may run that wants all accelerators of the node to itself."""
        if self.is_shared:
            return "its GPUs are shared: neighbours would fail, or falsify what is measured"
        if self.group.is_claimed:
            return "its GPUs are claimed, and this check does not claim"
        return f"it is not idle: {self.taken}"


def _names(pods: Sequence[KubernetesObject]) -> str:
    names = [name_of(pod) for pod in pods]
    return f"{names[0]} and {len(names) - 1} more" if len(names) > 1 else "".join(names)


@dataclass(frozen=True, slots=True)
class Scope:
    """What checks are about: the stack, what is in its cluster now, and what their pods are made of."""

    stack: ResolvedStack
    state: ClusterState
    images: Images
    gangs: GangMaker

    def nodes(self) -> list[CheckedNode]:
        """The nodes that can be checked: those that are ready."""
        return [
            CheckedNode(group, node, self.state, self.images)
            for group in self.stack.groups.values()
            for node in self.state.of_group(group.name)
            if is_ready(node)
        ]


class VerificationCheck(Protocol):
    """One check, whatever it is of. ``seconds`` it usually takes, images apart; ``code`` is that of what stays unknown."""

    @property
    def name(self) -> str:
        """Name of the check, which its Kubernetes objects have too."""
        ...

    @property
    def level(self) -> Level:
        """The least level that has it."""
        ...

    @property
    def means(self) -> str:
        """What holds of the cluster where the check passes, in words."""
        ...

    @property
    def code(self) -> str:
        """Code of what stays unknown where it cannot be made."""
        ...

    @property
    def seconds(self) -> int:
        """How long it usually takes, images apart."""
        ...

    def tasks(self, scope: Scope) -> Iterator[CheckTask | VerificationFinding]:
        """What it runs, and what is known without running anything."""
        ...


@dataclass(frozen=True, slots=True)
class CannotCheck:
    """A check that is for this node, and cannot be made now, and ``why``."""

    why: str


@dataclass(frozen=True, slots=True)
class DeviceCheck:
    """One check of a node.

    ``code`` is that of what stays unknown where it cannot be made. ``seconds`` it usually takes, images apart. ``plan`` says
    its pods, why it cannot be made now, or None for a node that it is not for. ``judge`` says what it found.
    ``asks_users``: the pods that have the node's accelerators are asked too, which of them they see.
    """

    name: str
    level: Level
    means: str
    code: str
    seconds: int
    plan: Callable[[CheckedNode], CheckPod | CannotCheck | None]
    judge: Callable[[CheckedNode, Sequence[PodOutput]], Iterator[VerificationFinding]]
    asks_users: bool = False

    def tasks(self, scope: Scope) -> Iterator[CheckTask | VerificationFinding]:
        """A Job on each node that it is for; a finding for each where it cannot be made now."""
        for node in scope.nodes():
            planned = self.plan(node)
            if isinstance(planned, CannotCheck):
                yield node.subject.not_verified(self.code, self.means, planned.why)
            elif planned is not None:
                yield self._task(node, planned)

    def _task(self, node: CheckedNode, pod: CheckPod) -> CheckTask:
        return CheckTask(
            node.subject,
            self.code,
            self.means,
            # Where its pods would have nothing, those of others are asked alone.
            job(self.name, node.name, node.hostname, pod) if pod.copies else None,
            lambda outputs: self.judge(node, outputs),
            pods=pod.copies,
            seconds=pod.seconds,
            objects=pod.objects,
            users=tuple(node.users) if self.asks_users else (),
        )
