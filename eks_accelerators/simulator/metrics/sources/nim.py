"""The page of a NIM server: its state in the names of NIM 1.x, which has no prefix, or in those of vLLM.

Sources: NVIDIA NIM for Large Language Models 1.5 to 1.15, `observability`; read 2026-11-22. Ends of buckets are not published, and
are those of vLLM here. 2.x, `reference/logging-and-observability`: NIM hands on the metrics of the engine in it as they are, and
that is vLLM; read 2026-11-23. An image without a model is of NIM 2. That its model is called as it is asked for is believed.
"""

from collections.abc import Iterator, Mapping, Sequence

from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.simulator.kubernetes.conditions import is_true
from eks_accelerators.simulator.metrics.cluster import Object
from eks_accelerators.simulator.metrics.exposition import Sample, Target
from eks_accelerators.simulator.metrics.load import NIM
from eks_accelerators.simulator.metrics.servers import ServerState
from eks_accelerators.simulator.metrics.sources.histograms import histogram_samples
from eks_accelerators.simulator.metrics.sources.vllm import samples_of
from eks_accelerators.simulator.metrics.world import ScrapedWorld

_PORT = 8000
_MODEL_PATH = "NIM_MODEL_PATH"


def scrape(world: ScrapedWorld) -> Iterator[tuple[Target, Sequence[Sample]]]:
    """Every server that runs. One that does not serve yet is found, and its port is closed; one that nobody asks does nothing."""
    for pod in world.cluster.running(NIM):
        hub_model = _hub_model(pod)
        exporter = Exporter.VLLM if hub_model else Exporter.NIM
        target = world.target(exporter, pod, _PORT, "namespace", "pod", "node")
        if not is_true(pod, "Ready"):
            yield Target(target.exporter, target.id, target.labels, answers=False), ()
            continue
        metadata = pod["metadata"]
        state = world.servers.state(metadata["namespace"], metadata["name"]) or ServerState()
        yield (
            target,
            tuple(samples_of(state, hub_model) if hub_model else _samples(state, {"model_name": _model(pod)})),
        )


def _samples(state: ServerState, labels: Mapping[str, str]) -> Iterator[Sample]:
    for name, value in (
        ("num_requests_running", state.running),
        ("num_requests_waiting", state.waiting),
        ("gpu_cache_usage_perc", state.kv_cache_usage),
        ("prompt_tokens_total", state.prompt_tokens),
        ("generation_tokens_total", state.generation_tokens),
        ("request_success_total", sum(state.finished.values())),
    ):
        yield Sample(name, labels, value)
    yield from histogram_samples("time_to_first_token_seconds", state.time_to_first_token, labels)
    yield from histogram_samples("e2e_request_latency_seconds", state.request, labels)


def _model(pod: Object) -> str:
    """Called as its image, as NIM does."""
    image = str(pod["spec"]["containers"][0].get("image", ""))
    return "/".join(image.rpartition(":")[0].rsplit("/", 2)[-2:])


def _hub_model(pod: Object) -> str | None:
    """The model that an image without one downloads; None of others."""
    variables = pod["spec"]["containers"][0].get("env") or ()
    path = next((each.get("value", "") for each in variables if each["name"] == _MODEL_PATH), None)
    return path and str(path).removeprefix("hf://")
