"""Where the Prometheus of a stack answers queries, for those in the cluster that ask it."""

from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.model.monitoring import PrometheusKind

NAMESPACE = "monitoring"
"""Namespace that kube-prometheus-stack is released into."""

OBJECTS_NAMESPACE = "accelerator-monitoring"
"""Namespace of the objects that tell a Prometheus, and Grafana, of a stack."""


def can_be_asked(settings: Settings) -> bool:
    """Whether autoscalers in the cluster can ask the stack's Prometheus, at an address that is known at least later."""
    return settings.monitoring.prometheus is PrometheusKind.AMP or prometheus_address(settings) is not None


def prometheus_address(settings: Settings) -> str | None:
    """URL of the Prometheus that autoscalers query; None where none is known beforehand.

    The service `prometheus-operated` is made by the Prometheus Operator itself, whatever the release is called. That of
    `amp` is known only once the workspace is there.
    Source: prometheus-operator v0.93 `pkg/prometheus/server/operator.go`, read 2026-11-22.
    """
    match settings.monitoring.prometheus:
        case PrometheusKind.STACK:
            return f"http://prometheus-operated.{NAMESPACE}.svc:9090"
        case PrometheusKind.EXISTING:
            return settings.monitoring.prometheus_address
        case _:
            return None
