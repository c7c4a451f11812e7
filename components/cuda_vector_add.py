"""A smoke test: one vector addition on a GPU of one node group, or on a share of one."""

from typing import NotRequired, TypedDict

import pulumi

from components.base import Component
from components.charts import catalogue
from components.gpu_test_job import add_job
from components.shapes import ResourcesArgs, ServedNodeGroupArgs, TolerationArgs
from components.validation import resolve_workload
from settings.model.workloads import CudaVectorAdd as CudaVectorAddSettings

_PROGRAM = "cuda-vectoradd"
_MOST_SECONDS = 900
"""The addition takes a second; the rest is for the pull of the image."""


class CudaVectorAddArgs(TypedDict):
    """Where the test runs."""

    runs_on: ServedNodeGroupArgs
    """Node group that it runs on."""
    namespace: NotRequired[pulumi.Input[str]]
    """Namespace that is there already; by default one of its own, called as the component."""
    resource_name: NotRequired[str]
    """Resource that the pod asks for; follows from the sharing."""
    tolerations: NotRequired[list[TolerationArgs]]
    """Tolerations; follow from the node group's taints."""
    image: NotRequired[str]
    """Container image."""
    resources: NotRequired[ResourcesArgs]
    """CPU and memory of the pod."""
    wait_until_done: NotRequired[bool]
    """Wait until the test has passed, and fail where it does not; true by default where its pod fits the node group at
    its desired size."""


class CudaVectorAdd(Component):
    """Namespace, Job, and ResourceClaimTemplate where GPUs are claimed. Needs a Kubernetes provider in its options.

    The log of the pod ends with `Test PASSED`, and the Job completes.
    """

    job_name: pulumi.Output[str]
    """Name of the Job."""
    namespace_name: pulumi.Output[str]
    """Its namespace."""

    def __init__(self, name: str, args: CudaVectorAddArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        group, workload = resolve_workload(CudaVectorAddSettings, name, args, args["runs_on"])
        super().__init__("CudaVectorAdd", name, args, opts)
        outputs = add_job(
            self,
            _PROGRAM,
            name,
            args,
            workload,
            group,
            image=workload.image or catalogue()[_PROGRAM]["image"],
            most_seconds=_MOST_SECONDS,
            waits=True,
        )
        self.job_name, self.namespace_name = outputs["job_name"], outputs["namespace_name"]
        self.register_outputs(outputs)
