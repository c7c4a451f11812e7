"""GPUs that are broken, or say that they will be.

XIDs are asked of the exporter's window of 5 minutes: the last XID stays until exporter or driver restart, so an alert on
it never ends. What is seen for 5 minutes only fires for 30, to be seen by people.
"""

from eks_accelerators.monitoring import xids
from eks_accelerators.monitoring.alerts.alert import Alert, AlertSeverity
from eks_accelerators.monitoring.alerts.concerns import ACCELERATORS, NVIDIA
from eks_accelerators.monitoring.alerts.phrases import GPU

_XIDS = "DCGM_EXP_XID_ERRORS_COUNT"
_RESET, _APPLICATION = (xids.classes()[name].pattern for name in ("reset", "application"))
_DOUBLE_BIT = f"max by ({GPU}) (DCGM_FI_DEV_ECC_DBE_VOL_TOTAL"
_ON_GPU = "GPU {{ $labels.gpu }} of {{ $labels.node }}"

ALERTS = (
    Alert(
        "GpuXidNeedsReset",
        f'max by ({GPU}, xid) ({_XIDS}{{xid=~"{_RESET}"}}) > 0',
        AlertSeverity.CRITICAL,
        "replace-a-gpu-node",
        NVIDIA,
        f"{_ON_GPU} had XID {{{{ $labels.xid }}}}",
        "{{ $labels.UUID }} needs a reset, which on EKS means another node.",
        kept="30m",
    ),
    Alert(
        "GpuXidOfApplication",
        # XIDs of a GPU are repeated for each pod that shares it and for each of its instances: only where a pod has a
        # whole GPU is it known whose fault it is.
        f'max by ({GPU}, namespace, pod, xid) ({_XIDS}{{xid=~"{_APPLICATION}", vgpu="", GPU_I_ID=""}}) > 0'
        f' or max by ({GPU}, xid) ({_XIDS}{{xid=~"{_APPLICATION}", vgpu!=""}}) > 0'
        f' or max by ({GPU}, xid) ({_XIDS}{{xid=~"{_APPLICATION}", vgpu="", GPU_I_ID!=""}}) > 0',
        AlertSeverity.INFO,
        "application-faults",
        NVIDIA,
        f"A program on {_ON_GPU} caused XID {{{{ $labels.xid }}}}",
        "Pod {{ $labels.namespace }}/{{ $labels.pod }}; empty where pods share the GPU, or its instances do.",
        kept="30m",
    ),
    Alert(
        "GpuXidUnclassified",
        f'max by ({GPU}, xid) ({_XIDS}{{xid!="", xid!~"{xids.known_pattern()}"}}) > 0',
        AlertSeverity.WARNING,
        "replace-a-gpu-node",
        NVIDIA,
        f"{_ON_GPU} had XID {{{{ $labels.xid }}}}, of which nothing is known here",
        "Look it up in NVIDIA's catalogue before the node is trusted again.",
        kept="30m",
    ),
    Alert(
        "GpuRecoveryActionNeeded",
        f"max by ({GPU}) (DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION) > 0",
        AlertSeverity.CRITICAL,
        "replace-a-gpu-node",
        NVIDIA,
        f"The driver of {_ON_GPU} asks for recovery",
        "Action {{ $value }}: 1 and 4 reset the GPU, 2 and 7 reboot, 3 drains its peers, 5 and 6 are of links.",
        held="5m",
    ),
    Alert(
        "GpuHealthFailed",
        f"max by ({GPU}, health_watch, health_error_code) (DCGM_EXP_GPU_HEALTH_STATUS) >= 20",
        AlertSeverity.CRITICAL,
        "replace-a-gpu-node",
        NVIDIA,
        f"DCGM's health check {{{{ $labels.health_watch }}}} of {_ON_GPU} fails",
        "{{ $labels.health_error_code }}",
        held="2m",
    ),
    Alert(
        "GpuDoubleBitEcc",
        # A difference, and no increase(): that misses an error that was there when the series began, as on a new node,
        # and begins anew with each pod.
        f"{_DOUBLE_BIT}) - ({_DOUBLE_BIT} offset 15m) or 0 * {_DOUBLE_BIT})) > 0",
        AlertSeverity.CRITICAL,
        "replace-a-gpu-node",
        NVIDIA,
        f"{_ON_GPU} had memory errors that could not be corrected",
        "{{ $value }} within 15 minutes.",
        kept="30m",
    ),
    Alert(
        "GpuRowRemapFailed",
        f"max by ({GPU}) (DCGM_FI_DEV_ROW_REMAP_FAILURE) > 0",
        AlertSeverity.CRITICAL,
        "replace-a-gpu-node",
        NVIDIA,
        f"{_ON_GPU} has broken memory that cannot be remapped",
        "The GPU has no spare rows left.",
    ),
    Alert(
        "GpuRowRemapPending",
        f"max by ({GPU}) (DCGM_FI_DEV_ROW_REMAP_PENDING) > 0",
        AlertSeverity.WARNING,
        "replace-a-gpu-node",
        NVIDIA,
        f"{_ON_GPU} has broken memory that waits to be remapped",
        "It is remapped when the GPU is reset: replace the node when its pods have ended.",
        held="15m",
    ),
    Alert(
        "AcceleratedHardwareNotReady",
        'max by (node) (kube_node_status_condition{condition="AcceleratedHardwareReady", status="false"}) == 1',
        AlertSeverity.CRITICAL,
        "replace-a-gpu-node",
        ACCELERATORS,
        "The accelerators of {{ $labels.node }} are not ready",
        "The node monitoring agent says so; node repair, where it is on, replaces the node after 10 minutes.",
        held="1m",
    ),
)
