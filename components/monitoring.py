"""What monitors a stack: exporters of its own, and what tells Prometheus and Grafana of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pulumi

from eks_accelerators import components
from eks_accelerators.components.chart_releases import Released, after
from eks_accelerators.components.kube_prometheus_stack import KubePrometheusStack
from eks_accelerators.components.managed_prometheus import ManagedPrometheusInputs
from eks_accelerators.components.prometheus_objects import PrometheusObjectsInputs, pod_monitors
from eks_accelerators.monitoring.dashboards import dashboards_of
from eks_accelerators.monitoring.deployment import ends_once_deployed
from eks_accelerators.monitoring.receivers import alertmanager_config
from eks_accelerators.monitoring.rule_files import as_rule_file, as_text
from eks_accelerators.monitoring.rules import RECORDED, rules_of
from eks_accelerators.monitoring.scraping import as_configuration, emitted, targets
from eks_accelerators.settings.controller_releases import keda
from eks_accelerators.settings.model.monitoring import PrometheusKind
from eks_accelerators.settings.neuron_monitor import NEURON_MONITOR, neuron_monitor
from eks_accelerators.settings.resolved_stack import ResolvedStack

BlockEnds = Mapping[str, pulumi.Input[str]]
"""When Capacity Blocks end, as AWS says, by their names in the settings."""


@dataclass(frozen=True, slots=True)
class MonitoredStack:
    """A stack, what AWS says of it, and the Pulumi configuration with its secrets."""

    stack: ResolvedStack
    block_ends: BlockEnds
    config: pulumi.Config


@dataclass(frozen=True, slots=True)
class AwsSurroundings:
    """The cluster, and what AWS's parts of its monitoring need beside it."""

    name: str
    cluster: components.Cluster
    subnet_ids: Sequence[pulumi.Input[str]]
    tags: dict[str, str]


def before_releases(
    stack: ResolvedStack, there: AwsSurroundings, opts: pulumi.ResourceOptions
) -> list[pulumi.Resource]:
    """What has to be there before Prometheus is: the right of Alertmanager to publish alerts to a topic."""
    alerts = stack.settings.monitoring.alerts
    topic = alerts.receiver and alerts.enabled and alerts.receiver.sns
    if not topic or stack.settings.monitoring.prometheus is not PrometheusKind.STACK:
        return []
    args: components.AlertTopicAccessArgs = {
        "cluster_name": there.cluster.cluster_name,
        "topic_arn": topic.topic_arn,
        "tags": there.tags,
    }
    return [components.AlertTopicAccess(f"{there.name}-alerts", args, opts)]


def add_monitoring(monitored: MonitoredStack, released: Released, opts: pulumi.ResourceOptions) -> None:
    """Add what the stack's settings ask for. ``opts`` have the provider of the cluster."""
    if inputs := neuron_monitor(monitored.stack):
        components.NeuronMonitor.of(NEURON_MONITOR, inputs, opts)
    if monitored.stack.settings.monitoring.has_operator:
        objects = _objects(monitored, [each for each in released.kinds if isinstance(each, KubePrometheusStack)])
        components.PrometheusObjects.of("monitoring", objects, after(opts, released.kinds))


def managed_prometheus(monitored: MonitoredStack, there: AwsSurroundings) -> components.ManagedPrometheus | None:
    """The Prometheus that AWS keeps outside the cluster, where the settings ask for it."""
    if monitored.stack.settings.monitoring.prometheus is not PrometheusKind.AMP:
        return None
    return components.ManagedPrometheus.of(f"{there.name}-metrics", _managed(monitored, there))


def before_keda(
    stack: ResolvedStack,
    managed: components.ManagedPrometheus | None,
    there: AwsSurroundings,
    opts: pulumi.ResourceOptions,
) -> list[pulumi.Resource]:
    """What has to be there before KEDA is: its right to ask Amazon's Prometheus."""
    if managed is None or keda(stack) is None:
        return []
    args: components.ManagedPrometheusAccessArgs = {
        "cluster_name": there.cluster.cluster_name,
        "workspace_arn": managed.workspace_arn,
        "tags": there.tags,
    }
    return [components.ManagedPrometheusAccess(f"{there.name}-load", args, opts)]


