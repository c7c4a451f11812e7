"""What releases take that serve no accelerators: autoscalers, what brings secrets, controllers of workloads, monitoring."""

from collections.abc import Callable
from typing import TypeVar

from eks_accelerators.accelerators import autoscaler
from eks_accelerators.settings.model.base import Model
from eks_accelerators.settings.model.monitoring import PrometheusKind
from eks_accelerators.settings.model.node_autoscaling import NodeAutoscaler
from eks_accelerators.settings.model.node_groups import CapacityType
from eks_accelerators.settings.prometheus_address import NAMESPACE
from eks_accelerators.settings.release_inputs import (
    ClusterAutoscalerInputs,
    ExternalSecretsInputs,
    KarpenterInputs,
    KedaInputs,
    KubePrometheusStackInputs,
    KubeStateMetricsInputs,
    ReloaderInputs,
)
from eks_accelerators.settings.resolved_stack import ResolvedStack

M = TypeVar("M", bound=Model)


def cluster_autoscaler(stack: ResolvedStack) -> ClusterAutoscalerInputs | None:
    """What Cluster Autoscaler takes, or None where it scales no group."""
    wanted, monitoring = stack.settings.cluster_autoscaler, stack.settings.monitoring
    scaled = [
        group for group in stack.groups.values() if group.settings.autoscaler is NodeAutoscaler.CLUSTER_AUTOSCALER
    ]
    version = wanted.version or autoscaler.image_version(stack.settings.cluster.kubernetes_version)
    if not (scaled and version):
        return None
    return ClusterAutoscalerInputs(
        version=version,
        spot_node_groups=tuple(group.name for group in scaled if group.settings.bought_as is CapacityType.SPOT),
        scale_down_unneeded_time=wanted.scale_down_unneeded_time,
        max_node_provision_time=wanted.max_node_provision_time,
        service_monitor=monitoring.has_operator,
        service_monitor_labels=dict(monitoring.object_labels),
    )


def karpenter(stack: ResolvedStack) -> KarpenterInputs | None:
    """What Karpenter takes, or None where it makes no nodes."""
    monitoring = stack.settings.monitoring
    if not any(group.is_karpenters for group in stack.groups.values()):
        return None
    return KarpenterInputs(
        replicas=stack.settings.karpenter.replicas,
        service_monitor=monitoring.has_operator,
        service_monitor_labels=dict(monitoring.object_labels),
    )


def keda(stack: ResolvedStack) -> KedaInputs | None:
    """What KEDA takes, or None where no workload follows its load."""
    scaled = any(server.autoscaling for _, server in stack.settings.workloads.servers())
    return KedaInputs() if scaled else None


def external_secrets(stack: ResolvedStack) -> ExternalSecretsInputs | None:
    """What External Secrets takes, or None where no workload names a secret of AWS Secrets Manager."""
    each = stack.settings.workloads.each()
    names = dict.fromkeys(secret.source.name for _, _, workload in each for secret in workload.synced_secrets.values())
    return ExternalSecretsInputs(secrets=tuple(names)) if names else None


def reloader(stack: ResolvedStack) -> ReloaderInputs | None:
    """What Reloader takes, or None where no server reads a secret that changes by itself, or is to be left alone."""
    if not stack.settings.secrets.roll_servers:
        return None
    servers = (server for _, server in stack.settings.workloads.servers())
    reading = (server for server in servers if any(secret.is_read for secret in server.synced_secrets.values()))
    namespaces = dict.fromkeys(server.namespace for server in reading)
    return ReloaderInputs(namespaces=tuple(namespaces)) if namespaces else None


def where_asked_for(release: str, takes: type[M]) -> Callable[[ResolvedStack], M | None]:
    """What a release takes whose kinds of objects workloads are made of: nothing but its defaults, where one is."""

    def inputs(stack: ResolvedStack) -> M | None:
        asked = any(release in workload.needs_releases for _, _, workload in stack.settings.workloads.each())
        return takes() if asked else None

    return inputs


def kube_prometheus_stack(stack: ResolvedStack) -> KubePrometheusStackInputs | None:
    """What kube-prometheus-stack takes, or None where the stack brings no Prometheus of its own."""
    monitoring = stack.settings.monitoring
    if monitoring.prometheus is not PrometheusKind.STACK:
        return None
    receiver = monitoring.alerts.receiver if monitoring.alerts.enabled else None
    kept = {} if monitoring.retention_days is None else {"retention_days": monitoring.retention_days}
    return KubePrometheusStackInputs(
        storage_gib=monitoring.storage.size_gib,
        storage_class=monitoring.storage.storage_class,
        grafana=monitoring.dashboards,
        topic_arn=receiver.sns.topic_arn if receiver and receiver.sns else None,
        slack_channel=receiver.slack.channel if receiver and receiver.slack else None,
        severities=monitoring.alerts.severities,
        namespace=NAMESPACE,
        **kept,
    )


def kube_state_metrics(stack: ResolvedStack) -> KubeStateMetricsInputs | None:
    """What kube-state-metrics takes, or None where another brings it: Amazon's Prometheus brings nothing into the cluster."""
    return KubeStateMetricsInputs() if stack.settings.monitoring.prometheus is PrometheusKind.AMP else None
