"""kube-prometheus-stack: the Prometheus Operator, Prometheus, Alertmanager, exporters of the cluster, and Grafana."""

from typing import Any

import pulumi

from eks_accelerators.components.arguments import KubePrometheusStackArgs
from eks_accelerators.components.base import Component
from eks_accelerators.components.charts import name_of, namespace, release
from eks_accelerators.components.validation import release_inputs
from eks_accelerators.monitoring.node_labels import ALLOWED
from eks_accelerators.monitoring.receivers import SLACK_SECRET, alertmanager_config
from eks_accelerators.settings.prometheus_storage import usable_gib
from eks_accelerators.settings.release_inputs import KubePrometheusStackInputs

ALERTMANAGER_ACCOUNT = "kube-prometheus-alertmanager"
"""Service account of Alertmanager: who may publish to a topic."""


class KubePrometheusStack(Component[KubePrometheusStackInputs]):
    """Namespace and Helm release. Needs a StorageClass in the cluster.

    It brings the kinds of the Prometheus Operator: objects of these have to wait for it.

    Providers: Kubernetes.

    Alone: On any cluster with a StorageClass and without another Prometheus Operator, see `docs/monitoring.md`.
    """

    release_name: pulumi.Output[str]
    """Name of the Helm release."""
    namespace_name: pulumi.Output[str]
    """Namespace of Prometheus and Alertmanager."""

    def __init__(self, name: str, args: KubePrometheusStackArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, release_inputs(KubePrometheusStackInputs, args), opts)

    def _create(self, name: str, inputs: KubePrometheusStackInputs, opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        space = namespace(
            self,
            inputs.namespace,
            pod_security="privileged",
            reason="node-exporter reads the host's file system and uses its network",
        )
        self.namespace_name = name_of(space)
        stack = release(
            self,
            name,
            "kube-prometheus-stack",
            namespace=self.namespace_name,
            values=stack_values(inputs),
            depends_on=[space],
        )
        self.release_name = stack.name.apply(str)
        self.register_outputs({"release_name": self.release_name, "namespace_name": self.namespace_name})


def stack_values(inputs: KubePrometheusStackInputs) -> dict[str, Any]:
    """What the inputs add to `charts-values/kube-prometheus-stack.yaml`."""
    claim = {
        "storageClassName": inputs.storage_class,
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": f"{inputs.storage_gib}Gi"}},
    }
    return {
        "prometheus": {
            "prometheusSpec": {
                "retention": f"{inputs.retention_days}d",
                "retentionSize": f"{usable_gib(inputs.storage_gib) * 1024:.0f}MB",  # of 1024 KB, as Prometheus counts
                "storageSpec": {"volumeClaimTemplate": {"spec": claim}},
            }
        },
        "alertmanager": {
            "config": alertmanager_config(
                inputs.severities, topic_arn=inputs.topic_arn, slack_channel=inputs.slack_channel
            ),
            "alertmanagerSpec": {"secrets": [SLACK_SECRET] if inputs.slack_channel else []},
        },
        "kube-state-metrics": {"metricLabelsAllowlist": [ALLOWED]},
        "grafana": {"enabled": inputs.grafana},
    }
