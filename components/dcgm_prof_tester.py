"""A load on the GPUs of one node: pods that run NVIDIA's `dcgmproftester` at a time, a pair by default."""

from typing import NotRequired, TypedDict

import pulumi

from components.base import Component
from components.charts import catalogue
from components.gpu_test_job import add_job
from components.gpu_test_pod import load_container
from components.shapes import ResourcesArgs, ServedNodeGroupArgs, TolerationArgs
from components.validation import resolve_workload
from settings.model.workloads import DcgmProfTester as DcgmProfTesterSettings

_PROGRAM = "dcgmproftester"
_SECONDS_BEFORE = 900
"""For the pull of the image."""


class DcgmProfTesterArgs(TypedDict):
    """Where the load is, how much and how long."""

    runs_on: ServedNodeGroupArgs
    """Node group that it runs on."""
    namespace: NotRequired[pulumi.Input[str]]
    """Namespace that is there already; by default one of its own, called as the component."""
    pods: NotRequired[int]
    """Number of pods, 2 by default; all are on one node."""
    seconds: NotRequired[int]
    """How long each works, 300 by default."""
    field: NotRequired[str]
    """What they keep busy: `tensor` (default), `sm` or `graphics`."""
    resource_name: NotRequired[str]
    """Resource that each pod asks for; follows from the sharing."""
    tolerations: NotRequired[list[TolerationArgs]]
    """Tolerations; follow from the node group's taints."""
    image: NotRequired[str]
    """Container image."""
    resources: NotRequired[ResourcesArgs]
    """CPU and memory of one pod."""
    wait_until_done: NotRequired[bool]
    """Wait until the load has ended, where its pods fit the node group at its desired size; false by default, as a load is
    there to be looked at."""


class DcgmProfTester(Component):
    """Namespace, Job, and ResourceClaimTemplate where GPUs are claimed. Needs a Kubernetes provider in its options."""

    job_name: pulumi.Output[str]
    """Name of the Job."""
    namespace_name: pulumi.Output[str]
    """Its namespace."""

    def __init__(self, name: str, args: DcgmProfTesterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        group, workload = resolve_workload(DcgmProfTesterSettings, name, args, args["runs_on"])
        super().__init__("DcgmProfTester", name, args, opts)
        outputs = add_job(
            self,
            _PROGRAM,
            name,
            args,
            workload,
            group,
            image=workload.image or catalogue()["dcgm"]["image"],
            most_seconds=workload.seconds + _SECONDS_BEFORE,
            waits=False,
            container=load_container(workload),
        )
        self.job_name, self.namespace_name = outputs["job_name"], outputs["namespace_name"]
        self.register_outputs(outputs)
