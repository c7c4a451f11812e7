"""Rules about metrics, Prometheus, alerts and dashboards."""

from collections.abc import Iterator

from eks_accelerators.accelerators import managed_prometheus
from eks_accelerators.accelerators.partitions import partition_of
from eks_accelerators.settings.metric_volume import metrics_gib
from eks_accelerators.settings.model.monitoring import Monitoring, PrometheusKind
from eks_accelerators.settings.paths import dotted
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.prometheus_storage import OWN_RETENTION_DAYS, usable_gib
from eks_accelerators.settings.rules.networks import no_route, without_nat
from eks_accelerators.settings.rules.node_groups import LABEL_KEY
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule
from eks_accelerators.settings.service_access import monitoring_access, told_outside

_STACK, _EXISTING, _AMP = PrometheusKind.STACK, PrometheusKind.EXISTING, PrometheusKind.AMP
_READ_BY = {
    "object_labels": (_EXISTING,),
    "storage": (_STACK,),
    "retention_days": (_STACK, _AMP),
}
"""Which Prometheus a setting is for, where not every one reads it."""


@rule("prometheus-twice")
def prometheus_twice(context: Context) -> Iterator[RuleFinding]:
    """An address is that of a Prometheus which is there already; `stack` installs another, with an operator of its own.

    Two operators fight over the same objects, and the second release fails at the definitions of the first, or replaces them
    by its own version. Source: kube-prometheus-stack 88.5.3, subchart `crds`, read 2026-11-22.
    """
    monitoring = context.settings.monitoring
    if monitoring.prometheus_address and monitoring.prometheus is not _EXISTING:
        yield RuleFinding(
            "monitoring.prometheusAddress",
            "this address is that of a Prometheus that is in the cluster already",
            f"prometheus: {monitoring.prometheus.value}",
            "prometheus: existing",
            "write `prometheus: existing`, or remove the address",
        )


@rule("monitoring-unused", Severity.WARNING)
def monitoring_unused(context: Context) -> Iterator[RuleFinding]:
    """Labels are for a Prometheus that selects by them, volume and retention for one that the stack makes.

    That of the stack takes every object, whatever its labels; how an existing one keeps metrics is its own.
    """
    monitoring = context.settings.monitoring
    for name, kinds in _READ_BY.items():
        if name in monitoring.model_fields_set and getattr(monitoring, name) and monitoring.prometheus not in kinds:
            allowed = [f"prometheus: {kind.value}" for kind in kinds]
            yield RuleFinding(
                f"monitoring.{Monitoring.model_fields[name].alias}",
                "nobody reads this setting",
                f"prometheus: {monitoring.prometheus.value}",
                " or ".join(allowed),
                f"remove it, or write {' or '.join(f'`{each}`' for each in allowed)}",
            )


@rule("object-labels")
def object_labels(context: Context) -> Iterator[RuleFinding]:
    """Labels of objects have keys that Kubernetes takes: one that it refuses is found only when the object is made.

    Source: Kubernetes documentation, labels: an optional prefix and a name of at most 63 characters.
    """
    for key in context.settings.monitoring.object_labels:
        if not LABEL_KEY.fullmatch(key):
            yield RuleFinding(
                dotted(("monitoring", "objectLabels", key)),
                "this is no key of a label",
                key,
                "prefix/name, name at most 63 characters: letters, digits, dashes, dots and underscores",
                "write the key by which the Prometheus selects, such as release",
            )


@rule("alerts-without-prometheus")
def alerts_without_prometheus(context: Context) -> Iterator[RuleFinding]:
    """Alerts are evaluated, and dashboards filled, by a Prometheus."""
    monitoring = context.settings.monitoring
    if monitoring.prometheus is not PrometheusKind.NONE:
        return
    for path, wanted in (("alerts.enabled", monitoring.alerts.enabled), ("dashboards", monitoring.dashboards)):
        if wanted:
            yield RuleFinding(
                f"monitoring.{path}",
                "there is no Prometheus",
                "true",
                "prometheus: stack, existing or amp",
                f"write `prometheus: stack`, or `{path.partition('.')[0]}: {'{enabled: false}' if '.' in path else 'false'}`",
            )


