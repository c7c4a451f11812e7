"""What monitors a stack: exporters of its own, and what tells Prometheus and Grafana of them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import pulumi

from eks_accelerators import components
from eks_accelerators.components.chart_releases import Released, after
from eks_accelerators.components.kube_prometheus_stack import KubePrometheusStack
from eks_accelerators.components.prometheus_objects import PrometheusObjectsInputs, pod_monitors
from eks_accelerators.monitoring.rendering import as_rule_file
from eks_accelerators.monitoring.rules import RECORDED, rules_of
from eks_accelerators.monitoring.scraping import emitted, targets
from eks_accelerators.settings.neuron_monitor import NEURON_MONITOR, neuron_monitor
from eks_accelerators.settings.resolved_stack import ResolvedStack

BlockEnds = Mapping[str, pulumi.Input[str]]
"""When Capacity Blocks end, as AWS says, by their names in the settings."""


def add_monitoring(
    stack: ResolvedStack, released: Released, block_ends: BlockEnds, config: pulumi.Config, opts: pulumi.ResourceOptions
) -> None:
    """Add what the stack's settings ask for. ``opts`` have the provider of the cluster."""
    if inputs := neuron_monitor(stack):
        components.NeuronMonitor.of(NEURON_MONITOR, inputs, opts)
    if stack.settings.monitoring.has_operator:
        _add_objects(stack, released, block_ends, config, after(opts, released.kinds))


def _add_objects(
    stack: ResolvedStack, released: Released, block_ends: BlockEnds, config: pulumi.Config, opts: pulumi.ResourceOptions
) -> None:
    monitoring = stack.settings.monitoring
    slack = monitoring.alerts.receiver and monitoring.alerts.enabled and monitoring.alerts.receiver.slack
    stacks = [each for each in released.kinds if isinstance(each, KubePrometheusStack)]
    inputs = PrometheusObjectsInputs(
        pod_monitors=pod_monitors(targets(stack)),
        rules=rule_file(stack, block_ends) if monitoring.alerts.enabled or monitoring.dashboards else None,
        labels=monitoring.object_labels,
        slack_webhook=config.require_secret(slack.webhook.config_secret) if slack and stacks else None,
        alertmanager_namespace=stacks[0].namespace_name if stacks else None,
    )
    components.PrometheusObjects.of("monitoring", inputs, opts)


def rule_file(stack: ResolvedStack, block_ends: BlockEnds) -> pulumi.Output[dict[str, Any]]:
    """The rules of the stack, once AWS has said when its Capacity Blocks end: alerts where they are enabled."""

    def written(ends: Mapping[str, str]) -> dict[str, Any]:
        known = {name: datetime.fromisoformat(end) for name, end in ends.items()}
        groups = rules_of(stack, emitted(stack), known)
        has_alerts = stack.settings.monitoring.alerts.enabled
        return as_rule_file(group for group in groups if has_alerts or group.name == RECORDED)

    return pulumi.Output.all(**block_ends).apply(written)
