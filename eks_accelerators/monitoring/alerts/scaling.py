"""Autoscalers that cannot do what they should, and quotas that stop pods."""

from eks_accelerators.monitoring.alerts.alert import Alert, AlertSeverity
from eks_accelerators.monitoring.alerts.concerns import ACCELERATORS, AUTOSCALED, POOLS, SCALED_NODES, SCALED_SERVERS
from eks_accelerators.monitoring.alerts.phrases import grown, grown_while_watched

_QUOTED = "requests.(nvidia.com|aws.amazon.com)/.+"
"""Quotas know resources of a device plugin under this name alone."""

_QUOTA = "namespace, resourcequota, resource"
_TRIGGER = "namespace, scaledObject"

EXPECTED = "accelerator:autoscaler_expected"
"""The autoscalers that a stack deploys."""

DEPLOYMENTS = ("cluster-autoscaler", "karpenter", "keda-operator")
"""Their Deployments; what a release puts behind the name is a random number."""

NEVER_CAME = (
    'karpenter_nodeclaims_disrupted_total{reason=~"insufficient_capacity|nodeclass_not_ready|launch_timeout|'
    'registration_timeout"}'
)
"""Why Karpenter gives up a node that never came. Source: kubernetes-sigs/karpenter v1.14.1,
`pkg/controllers/nodeclaim/lifecycle/launch.go` and `liveness.go`, read 2026-11-22."""

_POOL = "nodepool, resource_type"

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
        "KarpenterNodesNotLaunching",
        grown_while_watched(NEVER_CAME, "30m", "nodepool, reason") + " > 0",
        AlertSeverity.WARNING,
        "no-capacity",
        POOLS,
        "Karpenter gets no nodes for {{ $labels.nodepool }}: {{ $labels.reason }}",
        '{{ $value | printf "%.0f" }} nodes within 30 minutes never came.',
    ),
    Alert(
        "KarpenterLimitNearlyReached",
        f"max by ({_POOL}) (karpenter_nodepools_usage) / (max by ({_POOL}) (karpenter_nodepools_limit) > 0) > 0.9",
        AlertSeverity.INFO,
        "no-capacity",
        POOLS,
        "{{ $labels.nodepool }} has nearly as many {{ $labels.resource_type }} as it may have",
        "{{ $value | humanizePercentage }} of the limit of the pool: no more nodes come soon.",
        held="15m",
    ),
    Alert(
        "AutoscalerMissing",
        f"{EXPECTED} unless on (autoscaler) label_replace(kube_deployment_status_replicas_ready > 0,"
        f' "autoscaler", "$1", "deployment", "({"|".join(DEPLOYMENTS)})(-[0-9a-f]+)?")'
        " and on () count(kube_deployment_status_replicas_ready) > 0",
        AlertSeverity.WARNING,
        "autoscalers",
        AUTOSCALED,
        "Nothing runs of the autoscaler {{ $labels.autoscaler }}",
        "Its Deployment has no pod that is ready, or is gone. Who is gone is no target either, and misses no scrape.",
        held="10m",
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
        # A window as long as it holds would make four questions before Prometheus is up an alert.
        f"{grown('keda_scaler_detail_errors_total', '5m', _TRIGGER)} > 3"
        f" or {grown('keda_scaler_empty_upstream_responses_total', '5m', _TRIGGER)} > 3",
        AlertSeverity.WARNING,
        "autoscalers",
        SCALED_SERVERS,
        "KEDA gets no answer for {{ $labels.namespace }}/{{ $labels.scaledObject }}",
        '{{ $value | printf "%.0f" }} questions within 5 minutes failed or had no answer: replicas do not follow the load.',
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
