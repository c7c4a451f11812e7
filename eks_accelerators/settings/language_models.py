"""The language model of a workload, whatever serves it: all of them need memory by one law."""

from eks_accelerators.settings.fit import PodFit, pod_fit, vllm_fit
from eks_accelerators.settings.model.vllm import VllmWorkload
from eks_accelerators.settings.model.workload import Workload
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup

_OF_THE_MODEL = (
    "model",
    "model_shape",
    "max_model_len",
    "concurrent_sequences",
    "tensor_parallel_size",
    "cuda_graphs",
)


def language_model_of(workload: Workload) -> tuple[str, VllmWorkload] | None:
    """Where below the workload its model is written, and the model as if vLLM served it on GPUs; None where it serves none there.

    Neuron devices have a law of memory of their own.
    """
    written = workload.language_model
    if written is None or workload.MADE_FOR == "AWS":
        return None
    return written.path, _served_by_vllm(workload, written.model)


def language_model_fit(workload: Workload, group: ResolvedNodeGroup) -> PodFit:
    """How the workload sits on ``group``, with the memory of its language model if it has one."""
    found = language_model_of(workload)
    return vllm_fit(found[1], group) if found else pod_fit(workload, group)


def _served_by_vllm(workload: Workload, model: object) -> VllmWorkload:
    """What both models have in common is the workload's, the rest is of the language model."""
    if isinstance(workload, VllmWorkload):
        return workload
    common = {key: getattr(workload, key) for key in VllmWorkload.model_fields if key in type(workload).model_fields}
    return VllmWorkload.model_construct(**{**common, **{key: getattr(model, key) for key in _OF_THE_MODEL}})
