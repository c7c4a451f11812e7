"""What the driver says of the GPUs of a node, and whether one of them computes."""

from collections import Counter
from collections.abc import Container, Iterator, Sequence

from eks_accelerators.accelerators import gpus as gpu_models
from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.accelerators.sharing import NVIDIA_GPU_DEVICE_CLASS
from eks_accelerators.verification import nvidia_smi, tool_outputs
from eks_accelerators.verification.check_pod import CheckPod
from eks_accelerators.verification.device_checks import CannotCheck, CheckedNode, DeviceCheck, Level
from eks_accelerators.verification.efa_checks import judge_count
from eks_accelerators.verification.findings import VerificationFinding
from eks_accelerators.verification.images import CUDA_IMAGE
from eks_accelerators.verification.links import nvlinks_of
from eks_accelerators.verification.tasks import PodOutput
from eks_accelerators.verification.tools import NOTHING, Tool, outputs

_MEMORY_PART = 0.97
"""What a GPU has may be less by so much than what its driver usually says, or than what EC2 says where nobody has written that down."""


def _look_at_gpus(node: CheckedNode) -> CheckPod | None:
    if not node.group.type.has_nvidia_gpu:
        return None
    tools = [
        Tool("gpus", nvidia_smi.GPUS),
        Tool("clocks", nvidia_smi.CLOCKS),
        Tool("list", nvidia_smi.LIST),
    ]
    if link_count(node):
        tools.append(Tool("links", nvidia_smi.LINKS))
    if node.group.has_efa:
        tools.append(Tool("efa", tool_outputs.INFINIBAND))
    return CheckPod(node.images[CUDA_IMAGE], tuple(tools), sees_all=True)


def link_count(node: CheckedNode) -> int:
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
    if wanted := link_count(node):
        divided = {gpu.index for gpu in gpus if gpu.divided}
        yield _link_finding(node, wanted, found.get("links", NOTHING).text, divided)
    if node.group.has_efa:
        yield judge_count(node, found.get("efa", NOTHING).text)


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


GPU_CHECK = DeviceCheck(
    "gpus",
    Level.QUICK,
    "the driver sees every GPU, whole or divided as planned, with its links, and nothing slows it",
    "gpu-driver",
    15,
    _look_at_gpus,
    _judge_gpus,
)


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
        "gpu-computes", "Test PASSED", words or "it printed nothing", holds=tool_outputs.added(pods[0].log)
    )


VECTOR_CHECK = DeviceCheck(
    "vector-add",
    Level.QUICK,
    "a pod with one GPU, or share, adds two vectors",
    "gpu-computes",
    10,
    _add_vectors,
    _judge_addition,
)
