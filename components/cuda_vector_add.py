"""A smoke test: one vector addition on a GPU of one node group, or on a share of one."""

import pulumi

from eks_accelerators.components.arguments import CudaVectorAddArgs
from eks_accelerators.components.charts import catalogue
from eks_accelerators.components.gpu_test_job import GpuTest, GpuTestInputs, add_job, parsed
from eks_accelerators.settings.model.gpu_tests import CudaVectorAddSettings

_PROGRAM = "cuda-vectoradd"
_MOST_SECONDS = 900
"""The addition takes a second; the rest is for the pull of the image."""


class CudaVectorAdd(GpuTest[CudaVectorAddSettings]):
    """Namespace, Job, and ResourceClaimTemplate where GPUs are claimed.

    The log of the pod ends with `Test PASSED`, and the Job completes.

    Providers: Kubernetes.

    Alone: One smoke test of a node group that is described by `runs_on`. What it shows is in `docs/gpu-tests.md`.
    """

    job_name: pulumi.Output[str]
    """Name of the Job."""
    namespace_name: pulumi.Output[str]
    """Its namespace."""

    def __init__(self, name: str, args: CudaVectorAddArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, parsed(CudaVectorAddSettings, name, args), opts)

    def _create(
        self, name: str, inputs: GpuTestInputs[CudaVectorAddSettings], opts: pulumi.ResourceOptions | None
    ) -> None:
        self._register(name, opts)
        outputs = add_job(
            self,
            _PROGRAM,
            name,
            inputs,
            image=inputs.workload.image or catalogue()[_PROGRAM]["image"],
            most_seconds=_MOST_SECONDS,
            waits=True,
        )
        self.job_name, self.namespace_name = outputs["job_name"], outputs["namespace_name"]
        self.register_outputs(outputs)
