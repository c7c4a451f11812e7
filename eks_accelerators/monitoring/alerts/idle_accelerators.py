"""Accelerators that cost and do nothing. Nobody is woken by that."""

from eks_accelerators.monitoring.alerts.alert import Alert, AlertSeverity
from eks_accelerators.monitoring.alerts.concerns import ALONE, NOT_CLAIMED, VLLM
from eks_accelerators.monitoring.alerts.phrases import ACCELERATORS, ALIVE, ONE_NAME_EACH

_IDLE = 'max by (namespace, pod) (max_over_time({0}{{pod!="", vgpu="", {1}}}[1h]))'
_AN_HOUR_OLD = "on (namespace, pod) (time() - max by (namespace, pod) (kube_pod_start_time) > 3600)"
_MEASURED_AN_HOUR_AGO = 'on (namespace, pod) group by (namespace, pod) (DCGM_FI_DEV_GPU_TEMP{pod!=""} offset 1h)'
"""Otherwise all pods would be idle that were there before whoever measures them."""
_OF_SERVER = "by (namespace, model_name)"

ALERTS = (
    Alert(
        "GpuIdleWithPod",
        # DCGM_FI_DEV_GPU_UTIL is not known of a MIG instance.
        f"({_IDLE.format('DCGM_FI_DEV_GPU_UTIL', 'GPU_I_ID=' + chr(34) * 2)} < 2"
        f" or {_IDLE.format('DCGM_FI_PROF_GR_ENGINE_ACTIVE', 'GPU_I_ID!=' + chr(34) * 2)} < 0.02) and {_AN_HOUR_OLD}"
        f" and {_MEASURED_AN_HOUR_AGO}",
        AlertSeverity.INFO,
        "unused-accelerators",
        ALONE,
        "Pod {{ $labels.namespace }}/{{ $labels.pod }} holds a GPU that has done nothing for an hour",
        "Tell its owner. A model that loads, a checkpoint and a gang that waits look the same.",
    ),
    Alert(
        "ModelServerUnused",
        f"sum {_OF_SERVER} (increase(vllm:request_success_total[6h])) == 0"
        f" and on (namespace, model_name) sum {_OF_SERVER} (vllm:num_requests_running) == 0"
        f" and on (namespace, model_name) sum {_OF_SERVER} (vllm:num_requests_running offset 6h) >= 0",
        AlertSeverity.INFO,
        "unused-accelerators",
        VLLM,
        "Nobody has asked {{ $labels.model_name }} in {{ $labels.namespace }} for 6 hours",
        "Give its replicas back, or let it scale.",
    ),
    Alert(
        "AcceleratorNodeUnused",
        f'sum by (node) (kube_node_status_allocatable{{resource=~"{ONE_NAME_EACH}"}}) > 0 unless on (node)'
        f' sum by (node) (kube_pod_container_resource_requests{{resource=~"{ACCELERATORS}", node!=""}}'
        f" * on (namespace, pod) group_left () ({ALIVE})) > 0",
        AlertSeverity.WARNING,
        "unused-accelerators",
        NOT_CLAIMED,
        "No pod uses an accelerator of {{ $labels.node }}",
        "It has {{ $value }} to give. A Capacity Block is paid for either way.",
        held="30m",
    ),
)
