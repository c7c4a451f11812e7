"""The Neuron device plugin for Trainium and Inferentia nodes."""

import pulumi

from eks_accelerators.components.arguments import NeuronDevicePluginArgs
from eks_accelerators.components.base import Component
from eks_accelerators.components.charts import release
from eks_accelerators.components.validation import release_inputs
from eks_accelerators.settings.release_inputs import NeuronDevicePluginInputs


class NeuronDevicePlugin(Component[NeuronDevicePluginInputs]):
    """Helm release of the Neuron chart.

    Providers: Kubernetes.

    Alone: See `examples/trn-neuron`. Serves nodes with the label `aws.amazon.com/neuron.present=true`.
    """

    release_name: pulumi.Output[str]
    """Name of the Helm release."""

    def __init__(self, name: str, args: NeuronDevicePluginArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, release_inputs(NeuronDevicePluginInputs, args), opts)

    def _create(self, name: str, inputs: NeuronDevicePluginInputs, opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        plugin = release(
            self,
            name,
            "neuron",
            namespace="kube-system",  # where the chart puts its objects anyway; privileged pods are at home there
            values={
                "devicePlugin": {"tolerations": list(inputs.tolerations)},
            },
        )
        self.release_name = plugin.name.apply(str)
        self.register_outputs({"release_name": self.release_name})
