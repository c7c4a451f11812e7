"""Accelerators, nodes and metrics that should be there and are not."""

from eks_accelerators.monitoring.alerts.alert import Alert, AlertSeverity
from eks_accelerators.monitoring.alerts.concerns import ACCELERATORS, DIVIDED, NOT_CLAIMED, NVIDIA
from eks_accelerators.monitoring.alerts.phrases import (
    CLAIMED,
    DEVICES,
    GPU_PRESENT,
    NEURON_PRESENT,
    NVIDIA_RESOURCES,
    ONE_NAME_EACH,
    READY,
)
from eks_accelerators.monitoring.metrics import Exporter

_GPU_NODES = f'max by (node) (kube_node_labels{{{GPU_PRESENT}="true"}})'
_OURS = f"(.+[-/])?({'|'.join(each.value for each in Exporter if each is not Exporter.PROMETHEUS)})(-.+)?"
"""Jobs of every exporter, as words: some begin with a namespace or a release, and `minimal` is no `nim`."""
_NOT_READY = 'max by (namespace, pod) (kube_pod_status_ready{condition="true"}) == 0'

LAYOUT = "accelerator:mig_layout"
"""What a node of a group whose GPUs MIG divides is to have, by resource."""
_HAS = f'max by (node, resource) (kube_node_status_capacity{{resource=~"{NVIDIA_RESOURCES}"}}) > 0'
_OF_GROUP = "max by (node, node_group) (accelerator:node_info)"
_AS_PLANNED = (
    f"({_HAS}) * on (node) group_left (node_group) {_OF_GROUP} == on (node_group, resource) group_left () {LAYOUT}"
)

ALERTS = (
    Alert(
        "GpuExporterMissing",
        f"{_GPU_NODES} and on (node) ({READY}) unless on (node) count by (node) (DCGM_FI_DEV_GPU_TEMP)",
        AlertSeverity.CRITICAL,
        "missing-plugin-or-exporter",
        NVIDIA,
        "Nobody measures the GPUs of {{ $labels.node }}",
        "Without the exporter no other alert about them fires.",
        held="10m",
    ),
    Alert(
        "NodeWithoutItsAccelerators",
        f'(max by (node) (kube_node_labels{{{GPU_PRESENT}="true", {CLAIMED}!="true"}})'
        f' or max by (node) (kube_node_labels{{{NEURON_PRESENT}="true"}})) and on (node) ({READY})'
        f' unless on (node) sum by (node) (kube_node_status_allocatable{{resource=~"{ONE_NAME_EACH}"}}) > 0',
        AlertSeverity.CRITICAL,
        "missing-plugin-or-exporter",
        NOT_CLAIMED,
        "{{ $labels.node }} is ready and offers no accelerator",
        "Its device plugin does not run, or finds no device.",
        held="10m",
    ),
    Alert(
        "MigLayoutWrong",
        # By capacity, which has devices that are not well too. A node that has none at all has an alert of its own.
        f"{_OF_GROUP} and on (node_group) {LAYOUT} and on (node) ({_HAS})"
        f" unless on (node) count by (node, node_group) ({_AS_PLANNED})"
        f" == on (node_group) group_left () count by (node_group) ({LAYOUT})",
        AlertSeverity.WARNING,
        "missing-plugin-or-exporter",
        DIVIDED,
        "The GPUs of {{ $labels.node }} are not divided as {{ $labels.node_group }} wants it",
        "Pods that ask for the instances of the stack file find none there, or fewer.",
        held="10m",
    ),
    Alert(
        "AcceleratorDeviceLost",
        # Of a plugin that does not run, or starts anew, a node offers nothing, while its capacity stays for five minutes.
        f'max by (node, resource) (kube_node_status_capacity{{resource=~"{DEVICES}"}})'
        f' - (max by (node, resource) (kube_node_status_allocatable{{resource=~"{DEVICES}"}}) > 0) > 0',
        AlertSeverity.CRITICAL,
        "replace-a-gpu-node",
        NOT_CLAIMED,
        "{{ $labels.node }} has lost {{ $value }} of its {{ $labels.resource }}",
        "The device plugin found a device unhealthy and hands it out no more.",
        held="5m",
    ),
    Alert(
        "AcceleratorNodeUnhealthy",
        # Of a kubelet that says nothing any more `Ready` is unknown, not false.
        'max by (node, condition) (kube_node_status_condition{status=~"false|unknown",'
        ' condition=~"Ready|KernelReady|NetworkingReady|StorageReady|ContainerRuntimeReady"}) == 1'
        f' and on (node) ({_GPU_NODES} or max by (node) (kube_node_labels{{{NEURON_PRESENT}="true"}}))',
        AlertSeverity.WARNING,
        "replace-a-gpu-node",
        ACCELERATORS,
        "{{ $labels.condition }} of the accelerator node {{ $labels.node }} is not true",
        "The kubelet or the node monitoring agent says so, or the kubelet says nothing; node repair, where it is on, acts after 30 minutes.",
        held="10m",
    ),
    Alert(
        "AcceleratorMetricsMissing",
        # A server that loads its model listens to nobody yet, and a pod that does not get ready has an alert of its own.
        f'max by (job, instance, node) (up{{job=~"{_OURS}"}} unless on (namespace, pod) {_NOT_READY}) == 0',
        AlertSeverity.WARNING,
        "missing-plugin-or-exporter",
        ACCELERATORS,
        "{{ $labels.job }} at {{ $labels.instance }} does not answer",
        "Rules that need its metrics are silent meanwhile.",
        held="10m",
    ),
)
