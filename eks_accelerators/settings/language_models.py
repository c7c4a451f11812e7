"""The language model of a workload, whatever serves it: all of them need memory by one law."""

from collections.abc import Iterator

from eks_accelerators.settings.model.nim import NimWorkload
from eks_accelerators.settings.model.triton import TritonWorkload
from eks_accelerators.settings.model.vllm import VllmWorkload
from eks_accelerators.settings.model.workload import Workload
from eks_accelerators.settings.model.workloads import Workloads

_OF_THE_MODEL = (
    "model",
    "model_shape",
    "max_model_len",
    "concurrent_sequences",
    "tensor_parallel_size",
    "hugging_face_token",
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


def language_models(workloads: Workloads) -> Iterator[tuple[str, VllmWorkload]]:
    """Property path and model of every workload that serves one."""
    for kind, name, workload in workloads.each():
        if found := language_model_of(workload):
            yield f"workloads.{kind}.{name}{found[0]}", found[1]


def _served_by_vllm(workload: Workload, model: object) -> VllmWorkload:
    """What both models have in common is the workload's, the rest is of the language model."""
    common = {key: getattr(workload, key) for key in VllmWorkload.model_fields if hasattr(workload, key)}
    return VllmWorkload.model_construct(
        **{**common, **{key: getattr(model, key) for key in _OF_THE_MODEL if hasattr(model, key)}}
    )
