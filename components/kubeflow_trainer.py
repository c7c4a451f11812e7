"""Kubeflow Trainer: training jobs as data scientists write them, from runtimes that a platform prepares."""

import pulumi

from eks_accelerators.components.arguments import KubeflowTrainerArgs
from eks_accelerators.components.base import Component
from eks_accelerators.components.charts import name_of, namespace, release
from eks_accelerators.components.validation import release_inputs
from eks_accelerators.settings.release_inputs import KubeflowTrainerInputs


class KubeflowTrainer(Component[KubeflowTrainerInputs]):
    """Namespace and Helm release, on nodes without a taint. Needs JobSet in the cluster.

    A cluster has one. It makes a JobSet of each TrainJob and the runtime that this names.

    Providers: Kubernetes.

    Alone: On any cluster that has JobSet and no Kubeflow Trainer yet; on nodes without a taint. What it makes is
    written as objects of its kinds: see `docs/training.md`.
    """

    release_name: pulumi.Output[str]
    """Name of the Helm release."""

    def __init__(self, name: str, args: KubeflowTrainerArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, release_inputs(KubeflowTrainerInputs, args), opts)

    def _create(self, name: str, inputs: KubeflowTrainerInputs, opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        space = namespace(self, inputs.namespace, pod_security="restricted", reason="nothing of it needs more")
        made = release(self, name, "kubeflow-trainer", namespace=name_of(space), values={}, depends_on=[space])
        self.release_name = made.name.apply(str)
        self.register_outputs({"release_name": self.release_name})
