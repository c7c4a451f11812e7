"""The EFA device plugin for nodes with an EFA interface attached."""

from typing import Any, NotRequired, TypedDict

import pulumi

from eks_accelerators.accelerators import scheduling
from eks_accelerators.components.arguments import TolerationArgs
from eks_accelerators.components.base import Component
from eks_accelerators.components.charts import release


class EfaDevicePluginArgs(TypedDict):
    """What the plugin serves."""

    tolerations: NotRequired[list[TolerationArgs]]
    """Tolerations of the plugin; by default those of the package's own taints."""
    image_repository: NotRequired[str]
    """Image, for partitions and regions that pull from another registry account."""


class EfaDevicePlugin(Component[EfaDevicePluginArgs]):
    """Helm release of the EFA device plugin. Needs a Kubernetes provider in its options."""

    release_name: pulumi.Output[str]
    """Name of the Helm release."""

    def __init__(self, name: str, args: EfaDevicePluginArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._register(name, opts)
        ours = [identity.taint.toleration for identity in (scheduling.NVIDIA, scheduling.NEURON)]
        values: dict[str, Any] = {
            "tolerations": args.get("tolerations", ours),
            # By our own label: a type that is not on the list of the chart that is installed has no pod and no error.
            "supportedInstanceLabels": {"keys": [scheduling.EFA_PRESENT_LABEL], "values": ["true"]},
        }
        if "image_repository" in args:
            values["image"] = {"repository": args["image_repository"]}
        plugin = release(self, name, "efa-device-plugin", namespace="kube-system", values=values)
        self.release_name = plugin.name.apply(str)
        self.register_outputs({"release_name": self.release_name})
