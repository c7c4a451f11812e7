"""NVIDIA's driver for Dynamic Resource Allocation: pods claim whole GPUs, and the device plugin stays away."""

import pulumi

from eks_accelerators.components.arguments import DraDriverArgs
from eks_accelerators.components.base import Component
from eks_accelerators.components.charts import name_of, namespace, release
from eks_accelerators.components.validation import release_inputs
from eks_accelerators.settings.release_inputs import DraDriverInputs


class DraDriver(Component[DraDriverInputs]):
    """Namespace and Helm release, for node groups with `dynamic_resource_allocation`.

    It runs on nodes with the label `eks-accelerators/dynamic-resource-allocation=true`, and nowhere else: on one node
    with the device plugin, both would hand out the same GPUs.

    Providers: Kubernetes.

    Alone: On any cluster with Kubernetes 1.34 or newer. Serves nodes with the label
    `eks-accelerators/dynamic-resource-allocation=true`: keep every device plugin off them.
    """

    release_name: pulumi.Output[str]
    """Name of the Helm release."""

    def __init__(self, name: str, args: DraDriverArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, release_inputs(DraDriverInputs, args), opts)

    def _create(self, name: str, inputs: DraDriverInputs, opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        space = namespace(
            self,
            inputs.namespace,
            pod_security="privileged",
            reason="the kubelet plugin is privileged and mounts the driver and the kubelet's plugin folders of the host",
        )
        driver = release(
            self,
            name,
            "dra-driver",
            namespace=name_of(space),
            values={"kubeletPlugin": {"tolerations": list(inputs.tolerations)}},
            depends_on=[space],
        )
        self.release_name = driver.name.apply(str)
        self.register_outputs({"release_name": self.release_name})