def add_cloud_watch(monitored: MonitoredStack, there: AwsSurroundings, nodes: pulumi.ResourceOptions) -> None:
    """Add what CloudWatch has in the cluster. ``nodes``: there are nodes without a taint."""
    settings = monitored.stack.settings
    if settings.monitoring.cloud_watch:
        args: components.CloudWatchObservabilityArgs = {
            "region": settings.region,
            "cluster_name": there.cluster.cluster_name,
            "exporters": settings.monitoring.cloud_watch_exporters,
            "tags": there.tags,
        }
        components.CloudWatchObservability(f"{there.name}-cloudwatch", args, nodes)


def _managed(monitored: MonitoredStack, there: AwsSurroundings) -> ManagedPrometheusInputs:
    monitoring = monitored.stack.settings.monitoring
    alerts = monitoring.alerts
    topic = alerts.receiver.sns.topic_arn if alerts.receiver and alerts.receiver.sns else None
    return ManagedPrometheusInputs(
        cluster_arn=there.cluster.cluster_arn,
        subnet_ids=there.subnet_ids,
        scrape_configuration=as_configuration(targets(monitored.stack)),
        rules=rule_file(monitored).apply(as_text) if alerts.enabled else None,
        alertmanager=alertmanager_config(alerts.severities, topic_arn=topic) if alerts.enabled else None,
        retention_days=monitoring.retention_days,
        tags=there.tags,
    )


def _objects(monitored: MonitoredStack, stacks: list[KubePrometheusStack]) -> PrometheusObjectsInputs:
    monitoring = monitored.stack.settings.monitoring
    slack = monitoring.alerts.receiver and monitoring.alerts.enabled and monitoring.alerts.receiver.slack
    return PrometheusObjectsInputs(
        pod_monitors=pod_monitors(targets(monitored.stack)),
        rules=rule_file(monitored) if monitoring.alerts.enabled or monitoring.dashboards else None,
        dashboards=_dashboards(monitored) if monitoring.dashboards else {},
        labels=monitoring.object_labels,
        slack_webhook=monitored.config.require_secret(slack.webhook.config_secret) if slack and stacks else None,
        alertmanager_namespace=stacks[0].namespace_name if stacks else None,
    )


def rule_file(monitored: MonitoredStack) -> pulumi.Output[dict[str, Any]]:
    """The rules of the stack, once AWS has said when its Capacity Blocks end; alerts where they are enabled."""
    stack = monitored.stack

    def written(ends: Mapping[str, str]) -> dict[str, Any]:
        has_alerts = stack.settings.monitoring.alerts.enabled
        groups = rules_of(stack, emitted(stack), _times(ends))
        return as_rule_file(group for group in groups if has_alerts or group.name == RECORDED)

    return _known(monitored).apply(written)


def _dashboards(monitored: MonitoredStack) -> dict[str, pulumi.Input[str]]:
    """Dashboards by name. Which there are is known before AWS says when blocks end, only not what is in them."""
    stack = monitored.stack

    def written(ends: Mapping[str, str]) -> dict[str, str]:
        return {each.name: each.json for each in dashboards_of(stack, emitted(stack), _times(ends))}

    every = _known(monitored).apply(written)
    names = [each.name for each in dashboards_of(stack, emitted(stack), ends_once_deployed(stack))]
    return {name: every.apply(lambda found, name=name: str(found[name])) for name in names}  # type: ignore[misc]


def _known(monitored: MonitoredStack) -> pulumi.Output[Mapping[str, str]]:
    ends: Any = dict(monitored.block_ends)
    return pulumi.Output.from_input(ends)


def _times(ends: Mapping[str, str]) -> dict[str, datetime]:
    return {name: datetime.fromisoformat(end) for name, end in ends.items()}
