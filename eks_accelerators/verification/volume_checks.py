"""The volumes that workloads mount: whether a pod as theirs can write and read there, and how fast.

The pod is in the namespace of the workload, where the volume is claimed, runs as the workload's own pods do, and is as
Pod Security wants it at its strictest. It writes one file in a folder of its own and removes it; what is mounted read-only is
only read.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eks_accelerators.settings.model.storage import NodeCache, S3Bucket, Storage
from eks_accelerators.settings.model.workload import StorageUse
from eks_accelerators.settings.resolved_stack import StackWorkload
from eks_accelerators.settings.storage_throughput import ordered_mibps
from eks_accelerators.verification import tool_outputs
from eks_accelerators.verification.check_pod import CHECK_LABEL, HOSTNAME, KEPT_SECONDS, MANAGED, Manifest
from eks_accelerators.verification.cluster import ClusterState, KubernetesObject, labels_of
from eks_accelerators.verification.device_checks import CheckedNode, Level, Scope
from eks_accelerators.verification.findings import Subject, VerificationFinding
from eks_accelerators.verification.images import CUDA_IMAGE
from eks_accelerators.verification.tasks import CheckTask, PodOutput
from eks_accelerators.verification.tools import NOTHING, Tool, outputs, script

_CODE, _USABLE = "volume-bandwidth", "volume-usable"
_MOUNT = "/volume"
_SCRATCH = f"{_MOUNT}/.accel-verify"
"""Folder on the volume, always the same: what a killed verification has left is removed by the next."""

_MIB = 1024
"""What is written, or read, at most."""

_PART, _STREAM_MIBPS = 0.8, 300
"""Part of what was ordered that one pod has to reach; and what is wanted of one stream at most, which is an estimate: a file
system that was ordered larger serves many at a time."""

_NOTHING_TO_READ = 3
_READ = (
    'file=$(timeout 60 find "$0" -type f -size +16M 2>/dev/null | head -n 1); '
    f'[ -n "$file" ] || exit {_NOTHING_TO_READ}; exec dd if="$file" of=/dev/null bs=16M count={_MIB // 16}'
)
_SECONDS, _GRACE_SECONDS = 900, 60
_AS_WHOM = ("runAsUser", "runAsGroup", "runAsNonRoot", "fsGroup", "fsGroupChangePolicy", "supplementalGroups")


@dataclass(frozen=True, slots=True)
class _Mounted:
    """A storage as one workload mounts it."""

    use: StorageUse
    storage: Storage
    one: StackWorkload

    @property
    def claim(self) -> str:
        """Name of the claim, which is the storage's."""
        return self.use.storage

    @property
    def reads_only(self) -> bool:
        """Whether nobody may write there."""
        return self.use.is_read_only or (isinstance(self.storage, S3Bucket) and not self.storage.write)

    @property
    def is_direct(self) -> bool:
        """Whether the page cache can be left out, which Mountpoint for S3 does not know."""
        return not isinstance(self.storage, S3Bucket)


@dataclass(frozen=True, slots=True)
class VolumeCheck:
    """The check of volumes that workloads mount."""

    name: str = "volumes"
    level: Level = Level.STANDARD
    means: str = "what workloads mount can be written and read, as fast as it was ordered"
    code: str = _CODE
    seconds: int = 60

    def tasks(self, scope: Scope) -> Iterator[CheckTask | VerificationFinding]:
        """A Job for each claim; for each node where every node has a volume of its own."""
        for mounted in _mounted(scope):
            nodes = [node for node in scope.nodes() if node.group.name == mounted.one.workload.node_group]
            pod = _pod_of(scope.state, mounted.one)
            subject = Subject(f"{mounted.one.path}.{mounted.use.setting}")
            if not nodes:
                yield subject.not_verified(_CODE, self.means, "its node group has no node that is ready")
            elif pod is None:
                yield subject.not_verified(_CODE, self.means, "no pod of the workload is there, as which it would run")
            else:
                here = nodes if isinstance(mounted.storage, NodeCache) else nodes[:1]
                yield from (_task(scope, mounted, node, pod, self.means) for node in here)


def _mounted(scope: Scope) -> Iterator[_Mounted]:
    """Every claim once, by a workload that may write where there is one."""
    storage = scope.stack.settings.storage
    found = [
        _Mounted(use, storage[use.storage].kind, one)
        for one in scope.stack.workloads
        for use in one.workload.storage_uses
        if use.storage in storage
    ]
    chosen: dict[tuple[str, str], _Mounted] = {}
    for each in sorted(found, key=lambda each: each.reads_only):
        chosen.setdefault((each.one.workload.namespace, each.claim), each)
    yield from chosen.values()


def _pod_of(state: ClusterState, one: StackWorkload) -> KubernetesObject | None:
    here = (pod for pod in state.pods if pod["metadata"].get("namespace") == one.workload.namespace)
    return next((pod for pod in here if labels_of(pod).get("app.kubernetes.io/instance") == one.name), None)


