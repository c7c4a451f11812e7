"""What tells a Prometheus of the Prometheus Operator, and Grafana, of a stack: objects in one namespace."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NotRequired, TypedDict

import pulumi
import pulumi_kubernetes as k8s

from eks_accelerators.components.base import Component
from eks_accelerators.components.charts import name_of, namespace
from eks_accelerators.monitoring.dashboards.config_maps import LABELS as DASHBOARD_LABELS
from eks_accelerators.monitoring.receivers import SLACK_KEY, SLACK_SECRET
from eks_accelerators.monitoring.scraping import ScrapeTarget, pod_monitor_spec
from eks_accelerators.settings.prometheus_address import OBJECTS_NAMESPACE as NAMESPACE


class PrometheusObjectsArgs(TypedDict):
    """The objects. Pass what brings their kinds in `depends_on`."""

    pod_monitors: NotRequired[dict[str, dict[str, Any]]]
    """Specs of PodMonitors, by name."""
    rules: NotRequired[pulumi.Input[dict[str, Any]]]
    """Content of a rule file: groups of rules."""
    dashboards: NotRequired[dict[str, pulumi.Input[str]]]
    """Dashboards of Grafana, JSON by name."""
    labels: NotRequired[dict[str, str]]
    """Labels by which Prometheus selects them."""
    slack_webhook: NotRequired[pulumi.Input[str]]
    """Address of a webhook of Slack, a Pulumi secret; becomes a Secret beside Alertmanager."""
    alertmanager_namespace: NotRequired[pulumi.Input[str]]
    """Namespace of Alertmanager; needed with the webhook."""
    namespace: NotRequired[str]
    """Namespace, created; `accelerator-monitoring` by default."""


@dataclass(frozen=True, slots=True)
class PrometheusObjectsInputs:
    """The objects. Fields are those of `PrometheusObjectsArgs`."""

    pod_monitors: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    rules: pulumi.Input[dict[str, Any]] | None = None
    dashboards: Mapping[str, pulumi.Input[str]] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    slack_webhook: pulumi.Input[str] | None = None
    alertmanager_namespace: pulumi.Input[str] | None = None
    namespace: str = NAMESPACE


class PrometheusObjects(Component[PrometheusObjectsInputs]):
    """Namespace, PodMonitors, PrometheusRule, dashboards in ConfigMaps, and the Secret of a webhook.

    Needs the kinds of the Prometheus Operator in the cluster.

    Providers: Kubernetes.

    Alone: On any cluster with the Prometheus Operator.
    """

    namespace_name: pulumi.Output[str]
    """Namespace of all but the Secret."""

    def __init__(self, name: str, args: PrometheusObjectsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, PrometheusObjectsInputs(**args), opts)

    def _create(self, name: str, inputs: PrometheusObjectsInputs, opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        space = namespace(self, inputs.namespace, pod_security="restricted", reason="")
        self.namespace_name = name_of(space)
        for monitor, spec in inputs.pod_monitors.items():
            self._object(f"{name}-{monitor}", "PodMonitor", monitor, inputs.labels, spec)
        if inputs.rules is not None:
            self._object(f"{name}-rules", "PrometheusRule", "accelerators", inputs.labels, inputs.rules)
        for title, dashboard in inputs.dashboards.items():
            # A name of its own, so that a changed dashboard is changed and not made anew.
            k8s.core.v1.ConfigMap(
                f"{name}-dashboard-{title}",
                metadata={
                    "name": title,
                    "namespace": self.namespace_name,
                    "labels": DASHBOARD_LABELS,
                },
                data={f"{title}.json": dashboard},
                opts=self.child(depends_on=[space]),
            )
        if inputs.slack_webhook is not None:
            k8s.core.v1.Secret(
                f"{name}-slack",
                metadata={"name": SLACK_SECRET, "namespace": inputs.alertmanager_namespace},
                string_data={SLACK_KEY: pulumi.Output.secret(inputs.slack_webhook)},
                opts=self.child(),
            )
        self.register_outputs({"namespace_name": self.namespace_name})

    def _object(self, name: str, kind: str, called: str, labels: Mapping[str, str], spec: Any) -> None:
        k8s.apiextensions.CustomResource(
            name,
            api_version="monitoring.coreos.com/v1",
            kind=kind,
            metadata={"name": called, "namespace": self.namespace_name, "labels": dict(labels)},
            spec=spec,
            opts=self.child(),
        )


def pod_monitors(targets: Sequence[ScrapeTarget]) -> dict[str, dict[str, Any]]:
    """Specs of the PodMonitors of ``targets``, without those whose chart makes an object of its own."""
    return {target.name: pod_monitor_spec(target) for target in targets if not target.has_monitor}
