"""Collective communication between nodes: the test of the workload `collectiveTest`, on idle whole nodes of one group.

Nodes are measured in as many at a time as somebody else has measured of their type, or in pairs, so that every idle node has
its turn.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from eks_accelerators.accelerators.collective_bandwidth import MeasuredBandwidth, measured
from eks_accelerators.settings.collective_nodes import why_not_between
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.verification import nccl_tests, nccom_test
from eks_accelerators.verification.bandwidth_findings import bandwidth_finding
from eks_accelerators.verification.check_pod import CHECK_LABEL, HOSTNAME, MANAGED, NAMESPACE, Manifest
from eks_accelerators.verification.device_checks import CheckedNode, Level, Scope
from eks_accelerators.verification.findings import Subject, VerificationFinding
from eks_accelerators.verification.tasks import CheckTask, GangManifests, PodOutput

_CODE, _OVER_EFA = "network-bandwidth", "network-over-efa"
_MOST_TRIED = 4
"""Nodes of the largest measurement that is looked for."""

_LARGEST_BYTES = 2**34
_USUAL_MIB, _WITHOUT_EFA_MIB = 1024, 256
"""Largest message where nobody has measured a type; without EFA it would take minutes."""

_DEADLINE_SECONDS = 2400
"""The pull of an image of 10 GB is in it, and that nodes wait for each other."""


@dataclass(frozen=True, slots=True)
class NetworkCheck:
    """The check of bandwidth between nodes of a group."""

    name: str = "between-nodes"
    level: Level = Level.THOROUGH
    means: str = "nodes of a group exchange data as fast as others measured, over EFA where they have it"
    code: str = _CODE
    seconds: int = 240

    def tasks(self, scope: Scope) -> Iterator[CheckTask | VerificationFinding]:
        """A Job for each set of idle whole nodes of a group."""
        number = 0
        for group in scope.stack.groups.values():
            nodes = [node for node in scope.nodes() if node.group.name == group.name]
            if len(nodes) < 2:
                continue  # one node has no other to exchange data with
            idle = [node for node in nodes if node.is_whole_and_idle]
            if (why := _why_not(group, nodes, idle)) is not None:
                yield Subject(group.name, tuple(node.name for node in nodes)).not_verified(_CODE, self.means, why)
                continue
            known = _known(group, len(idle))
            for wave, set_ in sets_of(idle, known.nodes if known else 2):
                yield _task(scope, f"network-{number}", set_, known, wave, self.means)
                number += 1


def _why_not(group: ResolvedNodeGroup, nodes: Sequence[CheckedNode], idle: Sequence[CheckedNode]) -> str | None:
    if group.type.neuron and (why := why_not_between(group)) is not None:
        return why
    if len(idle) < 2:
        busy = next(node for node in nodes if not node.is_whole_and_idle)
        return (
            f"{len(idle)} of {len(nodes)} nodes are whole and idle, and it takes two: {busy.name}: {busy.why_not_whole}"
        )
    return None


def _known(group: ResolvedNodeGroup, nodes: int) -> MeasuredBandwidth | None:
    """What was measured on the fewest nodes of the type, of as many as are there."""
    if not group.has_efa:
        return None  # all of it was measured over EFA
    found = (measured(group.type.name, count) for count in range(2, min(nodes, _MOST_TRIED) + 1))
    return next((each for each in found if each), None)


def sets_of(nodes: Sequence[CheckedNode], size: int) -> Iterator[tuple[int, Sequence[CheckedNode]]]:
    """Sets of ``size`` nodes, each node in one at least; a set of nodes that had their turn comes in a second wave."""
    whole = len(nodes) // size * size
    for start in range(0, whole, size):
        yield 0, nodes[start : start + size]
    if whole < len(nodes):
        yield 1, nodes[-size:]


def _task(
    scope: Scope, name: str, nodes: Sequence[CheckedNode], known: MeasuredBandwidth | None, wave: int, means: str
) -> CheckTask:
    group = nodes[0].group
    names = tuple(node.name for node in nodes)
    subject = Subject(f"{group.name} {' and '.join(names)}", names)
    made = scope.gangs(name, group, nodes=len(nodes), largest_mib=largest_mib(group, known), namespace=NAMESPACE)
    return CheckTask(
        subject,
        _CODE,
        means,
        _job(name, made, [node.hostname for node in nodes]),
        lambda outputs: _judge(subject, group, known, outputs),
        pods=len(nodes),
        seconds=_DEADLINE_SECONDS,
        objects=made.objects,
        wave=wave,
    )


def largest_mib(group: ResolvedNodeGroup, known: MeasuredBandwidth | None) -> int:
    """Largest message that is measured: the largest of somebody else that is not too long."""
    if known is None:
        return _USUAL_MIB if group.has_efa else _WITHOUT_EFA_MIB
    sizes = [size for size in known.bus_gb_per_second if size <= _LARGEST_BYTES]
    return max(sizes, default=min(known.bus_gb_per_second)) // 2**20


def _job(name: str, made: GangManifests, hostnames: Sequence[str]) -> Manifest:
    """The Job with its pods on these nodes alone, found and removed as those of every other check."""
    template = made.spec["template"]
    labels = {**template["metadata"]["labels"], **MANAGED, CHECK_LABEL: "between-nodes"}
    chosen = [{"matchExpressions": [{"key": HOSTNAME, "operator": "In", "values": list(hostnames)}]}]
    affinity = {
        **template["spec"].get("affinity", {}),
        "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": chosen}},
    }
    pod = {**template["spec"], "affinity": affinity}
    spec = {
        **made.spec,
        "activeDeadlineSeconds": _DEADLINE_SECONDS,
        "template": {**template, "metadata": {**template["metadata"], "labels": labels}, "spec": pod},
    }
    metadata = {"name": name, "namespace": NAMESPACE, "labels": labels}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}


def _judge(
    subject: Subject, group: ResolvedNodeGroup, known: MeasuredBandwidth | None, pods: Sequence[PodOutput]
) -> Iterator[VerificationFinding]:
    """All pods have lines of NCCL; the first has the table. Of the network Neuron's tool says nothing, which knows EFA alone."""
    parse = nccom_test.parse_table if group.type.neuron else nccl_tests.parse
    run = parse("\n".join(pod.log for pod in pods))
    if group.has_efa and not group.type.neuron:
        yield _over_efa(subject, run.over_efa, gpu_direct=run.gpu_direct)
    said = next((pod.why for pod in pods if pod.why), "") or " / ".join(pods[0].log.split("\n")[-3:]).strip()
    yield bandwidth_finding(subject, _CODE, run, known, None, said or "it printed nothing")


def _over_efa(subject: Subject, over_efa: bool | None, *, gpu_direct: bool | None) -> VerificationFinding:
    expected = "NCCL selects the provider efa on every rank"
    if over_efa is None:
        return subject.not_verified(_OVER_EFA, expected, "NCCL's log does not say which network it took")
    way = {True: ", from GPU to GPU", False: ", by the memory of the host", None: ""}[gpu_direct]
    found = f"EFA{way}" if over_efa else "it falls back to TCP sockets"
    return subject.judged(_OVER_EFA, expected, found, holds=over_efa)