def _task(scope: Scope, mounted: _Mounted, node: CheckedNode, pod: KubernetesObject, means: str) -> CheckTask:
    subject = Subject(f"{mounted.one.path}.{mounted.use.setting} on {node.name}", (node.name,))
    return CheckTask(
        subject,
        _CODE,
        means,
        _job(mounted, node.hostname, scope.images[CUDA_IMAGE], pod),
        lambda outputs: _judge(subject, mounted, outputs),
        seconds=_SECONDS,
    )


def _tools(mounted: _Mounted) -> tuple[Tool, ...]:
    if mounted.reads_only:
        return (Tool("read", ("sh", "-c", _READ, _MOUNT)),)
    out, into = (("oflag=direct",), ("iflag=direct",)) if mounted.is_direct else ((), ())
    file = f"{_SCRATCH}/data"
    return (
        Tool("before", ("rm", "-rf", _SCRATCH)),
        Tool("folder", ("mkdir", _SCRATCH)),
        Tool("write", ("dd", "if=/dev/zero", f"of={file}", "bs=16M", f"count={_MIB // 16}", *out)),
        Tool("read", ("dd", f"if={file}", "of=/dev/null", "bs=16M", *into)),
        Tool("after", ("rm", "-rf", _SCRATCH)),
    )


def _job(mounted: _Mounted, hostname: str, image: str, pod: KubernetesObject) -> Manifest:
    labels = {**MANAGED, CHECK_LABEL: "volumes"}
    spec: Manifest = {
        "completions": 1,
        "parallelism": 1,
        "backoffLimit": 0,
        "ttlSecondsAfterFinished": KEPT_SECONDS,
        "activeDeadlineSeconds": _SECONDS,
        "template": {"metadata": {"labels": labels}, "spec": _pod_spec(mounted, hostname, image, pod)},
    }
    metadata = {
        "generateName": "accel-verify-volumes-",
        "namespace": mounted.one.workload.namespace,
        "labels": labels,
    }
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}


def _pod_spec(mounted: _Mounted, hostname: str, image: str, pod: KubernetesObject) -> Manifest:
    claim = {"claimName": mounted.claim, "readOnly": mounted.use.is_read_only}
    return {
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "nodeSelector": {HOSTNAME: hostname},
        "tolerations": [{"operator": "Exists"}],
        "terminationGracePeriodSeconds": _GRACE_SECONDS,
        "securityContext": {**_as_whom(pod["spec"]), "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [_container(mounted, image)],
        "volumes": [{"name": "volume", "persistentVolumeClaim": claim}],
    }


def _container(mounted: _Mounted, image: str) -> Manifest:
    clean = () if mounted.reads_only else ("rm", "-rf", _SCRATCH)
    mount: Manifest = {"name": "volume", "mountPath": _MOUNT, "readOnly": mounted.reads_only}
    if mounted.use.mount and mounted.use.mount.sub_path:
        mount["subPath"] = mounted.use.mount.sub_path
    return {
        "name": "check",
        "image": image,
        "command": ["sh", "-c"],
        "args": [script(_tools(mounted), clean=clean)],
        "resources": {"requests": {"cpu": "100m", "memory": "256Mi"}, "limits": {"memory": "1Gi"}},
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
        "volumeMounts": [mount],
    }


def _as_whom(spec: Mapping[str, Any]) -> dict[str, Any]:
    """User and groups of a pod; those of its first container come first, as in Kubernetes."""
    of_container = spec["containers"][0].get("securityContext") or {}
    both = {**(spec.get("securityContext") or {}), **of_container}
    return {key: both[key] for key in _AS_WHOM if key in both}


def _judge(subject: Subject, mounted: _Mounted, pods: Sequence[PodOutput]) -> Iterator[VerificationFinding]:
    found = outputs(pods[0].log)
    names = ("read",) if mounted.reads_only else ("write", "read")
    can = f"a pod of {mounted.one.name} can {' and '.join(names)}"
    folder = found.get("folder", NOTHING)
    if mounted.reads_only and found.get("read", NOTHING).status == _NOTHING_TO_READ:
        yield subject.not_verified(_CODE, can, "there is no file above 16 MiB that it could read")
        return
    failed = [folder] if not mounted.reads_only and folder.status else []
    failed += [found[name] for name in names if name in found and found[name].status]
    if failed:
        yield subject.failed(_USABLE, can, failed[0].said)
        return
    speeds = {name: tool_outputs.mib_per_second(found.get(name, NOTHING).text) for name in names}
    if None in speeds.values():
        unread = next(name for name, speed in speeds.items() if speed is None)
        yield subject.not_verified(_CODE, can, found.get(unread, NOTHING).said)
        return
    told = ", ".join(f"{name} {speed:.0f} MiB/s" for name, speed in speeds.items())
    yield subject.passed(_USABLE, can, told)
    yield _bandwidth(subject, mounted.storage, told, min(speed or 0 for speed in speeds.values()))


def _bandwidth(subject: Subject, storage: Storage, told: str, slowest: float) -> VerificationFinding:
    ordered = ordered_mibps(storage)
    if ordered is None:
        return subject.passed(_CODE, "unknown: nobody orders the speed of this storage", told)
    least = min(ordered, _STREAM_MIBPS) * _PART
    expected = f"{least:.0f} MiB/s or more, as {ordered:.0f} MiB/s were ordered"
    return subject.judged(_CODE, expected, told, holds=slowest >= least)
