"""The EFA device plugin for nodes with an EFA interface attached."""

from typing import Any

import pulumi

from eks_accelerators.accelerators import scheduling
from eks_accelerators.components.arguments import EfaDevicePluginArgs
from eks_accelerators.components.base import Component
from eks_accelerators.components.charts import release
from eks_accelerators.components.validation import release_inputs
from eks_accelerators.settings.release_inputs import EfaDevicePluginInputs


class EfaDevicePlugin(Component[EfaDevicePluginInputs]):
    """Helm release of the EFA device plugin.

    Providers: Kubernetes.

    Alone: Serves nodes with the label `vpc.amazonaws.com/efa.present=true`.
    """

    release_name: pulumi.Output[str]
    """Name of the Helm release."""

    def __init__(self, name: str, args: EfaDevicePluginArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, release_inputs(EfaDevicePluginInputs, args), opts)

    def _create(self, name: str, inputs: EfaDevicePluginInputs, opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        values: dict[str, Any] = {
            "tolerations": list(inputs.tolerations),
            # By our own label: a type that is not on the list of the chart that is installed has no pod and no error.
            "supportedInstanceLabels": {"keys": [scheduling.EFA_PRESENT_LABEL], "values": ["true"]},
        }
        if inputs.image_repository:
            values["image"] = {"repository": inputs.image_repository}
        plugin = release(self, name, "efa-device-plugin", namespace="kube-system", values=values)
        self.release_name = plugin.name.apply(str)
        self.register_outputs({"release_name": self.release_name})
