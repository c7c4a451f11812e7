"""The kinds of workload: of each, what the floors above ask for by kind.

A kind is one entry in `KINDS`. What its pods ask for is in its model; what deploys it is the component that the entry names.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

from eks_accelerators.accelerators.start_times import StartTime
from eks_accelerators.settings.fit import PodFit, pod_fit, vllm_fit
from eks_accelerators.settings.language_models import language_model_fit
from eks_accelerators.settings.model.gpu_tests import CudaVectorAddSettings, DcgmProfTesterSettings
from eks_accelerators.settings.model.neuron_vllm import NeuronVllmWorkload
from eks_accelerators.settings.model.nim import NimWorkload
from eks_accelerators.settings.model.server import Server
from eks_accelerators.settings.model.tf_serving import TfServingWorkload
from eks_accelerators.settings.model.training import CollectiveTestSettings, PytorchJobSettings
from eks_accelerators.settings.model.triton import TritonWorkload
from eks_accelerators.settings.model.vllm import VllmWorkload
from eks_accelerators.settings.model.workload import Workload
from eks_accelerators.settings.model.workloads import Workloads
from eks_accelerators.settings.neuron_fit import neuron_fit
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.server_kinds import OF_NIM, OF_TF_SERVING, OF_TRITON, OF_VLLM, ServerKind
from eks_accelerators.settings.server_questions import of_openai, of_tf_serving, of_triton
from eks_accelerators.settings.server_starts import as_vllm_start, neuron_start, unknown_start, vllm_start
from eks_accelerators.settings.tf_serving import tf_serving_fit
from eks_accelerators.settings.training_fit import collective_fit, training_fit


@dataclass(frozen=True, slots=True)
class WorkloadKind:
    """One kind of workload.

    ``component`` is the name of the component that deploys it, whose arguments name the node group ``group_argument``;
    ``wiring`` are the arguments that are no settings, in `components/wiring.py`. ``page`` explains it, under `docs/`. ``server`` is
    what a server has to say besides; of what is no server it is left out.
    """

    model: type[Workload]
    fit: Callable[[Any, ResolvedNodeGroup], PodFit]
    component: str
    group_argument: str
    wiring: str
    page: str
    server: ServerKind | None = None

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
        WorkloadKind(
            VllmWorkload,
            vllm_fit,
            "VllmServer",
            "serves_on",
            "ScaledServerWiring",
            "sharing.md",
            ServerKind(vllm_start, of_openai, OF_VLLM),
        ),
        WorkloadKind(
            NeuronVllmWorkload,
            neuron_fit,
            "NeuronVllmServer",
            "serves_on",
            "ScaledServerWiring",
            "neuron-serving.md",
            ServerKind(neuron_start, of_openai, OF_VLLM),
        ),
        WorkloadKind(
            NimWorkload,
            language_model_fit,
            "NimServer",
            "serves_on",
            "NimServerWiring",
            "servers.md",
            ServerKind(as_vllm_start, of_openai, OF_NIM),
        ),
        WorkloadKind(
            TritonWorkload,
            language_model_fit,
            "TritonServer",
            "serves_on",
            "TritonServerWiring",
            "servers.md",
            ServerKind(as_vllm_start, of_triton, OF_TRITON),
        ),
        WorkloadKind(
            TfServingWorkload,
            tf_serving_fit,
            "TfServing",
            "serves_on",
            "ServerWiring",
            "servers.md",
            ServerKind(unknown_start, of_tf_serving, OF_TF_SERVING),
        ),
        WorkloadKind(CudaVectorAddSettings, pod_fit, "CudaVectorAdd", "runs_on", "GpuTestWiring", "gpu-tests.md"),
        WorkloadKind(DcgmProfTesterSettings, pod_fit, "DcgmProfTester", "runs_on", "GpuTestWiring", "gpu-tests.md"),
        WorkloadKind(PytorchJobSettings, training_fit, "PytorchJob", "runs_on", "PytorchJobWiring", "training.md"),
        WorkloadKind(
            CollectiveTestSettings, collective_fit, "CollectiveTest", "runs_on", "CollectiveTestWiring", "training.md"
        ),
    )
}
"""Every kind of workload, by the class of its settings."""


def fit_of(workload: Workload, group: ResolvedNodeGroup) -> PodFit:
    """How a workload of any kind sits on ``group``, with what is special to its kind."""
    return KINDS[type(workload)].fit(workload, group)


def start_of(workload: Workload, fit: PodFit) -> StartTime | None:
    """How long one of its servers takes to start, which sits so on its node group; None where nobody knows, or where it is no server."""
    return server_kind(workload).start(workload, fit) if isinstance(workload, Server) else None


def server_kind(server: Server) -> ServerKind:
    """What is said of the kind of a server. Raises `LookupError` where nothing is: no floor leaves such a server out in silence."""
    kind = KINDS[type(server)]
    if kind.server is None:
        raise LookupError(
            f"{type(server).__name__}: it is a server, and its entry in {__name__}.KINDS has no ServerKind"
        )
    return kind.server
