"""GPUs that are broken."""

from tests.monitoring.cases.case import (
    FIRST,
    HOUR,
    OTHER_POD,
    OTHER_SHARER,
    POD,
    SECOND,
    SHARER,
    A,
    B,
    Case,
    labelled,
    on_gpus,
)

XID = "DCGM_EXP_XID_ERRORS_COUNT"


def kept(name, metric, **labels):
    """What was seen for five minutes fires for thirty more."""
    seen = {labelled(metric, **A, **labels): "0x15 1x5 0x60"}
    return [
        Case(name, "seen for a while", seen, ({**A, **labels},), 48),
        Case(name, "over", seen, (), 52),
    ]


CASES = [
    *on_gpus("GpuXidNeedsReset", "0x5 1x5 0x60", "0x60", {"at": 10}, metric=XID, xid="79", fired={"xid": "79"}),
    *kept("GpuXidNeedsReset", XID, xid="79"),
    Case("GpuXidNeedsReset", "a program's", {labelled(XID, **A, xid="31"): "1x60"}),
    Case(
        "GpuXidOfApplication",
        "a pod has the GPU",
        {labelled(XID, **A, **POD, xid="31"): "1x60", labelled(XID, **B, **OTHER_POD): "0x60"},
        ({**A, **POD, "xid": "31"},),
    ),
    Case(
        "GpuXidOfApplication",
        "pods share it, and nobody knows whose it is",
        {labelled(XID, **A, **sharer, xid="31"): "1x60" for sharer in (SHARER, OTHER_SHARER)},
        ({**A, "xid": "31"},),
    ),
    Case(
        "GpuXidOfApplication",
        "it is divided, and nobody knows whose it is",
        {
            labelled(XID, **A, **FIRST, **POD, xid="31"): "1x60",
            labelled(XID, **A, **SECOND, **OTHER_POD, xid="31"): "1x60",
        },
        ({**A, "xid": "31"},),
    ),
    *kept("GpuXidOfApplication", XID, xid="31"),
    Case(
        "GpuXidOfApplication",
        "the GPU's own, however it is shared, and none within the window",
        {
            labelled(XID, **A, **POD, xid="79"): "1x60",
            labelled(XID, **A, **SHARER, xid="79"): "1x60",
            labelled(XID, **A, **FIRST, xid="79"): "1x60",
            labelled(XID, **B, **POD, xid="31"): "0x60",
            labelled(XID, **B, **SHARER, xid="31"): "0x60",
            labelled(XID, **B, **FIRST, xid="31"): "0x60",
        },
    ),
    Case("GpuXidOfApplication", "well", {labelled(XID, **A, **POD): "0x60"}),
    *kept("GpuXidUnclassified", XID, xid="201"),
    *on_gpus("GpuXidUnclassified", "1x60", "0x60", metric=XID, xid="201", fired={"xid": "201"}),
    Case(
        "GpuXidUnclassified", "a window without one", {labelled(XID, **A): "0x60", labelled(XID, **B, xid="0"): "9x60"}
    ),
    *on_gpus("GpuRecoveryActionNeeded", "2x60", "0x60", {"shown": "2"}, metric="DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION"),
    Case(
        "GpuRecoveryActionNeeded", "for a moment", {labelled("DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION", **A): "0x17 1 0x9"}
    ),
    *on_gpus(
        "GpuHealthFailed",
        "20x60",
        "10x60",
        metric="DCGM_EXP_GPU_HEALTH_STATUS",
        health_watch="MEM",
        health_error_code="DCGM_FR_VOLATILE_DBE_DETECTED",
        fired={"health_watch": "MEM", "health_error_code": "DCGM_FR_VOLATILE_DBE_DETECTED"},
    ),
    *on_gpus("GpuDoubleBitEcc", "0x14 1x30", "0x60", metric="DCGM_FI_DEV_ECC_DBE_VOL_TOTAL"),
    Case(
        "GpuDoubleBitEcc", "half an hour ago", {labelled("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", **A): "0x14 1x80"}, (A,), 50
    ),
    Case("GpuDoubleBitEcc", "an hour ago", {labelled("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", **A): "0x14 1x80"}, (), 75),
    Case(
        "GpuDoubleBitEcc",
        "it was there when the series began",
        {labelled("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", **A): "_x14 3x30"},
        (A,),
        shown="3",
    ),
    Case(
        "GpuDoubleBitEcc",
        "an old one, and a new pod",
        {
            labelled("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", **A, **POD): "3x49 stale",
            labelled("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", **A, **OTHER_POD): "_x50 3x20",
        },
        at=HOUR,
    ),
    *on_gpus("GpuRowRemapFailed", "1x60", "0x60", metric="DCGM_FI_DEV_ROW_REMAP_FAILURE"),
    *on_gpus("GpuRowRemapPending", "1x60", "0x60", metric="DCGM_FI_DEV_ROW_REMAP_PENDING"),
]
