"""Pods that want an accelerator and get none, or have one and do not work."""

from eks_accelerators.monitoring.alerts.alert import Alert, AlertSeverity
from eks_accelerators.monitoring.alerts.concerns import ACCELERATORS
from eks_accelerators.monitoring.alerts.phrases import ALIVE, HOLDING, WAITING

_POD = "by (namespace, pod)"

ALERTS = (
    Alert(
        "AcceleratorPodUnschedulable",
        WAITING,
        AlertSeverity.WARNING,
        "no-capacity",
        ACCELERATORS,
        "Pod {{ $labels.namespace }}/{{ $labels.pod }} finds no accelerator",
        "No node has what it asks for, and none has come.",
        held="15m",
    ),
    Alert(
        "AcceleratorPodNotReady",
        # A pod without a node is neither ready nor not: it has no such condition yet.
        f'max {_POD} (kube_pod_status_ready{{condition="false"}}) == 1 and on (namespace, pod) ({ALIVE})'
        f" and on (namespace, pod) ({HOLDING})",
        AlertSeverity.WARNING,
        "broken-pods",
        ACCELERATORS,
        "Pod {{ $labels.namespace }}/{{ $labels.pod }} holds an accelerator and is not ready",
        "Loading a model from the network takes minutes, not half an hour.",
        held="30m",
    ),
    Alert(
        "AcceleratorPodRestarting",
        f"sum {_POD} (increase(kube_pod_container_status_restarts_total[1h])) > 3 and on (namespace, pod) ({HOLDING})",
        AlertSeverity.WARNING,
        "broken-pods",
        ACCELERATORS,
        "Pod {{ $labels.namespace }}/{{ $labels.pod }} holds an accelerator and restarts",
        '{{ $value | printf "%.0f" }} times within an hour.',
    ),
)
