"""A load on the GPUs of one node: pods that run NVIDIA's `dcgmproftester` at a time, a pair by default."""

import pulumi

from eks_accelerators.components.arguments import DcgmProfTesterArgs
from eks_accelerators.components.charts import catalogue
from eks_accelerators.components.gpu_test_job import GpuTest, GpuTestInputs, add_job, parsed
from eks_accelerators.components.gpu_test_pod import load_container
from eks_accelerators.settings.model.gpu_tests import DcgmProfTesterSettings

_PROGRAM = "dcgmproftester"
_SECONDS_BEFORE = 900
"""For the pull of the image."""


class DcgmProfTester(GpuTest[DcgmProfTesterSettings]):
    """Namespace, Job, and ResourceClaimTemplate where GPUs are claimed.

    Providers: Kubernetes.

    Alone: A load on one node of a node group that is described by `runs_on`. How to read it is in `docs/gpu-tests.md`.
    """

    job_name: pulumi.Output[str]
    """Name of the Job."""
    namespace_name: pulumi.Output[str]
    """Its namespace."""

    def __init__(self, name: str, args: DcgmProfTesterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, parsed(DcgmProfTesterSettings, name, args), opts)

    def _create(
        self, name: str, inputs: GpuTestInputs[DcgmProfTesterSettings], opts: pulumi.ResourceOptions | None
    ) -> None:
        self._register(name, opts)
        outputs = add_job(
            self,
            _PROGRAM,
            name,
            inputs,
            image=inputs.workload.image or catalogue()["dcgm"]["image"],
            most_seconds=inputs.workload.seconds + _SECONDS_BEFORE,
            waits=False,
            container=load_container(inputs.workload),
        )
        self.job_name, self.namespace_name = outputs["job_name"], outputs["namespace_name"]
        self.register_outputs(outputs)
