"""The Neuron device plugin for Trainium and Inferentia nodes."""

from typing import NotRequired, TypedDict

import pulumi

from eks_accelerators.accelerators import scheduling
from eks_accelerators.components.arguments import TolerationArgs
from eks_accelerators.components.base import Component
from eks_accelerators.components.charts import release


class NeuronDevicePluginArgs(TypedDict):
    """What the plugin serves."""

    tolerations: NotRequired[list[TolerationArgs]]
    """Tolerations of the plugin; by default that of the package's own taint."""


class NeuronDevicePlugin(Component[NeuronDevicePluginArgs]):
    """Helm release of the Neuron chart. Needs a Kubernetes provider in its options."""

    release_name: pulumi.Output[str]
    """Name of the Helm release."""

    def __init__(self, name: str, args: NeuronDevicePluginArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._register(name, opts)
        plugin = release(
            self,
            name,
            "neuron",
            namespace="kube-system",  # where the chart puts its objects anyway; privileged pods are at home there
            values={
                "devicePlugin": {"tolerations": args.get("tolerations", [scheduling.NEURON.taint.toleration])},
            },
        )
        self.release_name = plugin.name.apply(str)
        self.register_outputs({"release_name": self.release_name})
