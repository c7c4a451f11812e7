"""The page of a vLLM server: its state in vLLM's names.

Source: vLLM `vllm/v1/metrics/loggers.py`, public copy; read 2026-11-22. The engine is always `0`: no server here has
several. `model_name` is the name by which it serves (`--served-model-name`, else `--model`).
"""

from collections.abc import Iterator, Sequence

from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.simulator.kubernetes.conditions import is_true
from eks_accelerators.simulator.metrics.exposition import Sample, Target
from eks_accelerators.simulator.metrics.load import VLLM, argument
from eks_accelerators.simulator.metrics.servers import ServerState
from eks_accelerators.simulator.metrics.sources.histograms import histogram_samples
from eks_accelerators.simulator.metrics.world import ScrapedWorld

_PORT = 8000
_REASONS = ("stop", "length", "abort")
_TELLS_NO_REASON = "pytorch-inference-vllm-neuronx:0.16."
"""The image with which Inferentia2 and Trainium1 serve: its vLLM does not say why requests wait.
Source: vllm-project/vllm pull request 38435, of March 2026; read 2026-11-23."""


def scrape(world: ScrapedWorld) -> Iterator[tuple[Target, Sequence[Sample]]]:
    """Every server that runs. One that does not serve yet is found, and its port is closed."""
    for pod in world.cluster.running(VLLM):
        metadata = pod["metadata"]
        target = world.target(Exporter.VLLM, pod, _PORT, "namespace", "pod", "node")
        state = world.servers.state(metadata["namespace"], metadata["name"]) if is_true(pod, "Ready") else None
        if state is None:
            yield Target(target.exporter, target.id, target.labels, answers=False), ()
            continue
        model = argument(pod, "--served-model-name") or argument(pod, "--model") or ""
        tells_reason = not any(_TELLS_NO_REASON in each.get("image", "") for each in pod["spec"]["containers"])
        yield target, tuple(samples_of(state, model, tells_reason=tells_reason))


def samples_of(state: ServerState, model: str, *, tells_reason: bool = True) -> Iterator[Sample]:
    """The page of a server that is called ``model``. ``tells_reason``: it says why requests wait."""
    labels = {"model_name": model, "engine": "0"}
    for name, value in (
        ("num_requests_running", state.running),
        ("num_requests_waiting", state.waiting),
        ("kv_cache_usage_perc", state.kv_cache_usage),
        ("num_preemptions_total", state.preemptions),
        ("prompt_tokens_total", state.prompt_tokens),
        ("generation_tokens_total", state.generation_tokens),
        ("prefix_cache_queries_total", state.prefix_cache_queries),
        ("prefix_cache_hits_total", state.prefix_cache_hits),
    ):
        yield Sample(f"vllm:{name}", labels, value)
    # Deferred requests wait for something else than capacity; the model has none.
    for reason, waiting in (("capacity", state.waiting), ("deferred", 0.0)) if tells_reason else ():
        yield Sample("vllm:num_requests_waiting_by_reason", {**labels, "reason": reason}, waiting)
    for reason in dict.fromkeys((*_REASONS, *state.finished)):
        finished = state.finished.get(reason, 0.0)
        yield Sample("vllm:request_success_total", {**labels, "finished_reason": reason}, finished)
    for name, histogram in (
        ("time_to_first_token_seconds", state.time_to_first_token),
        ("inter_token_latency_seconds", state.inter_token),
        ("e2e_request_latency_seconds", state.request),
        ("request_queue_time_seconds", state.queue),
    ):
        yield from histogram_samples(f"vllm:{name}", histogram, labels)
