"""Every check of nodes, by level. A new one is one entry of `CHECKS`."""

from collections import Counter
from collections.abc import Container, Iterator, Sequence

from eks_accelerators.accelerators import gpus as gpu_models
from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.accelerators.sharing import NVIDIA_GPU_DEVICE_CLASS
from eks_accelerators.settings.model.node_groups import LocalNvme, VolumeType
from eks_accelerators.verification import dcgm_diag, nvidia_smi, other_tools
from eks_accelerators.verification.check_pod import CheckPod
from eks_accelerators.verification.collective_checks import COLLECTIVE_CHECKS
from eks_accelerators.verification.device_checks import CannotCheck, CheckedNode, DeviceCheck, Level, VerificationCheck
from eks_accelerators.verification.efa_checks import EFA_CHECK
from eks_accelerators.verification.findings import VerificationFinding
from eks_accelerators.verification.links import nvlinks_of
from eks_accelerators.verification.network_checks import NetworkCheck
from eks_accelerators.verification.severity import FindingSeverity
from eks_accelerators.verification.tasks import PodOutput
from eks_accelerators.verification.tools import NOTHING, Tool, outputs
from eks_accelerators.verification.volume_checks import VolumeCheck

CUDA_IMAGE, DCGM_IMAGE, NEURON_IMAGE = "cuda-vectoradd", "dcgm", "neuron-monitor"
"""Images in `charts-values/charts.yaml`. That the last has `neuron-ls` is believed: both are of `aws-neuronx-tools`."""

_MEMORY_PART = 0.97
"""What a GPU has may be less by so much than what its driver usually says, or than what EC2 says where nobody has written that down."""

_STORAGE_PART, _STORAGE_MIB, _GP3_MIBPS = 0.8, 4096, 125
"""Of what was ordered a volume has to reach this part; what is written; gp3 without an order. Source of the last: EBS guide."""

_HOLD_SECONDS = 20
"""So long pods stay that show how many are on one GPU at a time."""


def _look_at_gpus(node: CheckedNode) -> CheckPod | None:
    if not node.group.type.has_nvidia_gpu:
        return None
    tools = [
        Tool("gpus", nvidia_smi.GPUS),
        Tool("clocks", nvidia_smi.CLOCKS),
        Tool("list", nvidia_smi.LIST),
    ]
    if _links(node):
        tools.append(Tool("links", nvidia_smi.LINKS))
    if node.group.has_efa:
        tools.append(Tool("efa", other_tools.INFINIBAND))
    return CheckPod(node.images[CUDA_IMAGE], tuple(tools), sees_all=True)


def _links(node: CheckedNode) -> int:
    """NVLinks that each GPU should have; 0 where there are none, or none is known."""
    links = nvlinks_of(node.group.type)
    return links.count if links else 0


def _judge_gpus(node: CheckedNode, pods: Sequence[PodOutput]) -> Iterator[VerificationFinding]:
    found, subject = outputs(pods[0].log), node.subject
    queried = found.get("gpus", NOTHING)
    gpus, lost = nvidia_smi.gpus(queried.text), nvidia_smi.lost(queried.text)
    if queried.status != 0 and not gpus and not lost:
        yield subject.failed("gpu-driver", "nvidia-smi answers", queried.said)
        return
    yield subject.passed("gpu-driver", "nvidia-smi answers", f"driver {gpus[0].driver}" if gpus else "it answers")
    yield subject.judged(
        "gpu-count",
        number_of(node.gpus, "GPU"),
        f"{number_of(len(gpus), 'GPU')}{''.join(f'; {line}' for line in lost)}",
        holds=len(gpus) == node.gpus and not lost,
    )
    if not gpus:
        return
    yield _memory(node, gpus)
    yield _layout(node, found.get("list", NOTHING).text)
    reasons = nvidia_smi.clock_reasons(found.get("clocks", NOTHING).text)
    slowed = {index: words for index, bits in reasons.items() if (words := nvidia_smi.reasons_in_words(bits))}
    if not reasons:
        yield subject.not_verified("gpu-clocks", "clocks", found.get("clocks", NOTHING).said)
    else:
        told = "; ".join(f"GPU {index}: {', '.join(words)}" for index, words in slowed.items())
        yield subject.judged(
            "gpu-clocks", "nothing keeps clocks down", told or "nothing keeps them down", holds=not slowed
        )
    if wanted := _links(node):
        divided = {gpu.index for gpu in gpus if gpu.divided}
        yield _link_finding(node, wanted, found.get("links", NOTHING).text, divided)
    if node.group.has_efa:
        yield _efa(node, found.get("efa", NOTHING).text)


