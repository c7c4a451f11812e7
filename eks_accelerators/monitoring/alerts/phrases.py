"""Pieces of expressions that several alerts have in common."""

from eks_accelerators.accelerators import scheduling
from eks_accelerators.accelerators.sharing import EFA_DEVICE, NEURON_DEVICE, NVIDIA_GPU
from eks_accelerators.monitoring.metrics import node_label, resource_label

GPU = "node, gpu, UUID"
"""What one GPU is told by: its index is that of every node, its UUID says nothing to a reader."""

INSTANCE = f"{GPU}, GPU_I_ID"
"""What a MIG instance is told by; a GPU that is not divided has an empty `GPU_I_ID`."""

NVIDIA_RESOURCES = f"{resource_label(NVIDIA_GPU.partition('/')[0])}_.+"
"""Whole GPUs, their shares and MIG instances, as kube-state-metrics names them."""

ACCELERATORS = f"{NVIDIA_RESOURCES}|{resource_label(NEURON_DEVICE)}.*"
"""Every accelerator's resource. Neuron devices and cores are two names of the same: add them up nowhere."""

ONE_NAME_EACH = f"{NVIDIA_RESOURCES}|{resource_label(NEURON_DEVICE)}"
"""A regular expression of resources in which each accelerator is counted once: Neuron devices, but not their cores."""

DEVICES = f"{ACCELERATORS}|{resource_label(EFA_DEVICE)}"
"""A regular expression of all resources of device plugins: accelerators, and EFA interfaces."""

NODE_GROUP = node_label(scheduling.NODE_GROUP_LABEL)
INSTANCE_TYPE, ZONE = node_label("node.kubernetes.io/instance-type"), node_label("topology.kubernetes.io/zone")
GPU_PRESENT = node_label(scheduling.NVIDIA.label_key)
NEURON_PRESENT = node_label(scheduling.NEURON.label_key)
CLAIMED = node_label(scheduling.DRA_LABEL)

READY = 'max by (node) (kube_node_status_condition{condition="Ready", status="true"}) == 1'
"""A query that has a series for each node that is ready."""

ALIVE = 'max by (namespace, pod) (kube_pod_status_phase{phase=~"Pending|Running"}) == 1'
"""Pods that have not ended. One whose image does not come, or whose volume is not mounted, is pending on its node."""

_NOWHERE = "max by (namespace, pod) (kube_pod_status_unschedulable) == 1"

HOLDING = (
    f'max by (namespace, pod) (kube_pod_container_resource_requests{{resource=~"{ACCELERATORS}", node!=""}})'
    " or max by (namespace, pod) (kube_pod_resourceclaim_info)"
)
"""Pods on a node that ask for an accelerator, and pods with a claim: also those that have ended, or wait for a node with their claim."""

HOLDING_NOW = f"({HOLDING}) and on (namespace, pod) ({ALIVE}) unless on (namespace, pod) {_NOWHERE}"
"""Those of them that are on a node and have not ended."""

WAITING = (
    f'(sum by (namespace, pod) (kube_pod_container_resource_requests{{resource=~"{ACCELERATORS}"}})'
    " or sum by (namespace, pod) (kube_pod_resourceclaim_info))"
    f" and on (namespace, pod) {_NOWHERE}"
    ' unless on (namespace, pod) max by (namespace, pod) (kube_pod_status_reason{reason="SchedulingGated"}) == 1'
)
"""Pods that ask for an accelerator, or claim one, and find no node. Those that Kueue holds back are gated: kube-state-metrics takes
them for unschedulable too, and says why."""


def grown(series: str, window: str, by: str) -> str:
    """By how much a counter has grown within ``window``, also where its series was born above zero.

    `increase()` misses what a series is born with. What Prometheus sees for the first time because it did not look
    before has not grown: only a target that answered before the window counts.
    """
    born = f"({series} > 0 unless {series} offset {window}) and on (job, instance) (up offset {window} == 1)"
    return f"sum by ({by}) (increase({series}[{window}]) > 0 or ({born}))"


def grown_while_watched(series: str, window: str, by: str) -> str:
    """The same of a counter whose series is born with its first event, and that may be scraped for less than ``window``.

    What was born while Prometheus watched is in fewer answers of its target than there were.
    """
    answers = f"sum_over_time(up[{window}])"
    born = f"{series} > 0 and count_over_time({series}[{window}]) < on (job, instance) group_left () {answers}"
    return f"sum by ({by}) (increase({series}[{window}]) > 0 or ({born}))"
