"""The page of a Triton server: what its models are asked.

Source: triton-inference-server/server `docs/user_guide/metrics.md`; read 2026-11-22. Models are those that the arguments name, or
the language model whose repository the stack makes; of another repository one is shown, called as its directory, for what they
are called is not known. All that a load asks is asked of the first. The vLLM backend takes requests at once, so that none is
pending.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.simulator.kubernetes.conditions import is_true
from eks_accelerators.simulator.metrics.exposition import Sample, Target
from eks_accelerators.simulator.metrics.load import TRITON
from eks_accelerators.simulator.metrics.servers import ServerState
from eks_accelerators.simulator.metrics.world import ScrapedWorld

_PORT = 8002
_NAMED, _REPOSITORY = "--load-model=", "--model-repository="
_MADE_HERE, _LANGUAGE_MODEL = "/repository", "llm"


def scrape(world: ScrapedWorld) -> Iterator[tuple[Target, Sequence[Sample]]]:
    """Every server that runs. One that does not serve yet is found, and its port is closed; one that nobody asks does nothing."""
    for pod in world.cluster.running(TRITON):
        target = world.target(Exporter.TRITON, pod, _PORT, "namespace", "pod", "node")
        if not is_true(pod, "Ready"):
            yield Target(target.exporter, target.id, target.labels, answers=False), ()
            continue
        metadata = pod["metadata"]
        state = world.servers.state(metadata["namespace"], metadata["name"]) or ServerState()
        asked, *others = _models(pod)
        idle = ((model, ServerState()) for model in others)
        yield target, tuple(each for model, one in ((asked, state), *idle) for each in _samples(model, one))


def _samples(model: str, state: ServerState) -> Iterator[Sample]:
    labels = {"model": model, "version": "1"}
    pending = 0.0 if model == _LANGUAGE_MODEL else state.waiting
    yield Sample("nv_inference_pending_request_count", labels, pending)
    yield Sample("nv_inference_request_success", labels, sum(state.finished.values()))
    yield Sample("nv_inference_queue_duration_us", labels, state.queue.total * _MICROSECONDS)


_MICROSECONDS = 1e6


def _models(pod: Mapping[str, Any]) -> list[str]:
    """At least one."""
    words = [str(word) for container in pod["spec"]["containers"] for word in container.get("args") or ()]
    named = [word.removeprefix(_NAMED) for word in words if word.startswith(_NAMED)]
    repositories = [word.removeprefix(_REPOSITORY) for word in words if word.startswith(_REPOSITORY)]
    if _MADE_HERE in repositories:
        return [_LANGUAGE_MODEL]
    return named or [PurePosixPath(each).name or each for each in repositories] or ["model"]
