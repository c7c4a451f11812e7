"""What monitors a stack: exporters of its own, and what tells Prometheus and Grafana of them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import pulumi

from eks_accelerators import components
from eks_accelerators.components.kube_prometheus_stack import KubePrometheusStack
from eks_accelerators.components.managed_prometheus import ManagedPrometheusInputs
from eks_accelerators.components.prometheus_objects import PrometheusObjectsInputs, pod_monitors
from eks_accelerators.components.stack.chart_releases import Released, after
from eks_accelerators.components.stack.foundation import Foundation
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


def before_prometheus(base: Foundation) -> list[pulumi.Resource]:
    """What has to be there before Prometheus is: the right of Alertmanager to publish alerts to a topic."""
    alerts = base.settings.monitoring.alerts
    topic = alerts.receiver and alerts.enabled and alerts.receiver.sns
    if not topic or base.settings.monitoring.prometheus is not PrometheusKind.STACK:
        return []
    args: components.AlertTopicAccessArgs = {
        "cluster_name": base.cluster.cluster_name,
        "topic_arn": topic.topic_arn,
        "tags": base.tags,
    }
    return [components.AlertTopicAccess(f"{base.name}-alerts", args, base.in_cluster)]


def add_monitoring(base: Foundation, ends: BlockEnds, released: Released) -> None:
    """Add what the stack's settings ask for."""
    if inputs := neuron_monitor(base.stack):
        components.NeuronMonitor.of(NEURON_MONITOR, inputs, base.in_cluster)
    if base.settings.monitoring.has_operator:
        objects = _objects(base, ends, [each for each in released.kinds if isinstance(each, KubePrometheusStack)])
        components.PrometheusObjects.of("monitoring", objects, after(base.in_cluster, released.kinds))


def managed_prometheus(base: Foundation, ends: BlockEnds) -> components.ManagedPrometheus | None:
    """The Prometheus that AWS keeps outside the cluster, where the settings ask for it."""
    if base.settings.monitoring.prometheus is not PrometheusKind.AMP:
        return None
    return components.ManagedPrometheus.of(f"{base.name}-metrics", _managed(base, ends))


def before_keda(base: Foundation, managed: components.ManagedPrometheus | None) -> list[pulumi.Resource]:
    """What has to be there before KEDA is: its right to ask Amazon's Prometheus."""
    if managed is None or keda(base.stack) is None:
        return []
    args: components.ManagedPrometheusAccessArgs = {
        "cluster_name": base.cluster.cluster_name,
        "workspace_arn": managed.workspace_arn,
        "tags": base.tags,
    }
    return [components.ManagedPrometheusAccess(f"{base.name}-load", args, base.in_cluster)]


def add_cloud_watch(base: Foundation) -> None:
    """Add what CloudWatch has in the cluster."""
    monitoring = base.settings.monitoring
    if monitoring.cloud_watch:
        args: components.CloudWatchObservabilityArgs = {
            "region": base.settings.region,
            "cluster_name": base.cluster.cluster_name,
            "exporters": monitoring.cloud_watch_exporters,
            "tags": base.tags,
        }
        components.CloudWatchObservability(f"{base.name}-cloudwatch", args, base.in_cluster)


def _managed(base: Foundation, ends: BlockEnds) -> ManagedPrometheusInputs:
    monitoring = base.settings.monitoring
    alerts = monitoring.alerts
    topic = alerts.receiver.sns.topic_arn if alerts.receiver and alerts.receiver.sns else None
    return ManagedPrometheusInputs(
        cluster_arn=base.cluster.cluster_arn,
        subnet_ids=base.network.subnet_ids,
        scrape_configuration=as_configuration(targets(base.stack)),
        rules=rule_file(base.stack, ends).apply(as_text) if alerts.enabled else None,
        alertmanager=alertmanager_config(alerts.severities, topic_arn=topic) if alerts.enabled else None,
        retention_days=monitoring.retention_days,
        tags=base.tags,
    )


def _objects(base: Foundation, ends: BlockEnds, stacks: list[KubePrometheusStack]) -> PrometheusObjectsInputs:
    monitoring = base.settings.monitoring
    slack = monitoring.alerts.receiver and monitoring.alerts.enabled and monitoring.alerts.receiver.slack
    return PrometheusObjectsInputs(
        pod_monitors=pod_monitors(targets(base.stack)),
        rules=rule_file(base.stack, ends) if monitoring.alerts.enabled or monitoring.dashboards else None,
        dashboards=_dashboards(base.stack, ends) if monitoring.dashboards else {},
        labels=monitoring.object_labels,
        slack_webhook=base.config.require_secret(slack.webhook.config_secret) if slack and stacks else None,
        alertmanager_namespace=stacks[0].namespace_name if stacks else None,
    )


def rule_file(stack: ResolvedStack, ends: BlockEnds) -> pulumi.Output[dict[str, Any]]:
    """The rules of the stack, once AWS has said when its Capacity Blocks end; alerts where they are enabled."""

    def written(known: Mapping[str, str]) -> dict[str, Any]:
        alerts = stack.settings.monitoring.alerts
        groups = rules_of(stack, emitted(stack), _times(known))
        return as_rule_file((group for group in groups if alerts.enabled or group.name == RECORDED), alerts.runbooks)

    return _known(ends).apply(written)


def _dashboards(stack: ResolvedStack, ends: BlockEnds) -> dict[str, pulumi.Input[str]]:
    """Dashboards by name. Which there are is known before AWS says when blocks end, only not what is in them."""

    def written(known: Mapping[str, str]) -> dict[str, str]:
        return {each.name: each.json for each in dashboards_of(stack, emitted(stack), _times(known))}

    every = _known(ends).apply(written)
    names = [each.name for each in dashboards_of(stack, emitted(stack), ends_once_deployed(stack))]
    return {name: every.apply(lambda found, name=name: str(found[name])) for name in names}  # type: ignore[misc]


def _known(ends: BlockEnds) -> pulumi.Output[Mapping[str, str]]:
    inputs: Any = dict(ends)
    return pulumi.Output.from_input(inputs)


def _times(ends: Mapping[str, str]) -> dict[str, datetime]:
    return {name: datetime.fromisoformat(end) for name, end in ends.items()}