@rule("dashboards-without-grafana")
def dashboards_without_grafana(context: Context) -> Iterator[RuleFinding]:
    """Dashboards are ConfigMaps, which a Grafana in the cluster reads: Amazon's Prometheus comes without one.

    Source: Amazon Managed Grafana user guide: dashboards by its own API, and sign-in by Identity Center or SAML; read
    2026-11-22.
    """
    monitoring = context.settings.monitoring
    if monitoring.dashboards and monitoring.prometheus is _AMP:
        yield RuleFinding(
            "monitoring.dashboards",
            "nobody in the cluster reads ConfigMaps with dashboards",
            "prometheus: amp",
            "prometheus: stack or existing",
            "write `dashboards: false`, or `prometheus: stack`",
        )


@rule("alert-receiver")
def alert_receiver(context: Context) -> Iterator[RuleFinding]:
    """A receiver is a topic or a channel, and somebody sends alerts to it.

    An existing Alertmanager has receivers of its own. Amazon's sends to topics, in its own region.
    Source: Amazon Managed Service for Prometheus user guide, `AMP-alertmanager-receiver`, read 2026-11-22.
    """
    settings, path = context.settings, "monitoring.alerts.receiver"
    alerts, prometheus = settings.monitoring.alerts, settings.monitoring.prometheus
    receiver = alerts.receiver
    if receiver is None:
        return
    if (receiver.sns is None) == (receiver.slack is None):
        both = "both" if receiver.sns else "neither"
        yield RuleFinding(path, "a receiver is one of the two", both, "sns or slack", "write one of the two")
    elif not alerts.enabled:
        yield RuleFinding(path, "no alerts are deployed", "enabled: false", "enabled: true", "write `enabled: true`")
    elif prometheus is _EXISTING:
        message = "an existing Alertmanager has receivers of its own"
        fix = "remove it, and route by the label `severity` there"
        yield RuleFinding(path, message, "prometheus: existing", "no receiver", fix)
    elif prometheus is _AMP and receiver.slack:
        message = "Amazon's Alertmanager does not send to Slack"
        fix = "write sns: {topicArn: ...}; Amazon Q in chat applications sends from a topic to Slack"
        yield RuleFinding(f"{path}.slack", message, "slack", "sns", fix)
    elif prometheus is _AMP and receiver.sns and receiver.sns.region != settings.region:
        message = "Amazon's Alertmanager sends to topics of its own region"
        yield RuleFinding(
            f"{path}.sns.topicArn", message, receiver.sns.region, settings.region, "use a topic of the region"
        )
    elif receiver.sns and receiver.sns.partition != partition_of(settings.region):
        message = "accounts and rights of one partition of AWS mean nothing in another"
        found, allowed = receiver.sns.partition, partition_of(settings.region)
        yield RuleFinding(f"{path}.sns.topicArn", message, found, allowed, f"use a topic of {settings.region}")


@rule("alerts-to-nobody", Severity.WARNING)
def alerts_to_nobody(context: Context) -> Iterator[RuleFinding]:
    """Alerts that are deployed are told to somebody: without a receiver Alertmanager keeps them to itself.

    An existing Alertmanager has receivers of its own. Source: `eks_accelerators/monitoring/receivers.py`: without a receiver
    every route ends at `null`.
    """
    monitoring = context.settings.monitoring
    alerts = monitoring.alerts
    if alerts.enabled and alerts.receiver is None and monitoring.prometheus in (_STACK, _AMP):
        yield RuleFinding(
            "monitoring.alerts.receiver",
            "nobody is told of alerts: they are seen only by who looks for them",
            "",
            "sns or slack" if monitoring.prometheus is _STACK else "sns",
            "write `receiver: {sns: {topicArn: ...}}`",
        )


@rule("monitoring-no-path")
def monitoring_no_path(context: Context) -> Iterator[RuleFinding]:
    """Without a NAT gateway, KEDA reaches Amazon's Prometheus, and Alertmanager its topic, through endpoints; Slack has none.

    Endpoints are those of their own region. Amazon's own Alertmanager is not in the VPC. What is not known of a network that is
    there says `network-path-unknown`. Source: Amazon Managed Service for Prometheus user guide, `AMP-and-interface-VPC`;
    Amazon SNS developer guide, `sns-vpc-create-endpoint`.
    """
    yield from no_route(context, monitoring_access(context.settings))
    outside = told_outside(context.settings)
    if outside and without_nat(context):
        yield RuleFinding(
            "monitoring.alerts.receiver",
            f"there is no route from Alertmanager to {outside}",
            "natGateways: none",
            "sns of the region, or a NAT gateway",
            "write sns with a topic of the region, or add a NAT gateway",
        )


