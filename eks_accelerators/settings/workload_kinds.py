"""The kinds of workload: of each, what the floors above ask for by kind.

A kind is one entry in `KINDS`. What its pods ask for is in its model; what deploys it is in `eks_accelerators.components.workload_kinds`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

from eks_accelerators.settings.fit import PodFit, pod_fit, vllm_fit
from eks_accelerators.settings.language_models import language_model_fit
from eks_accelerators.settings.model.gpu_tests import CudaVectorAddSettings, DcgmProfTesterSettings
from eks_accelerators.settings.model.neuron_vllm import NeuronVllmWorkload
from eks_accelerators.settings.model.nim import NimWorkload
from eks_accelerators.settings.model.tf_serving import TfServingWorkload
from eks_accelerators.settings.model.training import CollectiveTestSettings, PytorchJobSettings
from eks_accelerators.settings.model.triton import TritonWorkload
from eks_accelerators.settings.model.vllm import VllmWorkload
from eks_accelerators.settings.model.workload import Workload
from eks_accelerators.settings.model.workloads import Workloads
from eks_accelerators.settings.neuron_fit import neuron_fit
from eks_accelerators.settings.resolved import ResolvedNodeGroup
from eks_accelerators.settings.tf_serving import tf_serving_fit
from eks_accelerators.settings.training_fit import collective_fit, training_fit


@dataclass(frozen=True, slots=True)
class WorkloadKind:
    """One kind of workload.

    ``component`` is the name of the component that deploys it, whose arguments name the node group ``group_argument``;
    ``wiring`` are the arguments that are no settings, in `components/wiring.py`. ``page`` explains it, under `docs/`.
    """

    model: type[Workload]
    fit: Callable[[Any, ResolvedNodeGroup], PodFit]
    component: str
    group_argument: str
    wiring: str
    page: str

    @property
    def key(self) -> str:
        """Its key under `workloads` in a stack file."""
        return next(
            info.alias or field
            for field, info in Workloads.model_fields.items()
            if get_args(info.annotation)[1] is self.model
        )


KINDS: dict[type[Workload], WorkloadKind] = {
    kind.model: kind
    for kind in (
        WorkloadKind(VllmWorkload, vllm_fit, "VllmServer", "serves_on", "VllmServerWiring", "sharing.md"),
        WorkloadKind(
            NeuronVllmWorkload,
            neuron_fit,
            "NeuronVllmServer",
            "serves_on",
            "NeuronVllmServerWiring",
            "neuron-serving.md",
        ),
        WorkloadKind(NimWorkload, language_model_fit, "NimServer", "serves_on", "NimServerWiring", "servers.md"),
        WorkloadKind(
            TritonWorkload, language_model_fit, "TritonServer", "serves_on", "TritonServerWiring", "servers.md"
        ),
        WorkloadKind(TfServingWorkload, tf_serving_fit, "TfServing", "serves_on", "ServerWiring", "servers.md"),
        WorkloadKind(CudaVectorAddSettings, pod_fit, "CudaVectorAdd", "runs_on", "GpuTestWiring", "gpu-tests.md"),
        WorkloadKind(DcgmProfTesterSettings, pod_fit, "DcgmProfTester", "runs_on", "GpuTestWiring", "gpu-tests.md"),
        WorkloadKind(PytorchJobSettings, training_fit, "PytorchJob", "runs_on", "PytorchJobWiring", "training.md"),
        WorkloadKind(
            CollectiveTestSettings, collective_fit, "CollectiveTest", "runs_on", "CollectiveTestWiring", "training.md"
        ),
    )
}
"""Every kind, by its model."""


def fit_of(workload: Workload, group: ResolvedNodeGroup) -> PodFit:
    """How a workload of any kind sits on ``group``, with what is special to its kind."""
    return KINDS[type(workload)].fit(workload, group)
