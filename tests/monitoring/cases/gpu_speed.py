"""GPUs and links that are slow or full."""

from tests.monitoring.cases.case import FIRST, OTHER_SHARER, POD, SECOND, SHARER, A, B, Case, labelled, on_gpus

THERMAL, CLOCKS = "DCGM_FI_DEV_THERMAL_VIOLATION", "DCGM_EXP_CLOCK_EVENTS_COUNT"
FLITS, RECOVERIES = "DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL", "DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL"
USED, FREE = "DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_FB_FREE"
EFA = labelled(
    "problem_condition_count", severity="Warning", reason="EFAErrorMetric", job="agent", instance="a", node="node-a"
)
OTHER = EFA.replace("EFAErrorMetric", "IPAMDNotReady")
AGENT = labelled("up", job="agent", instance="a", node="node-a")


def memory(used, free, **labels):
    return {labelled(USED, **labels): f"{used}x60", labelled(FREE, **labels): f"{free}x60"}


CASES = [
    # 6 seconds of each minute are 10 percent
    *on_gpus("GpuThermalThrottle", "0+6000000000x60", "0x60", {"shown": "10%"}, metric=THERMAL),
    Case("GpuThermalThrottle", "seconds in an hour", {labelled(THERMAL, **A): "0+1000000000x60"}),
    *on_gpus(
        "GpuHardwareSlowdown",
        "3x60",
        "0x60",
        metric=CLOCKS,
        clock_event="hw_thermal",
        fired={"clock_event": "hw_thermal"},
    ),
    Case(
        "GpuHardwareSlowdown",
        "at its power limit, and idle",
        {
            labelled(CLOCKS, **A, clock_event="power_cap"): "9x60",
            labelled(CLOCKS, **B, clock_event="gpu_idle"): "9x60",
        },
    ),
    *on_gpus(
        "GpuPcieReplays", "0+60x60", "0+2x60", {"at": 40, "shown": "60"}, metric="DCGM_FI_DEV_PCIE_REPLAY_COUNTER"
    ),
    *on_gpus("GpuNvlinkErrors", "0+12000x60", "0+60x60", metric=FLITS),
    *on_gpus("GpuNvlinkErrors", "0+1x60", "0x60", metric=RECOVERIES),
    Case("EfaErrors", "well", {AGENT: "1x60"}),
    Case(
        "EfaErrors", "the first, with which its series begins", {AGENT: "1x60", EFA: "_x15 1x45"}, ({"node": "node-a"},)
    ),
    Case(
        "EfaErrors",
        "one of two nodes",
        {
            AGENT: "1x60",
            EFA: "_x15 1x45",
            labelled("up", job="agent", instance="b", node="node-b"): "1x60",
            EFA.replace('"a"', '"b"').replace("node-a", "node-b"): "1x60",
        },
        ({"node": "node-a"},),
    ),
    Case(
        "EfaErrors",
        "more of them",
        {AGENT: "1x60", EFA: "4x9 4+1x50"},
        ({"node": "node-a"},),
        shown="11",  # of 15 minutes it has seen 14, and says what 15 would have been
    ),
    Case("EfaErrors", "over", {AGENT: "1x60", EFA: "_x5 1x55"}, at=40),
    Case("EfaErrors", "old ones, when Prometheus begins to look", {AGENT: "_x15 1x45", EFA: "_x15 7x45"}),
    *(
        Case("EfaErrors", f"another reason, {values}", {AGENT: "1x60", OTHER: values})
        for values in ("_x15 1x45", "0+1x60")
    ),
    Case("GpuMemoryNearlyFull", "room left", memory(20_000, 3_000, **A)),
    Case(
        "GpuMemoryNearlyFull",
        "full, of a pod that has it alone, and in use by nobody's pod",
        {**memory(22_800, 200, **A, **POD), **memory(22_800, 200, **B)},
    ),
    Case(
        "GpuMemoryNearlyFull",
        "two pods fill it, and one of two on another node has room left",
        {
            **memory(22_800, 200, **A),
            **memory(11_000, 200, **A, **SHARER),
            **memory(11_800, 200, **A, **OTHER_SHARER),
            **memory(1_000, 22_000, **B),
            **memory(1_000, 22_000, **B, **SHARER),
        },
        (A,),
        shown="99.13%",
    ),
    Case(
        "GpuMemoryNearlyFull",
        "two pods, and room left",
        {
            **memory(20_000, 3_000, **A),
            **memory(9_000, 3_000, **A, **SHARER),
            **memory(11_000, 3_000, **A, **OTHER_SHARER),
        },
    ),
    Case(
        "GpuMemoryNearlyFull",
        "an instance that pods share, beside one that a pod has alone",
        {**memory(40_000, 100, **A, **FIRST, **SHARER), **memory(40_000, 100, **A, **SECOND, **POD)},
        ({**A, "GPU_I_ID": "1"},),
        shown="99.75%",
    ),
]
