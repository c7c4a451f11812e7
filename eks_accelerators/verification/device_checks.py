"""The checks that run on nodes: each one entry of `CHECKS`, with its level, its pods, and what it makes of what they print."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from eks_accelerators.settings.resolved import ResolvedNodeGroup
from eks_accelerators.verification.check_pod import CheckPod
from eks_accelerators.verification.cluster import ClusterState, KubernetesObject, allocatable_of, name_of
from eks_accelerators.verification.findings import Subject, VerificationFinding


class Level(StrEnum):
    """How much is looked at; each has what the one before has."""

    API = "api"
    QUICK = "quick"
    STANDARD = "standard"
    THOROUGH = "thorough"

    @property
    def rank(self) -> int:
        """0 for the least."""
        return list(Level).index(self)


@dataclass(frozen=True, slots=True)
class CheckedNode:
    """A node that is checked, what its group promises, and what is in the cluster. ``images`` are by their name in
    `charts-values/charts.yaml`.
    """

    group: ResolvedNodeGroup
    node: KubernetesObject
    state: ClusterState
    images: Mapping[str, str]

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.node["metadata"]["name"])

    @property
    def subject(self) -> Subject:
        """For findings."""
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
        names = [name_of(pod) for pod in self.users]
        return f"{names[0]} and {len(names) - 1} more" if len(names) > 1 else "".join(names)

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


@dataclass(frozen=True, slots=True)
class PodOutput:
    """What became of one pod: what it printed, or ``why`` there is nothing. ``succeeded``: its programs ended well."""

    pod: str
    log: str
    succeeded: bool = True
    why: str = ""


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


def findings_of(check: DeviceCheck, node: CheckedNode, outputs: Sequence[PodOutput]) -> list[VerificationFinding]:
    """What a check found; unknown where none of its pods has printed anything."""
    dark = [each for each in outputs if each.why]
    if outputs and len(dark) == len(outputs):
        return [node.subject.not_verified(check.code, check.means, f"{dark[0].pod}: {dark[0].why}")]
    return list(check.judge(node, outputs))
