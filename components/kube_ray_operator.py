"""KubeRay: Ray clusters, and jobs that have one of their own."""

import pulumi

from eks_accelerators.components.arguments import KubeRayOperatorArgs
from eks_accelerators.components.base import Component
from eks_accelerators.components.charts import name_of, namespace, release
from eks_accelerators.components.validation import release_inputs
from eks_accelerators.settings.release_inputs import KubeRayInputs


class KubeRayOperator(Component[KubeRayInputs]):
    """Namespace and Helm release, on nodes without a taint.

    A cluster has one. It makes a Ray cluster of each RayJob, and submits its program there.

    Providers: Kubernetes.

    Alone: On any cluster that has no KubeRay yet; on nodes without a taint. What it makes is written as objects of its
    kinds: see `docs/training.md`.
    """

    release_name: pulumi.Output[str]
    """Name of the Helm release."""

    def __init__(self, name: str, args: KubeRayOperatorArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, release_inputs(KubeRayInputs, args), opts)

    def _create(self, name: str, inputs: KubeRayInputs, opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        space = namespace(self, inputs.namespace, pod_security="restricted", reason="nothing of it needs more")
        made = release(self, name, "kuberay-operator", namespace=name_of(space), values={}, depends_on=[space])
        self.release_name = made.name.apply(str)
        self.register_outputs({"release_name": self.release_name})
