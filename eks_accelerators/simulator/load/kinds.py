"""Which kinds of server can be put under load, and how fast each is. A kind is one entry in `KINDS`, or in `REFUSED` with the reason."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from eks_accelerators.accelerators import neuron
from eks_accelerators.settings.draining import LONGEST_SECONDS, MARGIN_SECONDS, PAUSE_SECONDS, draining_of
from eks_accelerators.settings.fit import Fit
from eks_accelerators.settings.language_models import language_model_of
from eks_accelerators.settings.model.neuron_vllm import NeuronVllmWorkload
from eks_accelerators.settings.model.nim import NimWorkload
from eks_accelerators.settings.model.server import Server
from eks_accelerators.settings.model.tf_serving import TfServingWorkload
from eks_accelerators.settings.model.triton import TritonWorkload
from eks_accelerators.settings.model.vllm import VllmWorkload
from eks_accelerators.settings.neuron_fit import NeuronFit
from eks_accelerators.settings.resolved_stack import PlacedWorkload
from eks_accelerators.simulator.load.model_server import (
    CALCULATION_REACHED,
    MEMORY_REACHED,
    ServerModel,
    UnknownSpeedError,
    neuron_model,
    one_at_a_time,
    server_model,
    vllm_defaults,
)

_LONGEST_DRAIN = float(LONGEST_SECONDS - PAUSE_SECONDS - MARGIN_SECONDS)
_REPOSITORY_DRAIN = 60.0
"""As `components/triton_pod.py` gives requests of models of which nobody knows how long they take."""


@dataclass(frozen=True, slots=True)
class LoadedServer:
    """How the servers of a workload work: ``model`` is how fast, ``speed`` says it in words, and one that has to go answers for
    ``drain_seconds``. ``tokens`` are the most that a request may have, as the model says that is written at ``path``; None where
    requests have none.
    """

    model: ServerModel
    speed: str
    drain_seconds: float
    path: str
    tokens: int | None


def _language_model(placed: PlacedWorkload, seconds: float | None) -> LoadedServer:
    """One that vLLM serves on GPUs, by itself or inside of something else."""
    found = language_model_of(placed.workload)
    if found is None:
        return _repository(placed, seconds)
    _refuse_seconds(placed, seconds)
    below, workload = found
    fit = placed.fit
    assert isinstance(fit, Fit)
    told_nothing = isinstance(placed.workload, NimWorkload)
    defaults = vllm_defaults(placed.group, workload.resource_name)
    slots = defaults.sequences if told_nothing else workload.most_sequences
    path = placed.path + below
    model = server_model(path, workload, placed.group, fit, slots)
    drain = draining_of(workload, placed.group, fit).timeout_seconds
    return LoadedServer(model, _by("GPU"), float(drain), path, workload.max_model_len)


def _repository(placed: PlacedWorkload, seconds: float | None) -> LoadedServer:
    """One whose models nobody here knows: how long a request takes has to be said."""
    if seconds is None:
        raise UnknownSpeedError(
            f"{placed.path}.repository: how long its models take for a request is not known; write --request-seconds with what "
            "you have measured, such as 0.05"
        )
    speed = f"how fast a server is: one request at a time, {seconds:g} s each while it has its GPU alone (--request-seconds)"
    return LoadedServer(one_at_a_time(seconds), speed, _REPOSITORY_DRAIN, placed.path, None)


def _on_neuron(placed: PlacedWorkload, seconds: float | None) -> LoadedServer:
    _refuse_seconds(placed, seconds)
    workload, fit = placed.workload, placed.fit
    assert isinstance(workload, NeuronVllmWorkload)
    assert isinstance(fit, NeuronFit)
    cores = neuron.logical_cores_per_device(placed.group.type, placed.group.settings.logical_core_size)
    model = neuron_model(placed.path, workload, placed.group.type, fit, cores)
    return LoadedServer(model, _by("device"), _LONGEST_DRAIN, placed.path, workload.max_model_len)


def _by(chip: str) -> str:
    return (
        f"how fast a server is: its {chip}'s data sheet ({MEMORY_REACHED:.0%} of the memory's bandwidth, "
        f"{CALCULATION_REACHED:.0%} of the operations), its weights and its KV cache"
    )


def _refuse_seconds(placed: PlacedWorkload, seconds: float | None) -> None:
    if seconds is not None:
        raise UnknownSpeedError(
            f"--request-seconds: found {seconds:g}; allowed: nothing for {placed.path}, whose requests take as long as their tokens "
            "do; leave it out"
        )


KINDS: Mapping[type[Server], Callable[[PlacedWorkload, float | None], LoadedServer]] = MappingProxyType(
    {
        VllmWorkload: _language_model,
        NeuronVllmWorkload: _on_neuron,
        NimWorkload: _language_model,
        TritonWorkload: _language_model,
    }
)
"""How the servers of each kind work, from the workload and the seconds of a request where these were said."""

REFUSED: Mapping[type[Server], str] = MappingProxyType(
    {
        TfServingWorkload: "nothing follows its load: it counts no requests that wait, and how long its model takes for one "
        "is not known"
    }
)
"""Kinds that cannot be put under load, with the reason."""