def _memory(node: CheckedNode, gpus: Sequence[nvidia_smi.QueriedGpu]) -> VerificationFinding:
    chip = node.group.type.accelerator
    expected = gpu_models.driver_memory_mib(chip.name, chip.memory_mib)
    if expected is None:
        return node.subject.not_verified("gpu-memory", "memory of each GPU", "no source says how much it should be")
    small = [
        f"GPU {gpu.index}: {gpu.memory_mib} MiB" for gpu in gpus if (gpu.memory_mib or 0) < expected * _MEMORY_PART
    ]
    told = "; ".join(small) or f"{min(gpu.memory_mib or 0 for gpu in gpus)} MiB or more"
    return node.subject.judged("gpu-memory", f"about {expected} MiB each", told, holds=not small)


def _layout(node: CheckedNode, text: str) -> VerificationFinding:
    mig = node.group.sharing.mig
    wanted = [Counter(layout) for layout in mig.each(node.gpus)] if mig else [Counter[str]()] * node.gpus
    listed = nvidia_smi.listed(text)
    have = {gpu.index: Counter(profile for profile, _ in gpu.instances) for gpu in listed}
    if not listed:
        return node.subject.not_verified("gpu-mig-layout", "how GPUs are divided", "nvidia-smi -L lists none")
    wrong = [
        f"GPU {index}: {_divided(have[index])}, not {_divided(layout)}"
        for index, layout in enumerate(wanted)
        if index in have and have[index] != layout
    ]
    expected = "; ".join(dict.fromkeys(_divided(layout) for layout in wanted))
    return node.subject.judged("gpu-mig-layout", expected, "; ".join(wrong) or expected, holds=not wrong)


def _divided(layout: "Counter[str]") -> str:
    return ", ".join(f"{count} x {profile}" for profile, count in sorted(layout.items())) or "whole"


def _link_finding(node: CheckedNode, wanted: int, text: str, divided: Container[int]) -> VerificationFinding:
    """Links of ``divided`` GPUs are not judged: MIG instances do not use them, and no source says that they stay up."""
    up, expected = nvidia_smi.links(text), f"{wanted} NVLinks of each GPU"
    if not up:
        return node.subject.not_verified("gpu-links", expected, "nvidia-smi tells of none")
    whole = {index: count for index, count in up.items() if index not in divided}
    fewer = [f"GPU {index}: {count} of {wanted} up" for index, count in whole.items() if count < wanted]
    unknown = [str(index) for index in up if index in divided]
    if unknown and not fewer:
        why = f"GPUs with MIG on: {', '.join(unknown)}: whether links are up then is not known"
        return node.subject.not_verified("gpu-links", expected, why)
    return node.subject.judged("gpu-links", expected, "; ".join(fewer) or "all up", holds=not fewer)


def _efa(node: CheckedNode, text: str) -> VerificationFinding:
    wanted, found = len(node.group.interfaces), other_tools.infiniband_devices(text)
    wanted = node.group.resources.get("vpc.amazonaws.com/efa", wanted)
    return node.subject.judged(
        "efa-devices", f"{wanted} EFA devices", f"{len(found)} EFA devices", holds=len(found) == wanted
    )


def _look_at_neuron(node: CheckedNode) -> CheckPod | None:
    if node.group.type.neuron is None:
        return None
    tools = [Tool("devices", other_tools.NEURON_LS)]
    if node.group.has_efa:
        tools.append(Tool("efa", other_tools.INFINIBAND))
    return CheckPod(node.images[NEURON_IMAGE], tuple(tools), sees_all=True)


def _judge_neuron(node: CheckedNode, pods: Sequence[PodOutput]) -> Iterator[VerificationFinding]:
    neuron = node.group.type.neuron
    assert neuron is not None
    found = outputs(pods[0].log)
    expected = f"{number_of(neuron.device_count, 'device')} of {number_of(neuron.cores_per_device, 'core')}"
    listed = found.get("devices", NOTHING)
    try:
        devices = other_tools.neuron_devices(listed.text)
    except other_tools.UnreadableOutputError:
        yield node.subject.failed("neuron-devices", expected, listed.said)
    else:
        cores = sorted({device.physical_cores for device in devices})
        yield node.subject.judged(
            "neuron-devices",
            expected,
            f"{number_of(len(devices), 'device')} of {' or '.join(map(str, cores)) or 'no'} cores",
            holds=len(devices) == neuron.device_count and cores == [neuron.cores_per_device],
        )
    if node.group.has_efa:
        yield _efa(node, found.get("efa", NOTHING).text)


def _add_vectors(node: CheckedNode) -> CheckPod | CannotCheck | None:
    if not node.group.type.has_nvidia_gpu:
        return None
    if node.group.is_claimed:
        return _claim(node)
    resource = next((share.resource for share in node.group.shares if node.free(share.resource)), None)
    if resource is None:
        return CannotCheck(f"no {node.group.resource} is free: {node.taken}")
    return CheckPod(node.images[CUDA_IMAGE], resources={resource: 1}, seconds=900)


