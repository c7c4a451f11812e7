"""What checks run in a cluster, as values: the objects of one Job, and what is made of what its pods print."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.verification.check_pod import Manifest
from eks_accelerators.verification.cluster import KubernetesObject
from eks_accelerators.verification.findings import Subject, VerificationFinding


@dataclass(frozen=True, slots=True)
class PodOutput:
    """What became of one pod: what it printed, or ``why`` there is nothing."""

    pod: str
    log: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class CheckTask:
    """One Job of ``pods`` pods that may last for ``seconds``, and the ``objects`` that it needs first, each with its plural kind.

    ``judge`` says what it found; where no pod has printed anything, ``code`` is not verified, which ``expected`` is of.
    ``users`` are pods of others that are asked too which devices they see. ``job`` is None where they are asked alone.
    Tasks of one ``wave`` run at a time.
    """

    subject: Subject
    code: str
    expected: str
    job: Manifest | None
    judge: Callable[[Sequence[PodOutput]], Iterator[VerificationFinding]]
    pods: int = 1
    seconds: int = 600
    objects: tuple[tuple[str, Manifest], ...] = ()
    users: tuple[KubernetesObject, ...] = ()
    wave: int = 0

    def findings(self, outputs: Sequence[PodOutput]) -> list[VerificationFinding]:
        """What it found; unknown where none of its pods has printed anything."""
        dark = [each for each in outputs if each.why]
        if outputs and len(dark) == len(outputs):
            return [self.subject.not_verified(self.code, self.expected, f"{dark[0].pod}: {dark[0].why}")]
        return list(self.judge(outputs))


@dataclass(frozen=True, slots=True)
class GangManifests:
    """Pods on several nodes that work as one: the ``spec`` of their Job, and what that needs first, by plural kind."""

    spec: Manifest
    objects: tuple[tuple[str, Manifest], ...]


class GangMaker(Protocol):
    """Who makes the pods that measure between nodes: the same as those of the workload that does."""

    def __call__(
        self, name: str, group: ResolvedNodeGroup, *, nodes: int, largest_mib: int, namespace: str
    ) -> GangManifests:
        """One pod for each of ``nodes`` nodes of ``group``, in a Job called ``name``; messages of ``largest_mib`` MiB at most."""
        ...


Images = Mapping[str, str]
"""Container images by their name in `charts-values/charts.yaml`."""
