"""LeaderWorkerSet: servers that span nodes, whose pods are made anew together."""

import pulumi

from eks_accelerators.components.arguments import LeaderWorkerSetControllerArgs
from eks_accelerators.components.base import Component
from eks_accelerators.components.charts import name_of, namespace, release
from eks_accelerators.components.validation import release_inputs
from eks_accelerators.settings.release_inputs import LeaderWorkerSetInputs


class LeaderWorkerSetController(Component[LeaderWorkerSetInputs]):
    """Namespace and Helm release, on nodes without a taint.

    A cluster has one. It makes the pods and the headless Service of each LeaderWorkerSet.

    Providers: Kubernetes.

    Alone: On any cluster that has no LeaderWorkerSet yet; on nodes without a taint. What it makes is written as objects
    of its kind: see `docs/servers.md#servers-that-span-nodes`.
    """

    release_name: pulumi.Output[str]
    """Name of the Helm release."""

    def __init__(
        self, name: str, args: LeaderWorkerSetControllerArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, release_inputs(LeaderWorkerSetInputs, args), opts)

    def _create(self, name: str, inputs: LeaderWorkerSetInputs, opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        space = namespace(self, inputs.namespace, pod_security="restricted", reason="nothing of it needs more")
        # Its webhooks have to answer before the first LeaderWorkerSet, which the API server refuses otherwise.
        made = release(self, name, "lws", namespace=name_of(space), values={}, depends_on=[space], waits=True)
        self.release_name = made.name.apply(str)
        self.register_outputs({"release_name": self.release_name})