def _claim(node: CheckedNode) -> CheckPod | CannotCheck:
    """One GPU of those that no claim has."""
    taken = node.state.claimed(node.name, NVIDIA_GPU_DEVICE_CLASS)
    if taken is None:
        return CannotCheck("its GPUs are claimed, and you may not list resourceclaims: nobody knows which are free")
    if taken >= node.gpus:
        return CannotCheck(f"claims have all of its {number_of(node.gpus, 'GPU')}")
    return CheckPod(node.images[CUDA_IMAGE], claimed=1, seconds=900)


def _judge_addition(node: CheckedNode, pods: Sequence[PodOutput]) -> Iterator[VerificationFinding]:
    words = " / ".join(line.strip() for line in pods[0].log.splitlines()[-3:] if line.strip())
    yield node.subject.judged(
        "gpu-computes", "Test PASSED", words or "it printed nothing", holds=other_tools.added(pods[0].log)
    )


def _share(node: CheckedNode) -> CheckPod | CannotCheck | None:
    if node.group.sharing.replicas < 2 or not node.group.type.has_nvidia_gpu or node.group.is_claimed:
        return None
    free = node.free(node.group.resource)
    # Where all are taken, their holders are asked alone: a pod that takes nothing is not needed for that.
    tools = (Tool("list", nvidia_smi.LIST),)
    taken = {node.group.resource: 1} if free else {}
    return CheckPod(node.images[CUDA_IMAGE], tools, taken, copies=free, hold_seconds=_HOLD_SECONDS)


def _judge_shares(node: CheckedNode, pods: Sequence[PodOutput]) -> Iterator[VerificationFinding]:
    """Every pod names what it was given: with all shares taken, each device has as many pods as it has shares."""
    replicas, total = node.group.sharing.replicas, node.group.shares[0].count
    expected = f"{replicas} pods on each of {number_of(total // replicas, 'device')}"
    dark = [f"{each.pod}: {each.why}" for each in pods if each.why]
    if dark:
        yield node.subject.not_verified("gpu-shares", expected, "; ".join(dark))
        return
    given = {each.pod: nvidia_smi.uuids(_listing(each.log)) for each in pods}
    blind = [pod for pod, seen in given.items() if not seen]
    on = Counter(uuid for seen in given.values() for uuid in seen)
    told = ", ".join(f"{count} on {uuid}" for uuid, count in sorted(on.items()))
    if blind:
        yield node.subject.failed("gpu-shares", expected, f"{', '.join(blind)} sees no GPU")
        return
    holds = len(on) == total // replicas and set(on.values()) == {replicas}
    if sum(on.values()) != total:  # pods with several shares, or shares that ended in between
        yield node.subject.not_verified("gpu-shares", expected, f"{told}: not all {total} shares are in use")
        return
    yield node.subject.judged("gpu-shares", expected, told, holds=holds)


def _listing(log: str) -> str:
    """What `nvidia-smi -L` printed: in a pod of ours among sections, in another's by itself."""
    found = outputs(log)
    return found["list"].text if "list" in found else log


def _diagnose(run: str) -> DeviceCheck:
    level, seconds = {"1": (Level.STANDARD, 30), "2": (Level.THOROUGH, 300)}[run]

    def plan(node: CheckedNode) -> CheckPod | CannotCheck | None:
        if not node.group.type.has_nvidia_gpu:
            return None
        if node.group.type.accelerator.partition_size < 1:
            return CannotCheck("NVIDIA's diagnostic does not run on a part of a GPU")
        if not node.is_whole_and_idle:
            return CannotCheck(node.why_not_whole)
        start, diagnostic = ("nv-hostengine",), ("dcgmi", "diag", "-r", run, "-j")
        links = _links(node)
        parameters = ("-p", f"pcie.gpu_nvlinks_expected_up={links}") if links and run != "1" else ()
        return CheckPod(
            node.images[DCGM_IMAGE],
            (Tool("engine", start), Tool("diagnostic", (*diagnostic, *parameters))),
            {node.group.resource: node.gpus},
            seconds=600 + 2 * seconds,
            capabilities=("SYS_ADMIN",),
        )

    means = f"dcgmi diag -r {run} passes"
    return DeviceCheck(
        f"dcgm-r{run}", level, means, "dcgm-diagnostic", seconds, plan, lambda node, pods: _diagnosis(node, pods, means)
    )


