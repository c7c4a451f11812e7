"""KEDA: servers follow their load by what it asks a Prometheus."""

import pulumi

from eks_accelerators.components.arguments import KedaArgs
from eks_accelerators.components.base import Component
from eks_accelerators.components.charts import name_of, namespace, release
from eks_accelerators.components.validation import release_inputs
from eks_accelerators.settings.release_inputs import KedaInputs


class Keda(Component[KedaInputs]):
    """Namespace and Helm release, on nodes without a taint.

    A cluster has one: it answers the API of external metrics.

    Providers: Kubernetes.

    Alone: On any cluster that has no KEDA yet; on nodes without a taint. What it scales is written as objects of its
    kinds: see `docs/autoscaling.md`.
    """

    release_name: pulumi.Output[str]
    """Name of the Helm release."""

    def __init__(self, name: str, args: KedaArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, release_inputs(KedaInputs, args), opts)

    def _create(self, name: str, inputs: KedaInputs, opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        space = namespace(self, inputs.namespace, pod_security="restricted", reason="nothing of it needs more")
        made = release(self, name, "keda", namespace=name_of(space), values={}, depends_on=[space])
        self.release_name = made.name.apply(str)
        self.register_outputs({"release_name": self.release_name})
