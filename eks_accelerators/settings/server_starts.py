"""How long the servers of each kind take to start, as far as anybody knows. The facts are in `eks_accelerators.accelerators.start_times`."""

from math import ceil

from eks_accelerators.accelerators.start_times import (
    ESTIMATED,
    MEASURED,
    StartTime,
    neuron_start_time,
    start_time,
    start_time_of_unknown_models,
)
from eks_accelerators.settings.fit import shape_of
from eks_accelerators.settings.language_models import language_model_of
from eks_accelerators.settings.model.neuron_vllm import NeuronVllmWorkload
from eks_accelerators.settings.model.nim import NimWorkload
from eks_accelerators.settings.model.server import Server
from eks_accelerators.settings.model.triton import TritonWorkload
from eks_accelerators.settings.model.vllm import VllmWorkload

_TIMES = 2
"""As long as a start is known to take: networks and disks are slower at times."""

Language = VllmWorkload | NimWorkload | TritonWorkload


def vllm_start(workload: VllmWorkload) -> StartTime | None:
    """One of vLLM: the start that was measured, by the size of its weights; None where nobody knows the model."""
    return _of_language_model(workload, MEASURED)


def as_vllm_start(workload: NimWorkload | TritonWorkload) -> StartTime | None:
    """One that runs vLLM, or downloads a model as it does; one of a repository by what its user has measured."""
    if language_model_of(workload) is None:
        return unknown_start(workload)
    return _of_language_model(workload, ESTIMATED)


def neuron_start(workload: NeuronVllmWorkload) -> StartTime | None:
    """One on Neuron devices: with a volume that keeps programs those that come later find them, without one each compiles."""
    shape = shape_of(workload)
    if shape is None:
        return None
    return neuron_start_time(shape.parameters, shape.weight_bytes, is_compiled=workload.cache is not None)


def unknown_start(workload: Server) -> StartTime:
    """Start of a server whose models are not known: `startSeconds` where it is written."""
    return start_time_of_unknown_models(workload.autoscaling.start_seconds if workload.autoscaling else None)


def patience_seconds(start: StartTime | None, least: int, *, with_image: bool = False) -> int:
    """How long to wait for a server before it counts as failed: twice the time that it is known to take, ``least`` at least. Its
    probes wait without the image, which is there before them.
    """
    if start is None:
        return least
    return max(least, ceil(_TIMES * (start.whole if with_image else start.without_image)))


def _of_language_model(workload: Language, source: str) -> StartTime | None:
    found = language_model_of(workload)
    shape = shape_of(found[1]) if found else None
    return start_time(shape.weight_bytes, source) if shape else None
