"""What is said of the metrics and alerts of a stack: whose there are, and which alerts cannot be."""

from collections.abc import Iterator

from eks_accelerators.accel.reports.check import AlertLeftOut, MonitoringReport
from eks_accelerators.monitoring.alerts import Alert
from eks_accelerators.monitoring.deployment import alerts_left_out, ends_once_deployed
from eks_accelerators.monitoring.metrics import exporters
from eks_accelerators.monitoring.rules import rules_of
from eks_accelerators.monitoring.scraping import emitted
from eks_accelerators.settings.model.monitoring import PrometheusKind
from eks_accelerators.settings.resolved_stack import ResolvedStack


def monitoring_report(stack: ResolvedStack) -> MonitoringReport | None:
    """What a Prometheus has of the stack; None where it has none."""
    monitoring = stack.settings.monitoring
    if monitoring.prometheus is PrometheusKind.NONE:
        return None
    found = emitted(stack)
    groups = rules_of(stack, found, ends_once_deployed(stack)) if monitoring.alerts.enabled else ()
    return MonitoringReport(
        prometheus=monitoring.prometheus,
        exporters=tuple(sorted(exporters()[each].title for each in found)),
        alerts=sum(isinstance(rule, Alert) for group in groups for rule in group.rules),
        alerts_left_out=tuple(AlertLeftOut(alert=each.alert, reason=each.reason) for each in alerts_left_out(stack)),
    )


def lines(report: MonitoringReport) -> Iterator[tuple[str, str]]:
    """What the monitoring of a stack reads, alerts to and leaves out, for people: pairs of subject and sentence."""
    yield "read by", report.prometheus.value
    yield "metrics", ", ".join(report.exporters) or "nobody"
    yield "alerts", f"{report.alerts} deployed" if report.alerts else "none"
    reasons = dict.fromkeys(each.reason for each in report.alerts_left_out)
    for reason in reasons:
        names = ", ".join(each.alert for each in report.alerts_left_out if each.reason == reason)
        yield "left out", f"{names}: {reason}"
