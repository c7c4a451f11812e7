"""Workloads that a stack can switch on."""

from collections.abc import Iterator
from typing import Self, get_args

from eks_accelerators.settings.model.base import Model, Name
from eks_accelerators.settings.model.gpu_tests import CudaVectorAddSettings, DcgmProfTesterSettings
from eks_accelerators.settings.model.neuron_vllm import NeuronVllmWorkload
from eks_accelerators.settings.model.nim import NimWorkload
from eks_accelerators.settings.model.server import Server
from eks_accelerators.settings.model.tf_serving import TfServingWorkload
from eks_accelerators.settings.model.training import CollectiveTestSettings, PytorchJobSettings
from eks_accelerators.settings.model.triton import TritonWorkload
from eks_accelerators.settings.model.vllm import VllmWorkload
from eks_accelerators.settings.model.workload import Workload


class Workloads(Model):
    """Workloads by kind and name."""

    vllm: dict[Name, VllmWorkload] = {}
    """Language models served by vLLM."""
    neuron_vllm: dict[Name, NeuronVllmWorkload] = {}
    """Language models served by vLLM on Trainium and Inferentia."""
    nim: dict[Name, NimWorkload] = {}
    """Language models served by NVIDIA NIM."""
    triton: dict[Name, TritonWorkload] = {}
    """Models served by Triton Inference Server."""
    tf_serving: dict[Name, TfServingWorkload] = {}
    """Models served by TensorFlow Serving."""
    cuda_vector_add: dict[Name, CudaVectorAddSettings] = {}
    """Smoke tests: one vector addition on a GPU, or on a share of one."""
    dcgm_prof_tester: dict[Name, DcgmProfTesterSettings] = {}
    """Loads: pods that keep a GPU busy for some time."""
    pytorch_job: dict[Name, PytorchJobSettings] = {}
    """Distributed training by PyTorch."""
    collective_test: dict[Name, CollectiveTestSettings] = {}
    """Tests of how fast accelerators exchange data."""

    @classmethod
    def of(cls, name: str, workload: Workload) -> Self:
        """Workloads of which ``workload`` is the only one, called ``name``."""
        kinds = {get_args(info.annotation)[1]: field for field, info in cls.model_fields.items()}
        return cls.model_validate({kinds[type(workload)]: {name: workload}})

    def servers(self) -> Iterator[tuple[str, Server]]:
        """Property path and settings of every model server."""
        for kind, name, workload in self.each():
            if isinstance(workload, Server):
                yield f"workloads.{kind}.{name}", workload

    def each(self) -> Iterator[tuple[str, str, Workload]]:
        """Kind as in the stack file, name and settings of every workload."""
        for field, info in type(self).model_fields.items():
            for name, workload in getattr(self, field).items():
                yield info.alias or field, name, workload
