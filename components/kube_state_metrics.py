"""kube-state-metrics by itself, for a Prometheus outside the cluster."""

import pulumi

from eks_accelerators.components.arguments import KubeStateMetricsArgs
from eks_accelerators.components.base import Component
from eks_accelerators.components.charts import name_of, namespace, release
from eks_accelerators.components.validation import release_inputs
from eks_accelerators.monitoring.node_labels import ALLOWED
from eks_accelerators.settings.release_inputs import KubeStateMetricsInputs


class KubeStateMetrics(Component[KubeStateMetricsInputs]):
    """Namespace and Helm release.

    Providers: Kubernetes.

    Alone: On any cluster that has none: kube-prometheus-stack brings its own.
    """

    release_name: pulumi.Output[str]
    """Name of the Helm release."""

    def __init__(self, name: str, args: KubeStateMetricsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, release_inputs(KubeStateMetricsInputs, args), opts)

    def _create(self, name: str, inputs: KubeStateMetricsInputs, opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        space = namespace(self, inputs.namespace, pod_security="restricted", reason="")
        metrics = release(
            self,
            name,
            "kube-state-metrics",
            namespace=name_of(space),
            values={"metricLabelsAllowlist": [ALLOWED]},
            depends_on=[space],
        )
        self.release_name = metrics.name.apply(str)
        self.register_outputs({"release_name": self.release_name})
