"""The page of a Triton server: what its repository is asked, of which nothing is simulated.

Source: triton-inference-server/server `docs/user_guide/metrics.md`; read 2026-11-22. Models are those that the arguments name, or
the language model whose repository the stack makes; those of another repository are not known, and not shown.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.simulator.metrics.cluster import is_true
from eks_accelerators.simulator.metrics.exposition import Sample, Target
from eks_accelerators.simulator.metrics.world import ScrapedWorld

_TRITON, _PORT = "triton", 8002
_NAMED = "--load-model="
_MADE_HERE, _LANGUAGE_MODEL = "--model-repository=/repository", "llm"
_IDLE = ("nv_inference_pending_request_count", "nv_inference_request_success", "nv_inference_queue_duration_us")


def scrape(world: ScrapedWorld) -> Iterator[tuple[Target, Sequence[Sample]]]:
    """Every server that runs. One that does not serve yet is found, and its port is closed."""
    for pod in world.cluster.running(_TRITON):
        target = world.target(Exporter.TRITON, pod, _PORT, "namespace", "pod", "node")
        if not is_true(pod, "Ready"):
            yield Target(target.exporter, target.id, target.labels, answers=False), ()
            continue
        labels = [{"model": model, "version": "1"} for model in _models(pod)]
        yield target, tuple(Sample(name, each, 0.0) for each in labels for name in _IDLE)


def _models(pod: Mapping[str, Any]) -> list[str]:
    words = [str(word) for container in pod["spec"]["containers"] for word in container.get("args") or ()]
    named = [word.removeprefix(_NAMED) for word in words if word.startswith(_NAMED)]
    return named or ([_LANGUAGE_MODEL] if _MADE_HERE in words else [])
