"""Reloader: pods are replaced when a secret that they read has changed."""

import pulumi

from eks_accelerators.components.arguments import ReloaderArgs
from eks_accelerators.components.base import Component
from eks_accelerators.components.charts import name_of, namespace, release
from eks_accelerators.components.validation import as_model
from eks_accelerators.settings.release_inputs import ReloaderInputs


class Reloader(Component[ReloaderInputs]):
    """Namespace and Helm release, on nodes without a taint.

    It may read every secret of the namespaces that it watches. Jobs are left alone.

    Providers: Kubernetes.

    Alone: On any cluster that has no Reloader yet; on nodes without a taint. It replaces the pods of a Deployment that
    names a Secret in its annotation `secret.reloader.stakater.com/reload`: see `docs/storage.md#tokens`.
    """

    release_name: pulumi.Output[str]
    """Name of the Helm release."""

    def __init__(self, name: str, args: ReloaderArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, as_model(ReloaderInputs, {**args, "namespaces": tuple(args["namespaces"])}), opts)

    def _create(self, name: str, inputs: ReloaderInputs, opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        space = namespace(self, inputs.namespace, pod_security="restricted", reason="nothing of it needs more")
        values = {"reloader": {"namespaces": list(inputs.namespaces)}}
        made = release(self, name, "reloader", namespace=name_of(space), values=values, depends_on=[space])
        self.release_name = made.name.apply(str)
        self.register_outputs({"release_name": self.release_name})