def _diagnosis(node: CheckedNode, pods: Sequence[PodOutput], means: str) -> Iterator[VerificationFinding]:
    printed = outputs(pods[0].log).get("diagnostic", NOTHING)
    if printed.status == dcgm_diag.ALREADY_RUNNING:
        yield node.subject.not_verified("dcgm-diagnostic", means, "another diagnostic is under way on the node")
        return
    try:
        found = dcgm_diag.read(printed.text)
    except dcgm_diag.UnreadableDiagnosticError:
        yield node.subject.not_verified("dcgm-diagnostic", means, printed.said)
        return
    if found.error:
        yield node.subject.not_verified("dcgm-diagnostic", means, found.error)
        return
    for warning in found.warnings:
        yield node.subject.failed(
            "dcgm-diagnostic", means, f"{warning.test}, {warning.entity}: {warning.text}", warning.severity
        )
    if found.failed and not found.warnings:
        severity = FindingSeverity.ISOLATE if printed.status == dcgm_diag.ISOLATE else None
        yield node.subject.failed("dcgm-diagnostic", means, f"failed: {', '.join(found.failed)}", severity)
    elif not found.warnings:
        yield node.subject.passed("dcgm-diagnostic", means, f"{number_of(len(found.tests), 'test')}, none failed")


def _write(node: CheckedNode) -> CheckPod | CannotCheck | None:
    if node.users:
        return CannotCheck(node.why_not_whole if not node.is_shared else f"it is not idle: {node.taken}")
    copy = ("dd", "if=/dev/zero", "of=/verify/data", "bs=16M", f"count={_STORAGE_MIB // 16}", "oflag=direct")
    back = ("dd", "if=/verify/data", "of=/dev/null", "bs=16M", "iflag=direct")
    return CheckPod(node.images[CUDA_IMAGE], (Tool("write", copy), Tool("read", back)), disk_gib=8)


def _ordered_mibps(node: CheckedNode) -> int | None:
    """What the disk of pods was ordered to do; None of local NVMe, and of volumes whose speed nobody orders."""
    settings = node.group.settings
    if settings.local_nvme is LocalNvme.RAID0 or settings.disk.type is not VolumeType.GP3:
        return None
    return settings.disk.throughput_mibps or _GP3_MIBPS


def _judge_disk(node: CheckedNode, pods: Sequence[PodOutput]) -> Iterator[VerificationFinding]:
    found = outputs(pods[0].log)
    speeds = {name: other_tools.mib_per_second(found.get(name, NOTHING).text) for name in ("write", "read")}
    told = ", ".join(f"{name} {speed:.0f} MiB/s" for name, speed in speeds.items() if speed is not None)
    ordered = _ordered_mibps(node)
    if None in speeds.values():
        broken = next(name for name, speed in speeds.items() if speed is None)
        yield node.subject.not_verified("storage-bandwidth", "dd writes and reads", found.get(broken, NOTHING).said)
    elif ordered is None:
        yield node.subject.passed("storage-bandwidth", "unknown: nobody orders the speed of this disk", told)
    else:
        slow = min(speed or 0 for speed in speeds.values()) < ordered * _STORAGE_PART
        yield node.subject.judged("storage-bandwidth", f"{ordered} MiB/s as ordered", told, holds=not slow)


CHECKS: tuple[VerificationCheck, ...] = (
    DeviceCheck(
        "gpus",
        Level.QUICK,
        "the driver sees every GPU, whole or divided as planned, with its links, and nothing slows it",
        "gpu-driver",
        15,
        _look_at_gpus,
        _judge_gpus,
    ),
    DeviceCheck(
        "neuron",
        Level.QUICK,
        "neuron-ls sees every device",
        "neuron-devices",
        15,
        _look_at_neuron,
        _judge_neuron,
    ),
    DeviceCheck(
        "vector-add",
        Level.QUICK,
        "a pod with one GPU, or share, adds two vectors",
        "gpu-computes",
        10,
        _add_vectors,
        _judge_addition,
    ),
    DeviceCheck(
        "shares",
        Level.QUICK,
        "as many pods as planned are on each GPU at a time",
        "gpu-shares",
        _HOLD_SECONDS + 10,
        _share,
        _judge_shares,
        asks_users=True,
    ),
    EFA_CHECK,
    _diagnose("1"),
    DeviceCheck(
        "disk",
        Level.STANDARD,
        "the disk of pods is as fast as it was ordered",
        "storage-bandwidth",
        90,
        _write,
        _judge_disk,
    ),
    VolumeCheck(),
    *COLLECTIVE_CHECKS,
    _diagnose("2"),
    NetworkCheck(),
)
"""In the order in which they run."""


def checks_of(level: Level) -> list[VerificationCheck]:
    """The checks of a level, with those of the levels below it."""
    return [check for check in CHECKS if check.level.rank <= level.rank]
