"""Autoscalers that cannot do what they should, and quotas that stop pods."""

from eks_accelerators.monitoring.alerts.alert import Alert, AlertSeverity
from eks_accelerators.monitoring.alerts.concerns import ACCELERATORS, SCALED_NODES, SCALED_SERVERS
from eks_accelerators.monitoring.alerts.phrases import grown

_QUOTED = "requests.(nvidia.com|aws.amazon.com)/.+"
"""Quotas know resources of a device plugin under this name alone."""

_QUOTA = "namespace, resourcequota, resource"
_TRIGGER = "namespace, scaledObject"

ALERTS = (
    Alert(
        "NodesNotLaunching",
        grown("cluster_autoscaler_failed_scale_ups_total", "30m", "reason") + " > 0",
        AlertSeverity.WARNING,
        "no-capacity",
        SCALED_NODES,
        "The Cluster Autoscaler gets no nodes: {{ $labels.reason }}",
        '{{ $value | printf "%.0f" }} attempts within 30 minutes failed.',
    ),
    Alert(
        "AutoscalerStopped",
        "max(cluster_autoscaler_cluster_safe_to_autoscale) == 0",
        AlertSeverity.WARNING,
        "autoscalers",
        SCALED_NODES,
        "The Cluster Autoscaler does nothing",
        "Too many nodes are not ready.",
        held="15m",
    ),
    Alert(
        "AutoscalerBlind",
        f"{grown('keda_scaler_detail_errors_total', '10m', _TRIGGER)} > 3"
        f" or {grown('keda_scaler_empty_upstream_responses_total', '10m', _TRIGGER)} > 3",
        AlertSeverity.WARNING,
        "autoscalers",
        SCALED_SERVERS,
        "KEDA gets no answer for {{ $labels.namespace }}/{{ $labels.scaledObject }}",
        '{{ $value | printf "%.0f" }} questions within 10 minutes failed or had no answer: replicas do not follow the load.',
        held="10m",
    ),
    Alert(
        "AcceleratorQuotaNearlyUsed",
        f'max by ({_QUOTA}) (kube_resourcequota{{type="used", resource=~"{_QUOTED}"}})'
        f' / (max by ({_QUOTA}) (kube_resourcequota{{type="hard", resource=~"{_QUOTED}"}}) > 0) > 0.9',
        AlertSeverity.INFO,
        "no-capacity",
        ACCELERATORS,
        "{{ $labels.namespace }} has nearly used its {{ $labels.resource }}",
        "{{ $value | humanizePercentage }} of the quota {{ $labels.resourcequota }}.",
        held="15m",
    ),
)
