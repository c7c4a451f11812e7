"""Rules about metrics, Prometheus, alerts and dashboards."""

from collections.abc import Iterator

from eks_accelerators.settings.model.monitoring import PrometheusKind
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule


@rule("labels-without-prometheus", Severity.WARNING)
def labels_without_prometheus(context: Context) -> Iterator[RuleFinding]:
    """Labels are for a Prometheus that selects by them: one that is in the cluster already.

    That of the stack takes every object, Amazon's and no Prometheus take none.
    """
    monitoring = context.settings.monitoring
    if monitoring.object_labels and monitoring.prometheus is not PrometheusKind.EXISTING:
        yield RuleFinding(
            "monitoring.objectLabels",
            "nobody selects objects by these labels",
            f"prometheus: {monitoring.prometheus.value}",
            "prometheus: existing",
            "remove the labels, or write `prometheus: existing` where the cluster has the Prometheus Operator",
        )
