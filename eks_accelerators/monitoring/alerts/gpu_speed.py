"""GPUs and links that work, but slower than they should.

The power limit is no fault: at full load L4 and H100 run at it. The limits of PCIe and NVLink are DCGM's own.
"""

from eks_accelerators.monitoring.alerts.alert import Alert, AlertSeverity
from eks_accelerators.monitoring.alerts.concerns import EFA, LINKED, NVIDIA, SHARED
from eks_accelerators.monitoring.alerts.phrases import GPU, INSTANCE, grown

_ON_GPU = "GPU {{ $labels.gpu }} of {{ $labels.node }}"

ALERTS = (
    Alert(
        "GpuThermalThrottle",
        f"max by ({GPU}) (rate(DCGM_FI_DEV_THERMAL_VIOLATION[5m])) / 1e9 > 0.05",
        AlertSeverity.WARNING,
        "slow-gpus",
        NVIDIA,
        f"{_ON_GPU} is slowed by heat",
        "{{ $value | humanizePercentage }} of the time.",
        held="10m",
    ),
    Alert(
        "GpuHardwareSlowdown",
        f"max by ({GPU}, clock_event) (DCGM_EXP_CLOCK_EVENTS_COUNT"
        '{clock_event=~"hw_slowdown|hw_thermal|hw_power_brake"}) > 0',
        AlertSeverity.WARNING,
        "slow-gpus",
        NVIDIA,
        f"The hardware slows {_ON_GPU} to half its clock or less",
        "Cause: {{ $labels.clock_event }}.",
        held="10m",
    ),
    Alert(
        "GpuPcieReplays",
        f"max by ({GPU}) (rate(DCGM_FI_DEV_PCIE_REPLAY_COUNTER[10m])) * 60 > 8",
        AlertSeverity.WARNING,
        "links",
        NVIDIA,
        f"PCIe of {_ON_GPU} sends packets again",
        "{{ $value | humanize }} per minute; more than 8 is too many.",
        held="15m",
    ),
    Alert(
        "GpuNvlinkErrors",
        f"max by ({GPU}) (rate(DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL[5m])) > 100"
        f" or max by ({GPU}) (increase(DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL[15m])) > 0",
        AlertSeverity.CRITICAL,
        "links",
        LINKED,
        f"NVLink of {_ON_GPU} has errors",
        "More than 100 checksum errors a second, or a recovery that failed.",
        held="5m",
    ),
    Alert(
        "EfaErrors",
        grown('problem_condition_count{reason="EFAErrorMetric"}', "15m", "node") + " > 0",
        AlertSeverity.WARNING,
        "links",
        EFA,
        "EFA of {{ $labels.node }} has bursts of errors",
        '{{ $value | printf "%.0f" }} within 15 minutes: drops, remote errors, timeouts or packets sent again.',
    ),
    Alert(
        "GpuMemoryNearlyFull",
        # Who has a GPU alone takes all its memory on purpose: training does, and vLLM as much as it is told to.
        # Of a shared GPU there is a series for each pod, and one of the whole GPU, which is the largest.
        f"max by ({INSTANCE}) (DCGM_FI_DEV_FB_USED)"
        f" / (max by ({INSTANCE}) (DCGM_FI_DEV_FB_USED) + max by ({INSTANCE}) (DCGM_FI_DEV_FB_FREE)) > 0.97"
        f' and on ({INSTANCE}) count by ({INSTANCE}) (DCGM_FI_DEV_FB_USED{{vgpu!=""}})',
        AlertSeverity.WARNING,
        "overloaded-servers",
        SHARED,
        f"The memory of {_ON_GPU}, which pods share, is nearly full",
        "{{ $value | humanizePercentage }} in use: the next pod that asks for memory there fails.",
        held="10m",
    ),
)