@rule("two-exporters")
def two_exporters(context: Context) -> Iterator[RuleFinding]:
    """A node has one exporter of each kind: two profile the same counters, and every sum counts twice.

    Source: aws-observability/helm-charts 71a298f, chart amazon-cloudwatch-observability 6.4.0: a DCGM exporter and a
    neuron-monitor of its own, on by default; DCGM documentation, profiling: one client at a time up to Ampere; read 2026-11-22.
    """
    monitoring, groups = context.settings.monitoring, context.resolved.values()
    if not (monitoring.cloud_watch and monitoring.cloud_watch_exporters):
        return
    has_reader = monitoring.prometheus is not PrometheusKind.NONE
    for name, ours, is_measured in (
        ("dcgmExporter", monitoring.dcgm_exporter.enabled, [g for g in groups if g.type.has_nvidia_gpu]),
        (
            "neuronMonitor",
            monitoring.neuron_monitor.enabled and has_reader,
            [g for g in groups if not g.type.has_nvidia_gpu],
        ),
    ):
        if ours and is_measured:
            yield RuleFinding(
                "monitoring.cloudWatchExporters",
                f"nodes of {', '.join(group.name for group in is_measured)} would have two exporters",
                f"cloudWatchExporters: true, {name}.enabled: true",
                "one of the two",
                f"write `cloudWatchExporters: false`, or `{name}: {{enabled: false}}`",
            )


@rule("exporters-without-cloudwatch", Severity.WARNING)
def exporters_without_cloudwatch(context: Context) -> Iterator[RuleFinding]:
    """The add-on's own exporters come with the add-on."""
    monitoring = context.settings.monitoring
    if monitoring.cloud_watch_exporters and not monitoring.cloud_watch:
        yield RuleFinding(
            "monitoring.cloudWatchExporters",
            "the add-on is not installed",
            "cloudWatch: false",
            "cloudWatch: true",
            "write `cloudWatch: true`, or remove it",
        )


@rule("metrics-beyond-storage", Severity.WARNING)
def metrics_beyond_storage(context: Context) -> Iterator[RuleFinding]:
    """The volume holds the metrics of all days that they are kept, with every node group at its largest size.

    Prometheus drops the oldest ones where it does not. An estimate: 2 bytes for a sample, every 30 s, of as many series as a
    cluster and its nodes had elsewhere. Source: Prometheus documentation 3, `storage` (1 to 2 bytes a sample), read 2026-11-22.
    """
    monitoring = context.settings.monitoring
    if monitoring.prometheus is not _STACK:
        return
    days = monitoring.retention_days or OWN_RETENTION_DAYS
    wanted, usable = metrics_gib(context.stack, days), usable_gib(monitoring.storage.size_gib)
    if wanted > usable:
        yield RuleFinding(
            "monitoring.storage.sizeGib",
            f"about {wanted:.0f} GiB of metrics in {days} days, of which the volume holds {usable:.0f}",
            f"{monitoring.storage.size_gib}",
            f"at least {wanted / usable_gib(1):.0f}",
            "raise sizeGib, or lower retentionDays",
        )


@rule("managed-prometheus-region")
def managed_prometheus_region(context: Context) -> Iterator[RuleFinding]:
    """Amazon Managed Service for Prometheus is in the region.

    Source: botocore 1.44.5, endpoints of `amp`, read 2026-11-22.
    """
    region, known = context.settings.region, managed_prometheus.regions()
    if context.settings.monitoring.prometheus is _AMP and region not in known:
        yield RuleFinding(
            "monitoring.prometheus",
            f"Amazon Managed Service for Prometheus is not offered in {region}",
            "amp",
            "stack or existing",
            "write `prometheus: stack`",
        )


@rule("managed-prometheus-zones")
def managed_prometheus_zones(context: Context) -> Iterator[RuleFinding]:
    """Amazon's scraper lies in subnets of at least two zones.

    Source: Amazon Managed Service for Prometheus API, `EksConfiguration`: at least two subnets, in different zones; read
    2026-11-22.
    """
    zones = context.settings.network.zones
    if context.settings.monitoring.prometheus is _AMP and len(set(zones)) < 2:
        yield RuleFinding(
            "network",
            "the scraper of Amazon Managed Service for Prometheus needs subnets in two zones",
            ", ".join(zones),
            "two zones",
            "add a zone, or write `prometheus: stack`",
        )
