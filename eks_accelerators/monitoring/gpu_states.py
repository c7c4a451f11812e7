"""What each GPU does now: broken, busy, held and idle, or free; one of them, so that the states add up to the GPUs there are.

DCGM's exporter names the pods of a GPU however they got it: a whole GPU, a share, a MIG instance or a claim.
"""

from eks_accelerators.monitoring.alerts import GROUPS, Alert, AlertSeverity
from eks_accelerators.monitoring.alerts.phrases import GPU

BUSY_ABOVE = 0.02
"""The share of 5 minutes in which a busy GPU's engine ran at least: what `GpuIdleWithPod` calls idle is below."""

BROKEN = "accelerator:gpu_broken"

_BREAKS = tuple(
    alert
    for group in ("gpu-faults", "gpu-speed")
    for alert in GROUPS[group]
    if alert.severity is AlertSeverity.CRITICAL and f"by ({GPU}" in alert.expression
)
"""Alerts that say that a GPU is of no use any more."""

_EVERY = f"group by ({GPU}) (DCGM_FI_DEV_GPU_TEMP)"
_HELD = f'group by ({GPU}) (DCGM_FI_DEV_GPU_TEMP{{pod!=""}})'
_LOAD = (
    f"max by ({GPU}) (avg_over_time(DCGM_FI_PROF_GR_ENGINE_ACTIVE[5m]))"
    f" or max by ({GPU}) (avg_over_time(DCGM_FI_DEV_GPU_UTIL[5m])) / 100"
)
"""Of a GPU that is shared each pod has a copy, and a divided one is as busy as its busiest instance."""

_BUSY = f"group by ({GPU}) (({_LOAD}) > {BUSY_ABOVE})"
_UNLESS_BROKEN = f"unless on ({GPU}) {BROKEN}"


def _lasting(alert: Alert) -> str:
    """What an alert asks, for as long as it would fire: what is seen for minutes only is kept."""
    return f"max_over_time(({alert.expression})[{alert.kept}:1m])" if alert.kept else alert.expression


BROKEN_GPUS = f"group by ({GPU}) ({' or '.join(map(_lasting, _BREAKS))})"
"""1 of each GPU of which such an alert has something to say, whether alerts are deployed or not."""

STATES = {
    "broken": BROKEN,
    "busy": f"{_BUSY} {_UNLESS_BROKEN}",
    "idle": f"{_HELD} unless on ({GPU}) {_BUSY} {_UNLESS_BROKEN}",
    "free": f"{_EVERY} unless on ({GPU}) {_HELD} unless on ({GPU}) {_BUSY} {_UNLESS_BROKEN}",
}
"""1 of each GPU, by what it does."""

HELD_GPUS, EVERY_GPU = _HELD, _EVERY
