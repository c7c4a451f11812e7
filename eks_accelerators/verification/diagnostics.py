"""NVIDIA's own diagnostic of GPUs, short and long."""

from collections.abc import Iterator, Sequence

from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.verification import dcgm_diag
from eks_accelerators.verification.check_pod import CheckPod
from eks_accelerators.verification.device_checks import CannotCheck, CheckedNode, DeviceCheck, Level
from eks_accelerators.verification.findings import VerificationFinding
from eks_accelerators.verification.gpu_checks import link_count
from eks_accelerators.verification.images import DCGM_IMAGE
from eks_accelerators.verification.severity import FindingSeverity
from eks_accelerators.verification.tasks import PodOutput
from eks_accelerators.verification.tools import NOTHING, Tool, outputs


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
        links = link_count(node)
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


DIAGNOSTIC, LONG_DIAGNOSTIC = _diagnose("1"), _diagnose("2")
