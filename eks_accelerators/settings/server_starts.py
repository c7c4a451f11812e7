"""How long the servers of each kind take to start, as far as anybody knows. The facts are in `eks_accelerators.accelerators.start_times`."""

from math import ceil

from eks_accelerators.accelerators.start_times import (
    ESTIMATED,
    MEASURED,
    StartTime,
    neuron_start_time,
    start_time,
    start_time_of_unknown_models,
    start_time_with_cuda_graphs,
)
from eks_accelerators.settings.fit import Fit, PodFit
from eks_accelerators.settings.model.neuron_vllm import NeuronVllmWorkload
from eks_accelerators.settings.model.nim import NimWorkload
from eks_accelerators.settings.model.server import Server
from eks_accelerators.settings.model.triton import TritonWorkload
from eks_accelerators.settings.model.vllm import VllmWorkload
from eks_accelerators.settings.neuron_fit import NeuronFit

_TIMES = 2
"""As long as a start is known to take: networks and disks are slower at times."""


def vllm_start(workload: VllmWorkload, fit: Fit) -> StartTime | None:
    """One of vLLM: the start that was measured, by the size of its weights; None where nobody knows the model. With a volume that keeps
    programs those that come later find them.
    """
    return _of_language_model(fit, MEASURED, is_compiled=workload.cache is not None)


def as_vllm_start(workload: NimWorkload | TritonWorkload, fit: PodFit) -> StartTime | None:
    """One that runs vLLM, or downloads a model as it does; one of a repository by what its user has measured."""
    if not isinstance(fit, Fit):
        return unknown_start(workload, fit)
    return _of_language_model(fit, ESTIMATED, is_compiled=False)


def neuron_start(workload: NeuronVllmWorkload, fit: NeuronFit) -> StartTime | None:
    """One on Neuron devices: with a volume that keeps programs those that come later find them, without one each compiles."""
    shape = fit.shape
    if shape is None:
        return None
    return neuron_start_time(shape.parameters, shape.weight_bytes, is_compiled=workload.cache is not None)


def unknown_start(workload: Server, _fit: PodFit) -> StartTime:
    """Start of a server whose models are not known: `startSeconds` where it is written."""
    return start_time_of_unknown_models(workload.autoscaling.start_seconds if workload.autoscaling else None)


def patience_seconds(start: StartTime | None, least: int, *, with_image: bool = False) -> int:
    """How long to wait for a server before it counts as failed: twice the time that it is known to take, ``least`` at least. Its
    probes wait without the image, which is there before them.
    """
    if start is None:
        return least
    return max(least, ceil(_TIMES * (start.whole if with_image else start.without_image)))


def _of_language_model(fit: Fit, source: str, *, is_compiled: bool) -> StartTime | None:
    if fit.shape is None:
        return None
    usual = start_time(fit.shape.weight_bytes, source)
    return start_time_with_cuda_graphs(usual, is_compiled=is_compiled) if fit.cuda_graphs else usual
