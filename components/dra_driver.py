"""NVIDIA's driver for Dynamic Resource Allocation: pods claim whole GPUs, and the device plugin stays away."""

from typing import NotRequired, TypedDict

import pulumi

from eks_accelerators.accelerators import scheduling
from eks_accelerators.components.arguments import TolerationArgs
from eks_accelerators.components.base import Component
from eks_accelerators.components.charts import name_of, namespace, release


class DraDriverArgs(TypedDict):
    """What the driver serves."""

    tolerations: NotRequired[list[TolerationArgs]]
    """Tolerations of the driver; by default that of the package's own taint."""
    namespace: NotRequired[str]
    """Namespace, created; `dra-driver-nvidia-gpu` by default."""


class DraDriver(Component[DraDriverArgs]):
    """Namespace and Helm release, for node groups with `dynamic_resource_allocation`. Needs a Kubernetes provider.

    It runs on nodes with the label `eks-accelerators/dynamic-resource-allocation=true`, and nowhere else: on one node
    with the device plugin, both would hand out the same GPUs.
    """

    release_name: pulumi.Output[str]
    """Name of the Helm release."""

    def __init__(self, name: str, args: DraDriverArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._register(name, opts)
        space = namespace(
            self,
            args.get("namespace", "dra-driver-nvidia-gpu"),
            pod_security="privileged",
            reason="the kubelet plugin is privileged and mounts the driver and the kubelet's plugin folders of the host",
        )
        tolerations = args.get("tolerations", [scheduling.NVIDIA.taint.toleration])
        driver = release(
            self,
            name,
            "dra-driver",
            namespace=name_of(space),
            values={"kubeletPlugin": {"tolerations": tolerations}},
            depends_on=[space],
        )
        self.release_name = driver.name.apply(str)
        self.register_outputs({"release_name": self.release_name})
