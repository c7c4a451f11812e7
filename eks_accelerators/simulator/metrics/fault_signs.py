"""What faults make visible: which signs follow from the value of each.

What NVIDIA's device plugin does with an XID: NVIDIA/k8s-device-plugin v0.20.0, `internal/rm/health.go`. What the node
monitoring agent does: aws/eks-node-monitoring-agent 51af549 (v1.7.0), `monitors/nvidia/dcgm`, `monitors/neuron`,
`monitors/networking/efa`, `pkg/reasons`. Health checks: NVIDIA/dcgm-exporter d5e5f51, `gpu_health_collector.go`. How the
recovery action, health and counters of errors go with each other is believed. Read 2026-11-22.
"""

from dataclasses import replace

from eks_accelerators.monitoring import xids
from eks_accelerators.simulator.metrics.signs import ACCELERATED_HARDWARE, NETWORKING, AgentFinding, Health, Signs

IGNORED_BY_PLUGIN = frozenset({13, 31, 43, 45, 68, 109})
"""XIDs after which NVIDIA's device plugin takes the GPU for healthy still."""

FATAL_TO_AGENT = frozenset(
    {46, 48, 54, 62, 63, 64, 74, 79, 95, 109, 110, 119, 120, 136, 140, 142, 143, 151, 155, 156, 158}
)
"""XIDs that make the node monitoring agent's condition false; all others are events alone."""

_LOOKS_AGAIN = 300.0
"""Seconds after which the agent counts devices and asks for health again (`monitors/nvidia/monitor.go`)."""
_LOOKS_AT_EFA = 60.0
CONDITIONS = {
    "AcceleratedHardwareReady": "DCGMDiagnosticFailure",
    "KernelReady": "ForkFailedOutOfPIDs",
    "NetworkingReady": "InterfaceNotUp",
    "StorageReady": "XFSSmallAverageClusterSize",
    "ContainerRuntimeReady": "PodStuckTerminating",
}
"""A reason for each condition that the agent has; of the last four believed."""

_HEALTH_OF_XIDS = {
    79: Health("ALL", "DCGM_FR_FALLEN_OFF_BUS"),
    95: Health("ALL", "DCGM_FR_UNCONTAINED_ERROR"),
    64: Health("MEM", "DCGM_FR_ROW_REMAP_FAILURE"),
    63: Health("MEM", "DCGM_FR_PENDING_ROW_REMAP", 10),
    48: Health("MEM", "DCGM_FR_VOLATILE_DBE_DETECTED"),
}


def _found(
    reason: str, *, fatal: bool = True, condition: str = ACCELERATED_HARDWARE, every: float | None = None
) -> AgentFinding:
    return AgentFinding(reason, "Fatal" if fatal else "Warning", condition, every)


def xid(value: str) -> Signs:
    """Of a GPU that has this XID once."""
    xid = int(value)
    fatal = xid in FATAL_TO_AGENT
    health = (_HEALTH_OF_XIDS[xid],) if xid in _HEALTH_OF_XIDS else ()
    return Signs(
        xids=(xid,),
        handed_out=xid in IGNORED_BY_PLUGIN,
        health=health,
        recovery=1 if xid in xids.classes()["reset"].xids else 0,
        uncorrected=1 if xid == 48 else 0,
        remap_pending=xid == 63,
        remap_failed=xid == 64,
        findings=(_found(f"NvidiaXID{xid}{'Error' if fatal else 'Warning'}", fatal=fatal),),
    )


def lost(_value: str) -> Signs:
    """Of a GPU that the driver sees no more."""
    return Signs(gone=True, handed_out=False, findings=(_found("NvidiaDeviceCountMismatch", every=_LOOKS_AGAIN),))


def recovery(value: str) -> Signs:
    """Of a GPU whose driver asks for this recovery action."""
    return replace(xid("154"), recovery=int(value), handed_out=True)


def ecc(value: str) -> Signs:
    """Of a GPU with errors of its memory, `corrected` or not."""
    if value == "corrected":
        return Signs(corrected=1000)
    return replace(
        xid("48"),
        rows_remapped=1,
        remap_pending=True,
        findings=(_found("NvidiaDoubleBitError"), *xid("48").findings),
    )


def row_remap(value: str) -> Signs:
    """Of a GPU with a row of memory that waits to be remapped, or `failed` to be."""
    return xid("64" if value == "failed" else "63")


SLOWED = {
    "heat": Signs(slowed=0.3, clock_events=("sw_thermal",), findings=(_found("NvidiaThermalError", fatal=False),)),
    "hardware": Signs(slowed=0.5, clock_events=("hw_slowdown", "hw_thermal")),
    "power-brake": Signs(clock_events=("hw_slowdown", "hw_power_brake")),
}


def replays(value: str) -> Signs:
    """Of a GPU whose PCIe sends so many packets per minute again."""
    return Signs(replays=float(value) / 60, findings=(_found("NvidiaPCIeError", fatal=False, every=_LOOKS_AGAIN),))


def nvlink(value: str) -> Signs:
    """Of a GPU with checksum errors of NVLink, or a `recovery` that failed."""
    found = (_found("NvidiaNVLinkError"),)
    if value == "recovery":
        return Signs(nvlink_recoveries=1, findings=found)
    return Signs(nvlink_checksums=200.0, findings=found)


def condition(value: str) -> Signs:
    """Of a node of which the agent sets this condition."""
    return Signs(findings=(_found(CONDITIONS[value], condition=value),))


def neuron_ecc(value: str) -> Signs:
    """Of a Neuron device with an error in its `mem` or `sram`."""
    reason = {"mem": "NeuronHBMUncorrectableError", "sram": "NeuronSRAMUncorrectableError"}[value]
    return Signs(neuron_ecc={f"{value}_ecc_uncorrected": 1}, handed_out=False, findings=(_found(reason),))


def efa(_value: str) -> Signs:
    """Of a node whose EFA interfaces count errors in bursts."""
    return Signs(findings=(_found("EFAErrorMetric", fatal=False, condition=NETWORKING, every=_LOOKS_AT_EFA),))
