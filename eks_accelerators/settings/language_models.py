"""The language model of a workload, whatever serves it: all of them need memory by one law."""

from collections.abc import Iterator
from dataclasses import dataclass

from eks_accelerators.settings.fit import PodFit, pod_fit, vllm_fit
from eks_accelerators.settings.model.neuron_vllm import NeuronVllmWorkload
from eks_accelerators.settings.model.nim import NimWorkload
from eks_accelerators.settings.model.triton import TritonWorkload
from eks_accelerators.settings.model.vllm import VllmWorkload
from eks_accelerators.settings.model.workload import Workload
from eks_accelerators.settings.model.workloads import Workloads
from eks_accelerators.settings.resolved import ResolvedNodeGroup

_OF_THE_MODEL = (
    "model",
    "model_shape",
    "max_model_len",
    "concurrent_sequences",
    "tensor_parallel_size",
)


def language_model_of(workload: Workload) -> tuple[str, VllmWorkload] | None:
    """Where below the workload its model is written, and the model as if vLLM served it; None where it serves none."""
    if isinstance(workload, VllmWorkload):
        return "", workload
    if isinstance(workload, NimWorkload):
        return "", _served_by_vllm(workload, workload)
    if isinstance(workload, TritonWorkload) and workload.vllm:
        return ".vllm", _served_by_vllm(workload, workload.vllm)
    return None


@dataclass(frozen=True, slots=True)
class WrittenModel:
    """A language model of the settings: the ``path`` at which it is written, that of its ``workload``, and the model as if vLLM
    served it, on GPUs or on Neuron devices. ``is_downloaded`` from Hugging Face, or in the image.
    """

    workload: str
    path: str
    model: VllmWorkload | NeuronVllmWorkload
    is_downloaded: bool


def language_models(workloads: Workloads) -> Iterator[WrittenModel]:
    """The model of every workload that serves one."""
    for kind, name, workload in workloads.each():
        path = f"workloads.{kind}.{name}"
        if isinstance(workload, NeuronVllmWorkload):
            yield WrittenModel(path, path, workload, is_downloaded=True)
        elif found := language_model_of(workload):
            in_image = isinstance(workload, NimWorkload) and not workload.model_free
            yield WrittenModel(path, path + found[0], found[1], is_downloaded=not in_image)


def language_model_fit(workload: Workload, group: ResolvedNodeGroup) -> PodFit:
    """How the workload sits on ``group``, with the memory of its language model if it has one."""
    found = language_model_of(workload)
    return vllm_fit(found[1], group) if found else pod_fit(workload, group)


def _served_by_vllm(workload: Workload, model: object) -> VllmWorkload:
    """What both models have in common is the workload's, the rest is of the language model."""
    common = {key: getattr(workload, key) for key in VllmWorkload.model_fields if key in type(workload).model_fields}
    return VllmWorkload.model_construct(**{**common, **{key: getattr(model, key) for key in _OF_THE_MODEL}})
