"""The page of TensorFlow Serving, which nobody asks anything in a simulation.

Source: TensorFlow Serving 2.19, `monitoring_config`; the names as public rules and scrapes have them; read 2026-11-22. Where the
buckets end is not established, and made up.
"""

from collections.abc import Iterator, Sequence

from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.simulator.kubernetes.conditions import is_true
from eks_accelerators.simulator.metrics.exposition import Sample, Target
from eks_accelerators.simulator.metrics.load import argument
from eks_accelerators.simulator.metrics.servers import REQUEST, Histogram
from eks_accelerators.simulator.metrics.sources.histograms import histogram_samples
from eks_accelerators.simulator.metrics.world import ScrapedWorld

_TF_SERVING, _PORT = "tf-serving", 8501
_MICROSECONDS = 1e6
_ENDS = tuple(end * _MICROSECONDS for end in REQUEST)


def scrape(world: ScrapedWorld) -> Iterator[tuple[Target, Sequence[Sample]]]:
    """Every server that runs. One that does not serve yet is found, and its port is closed."""
    for pod in world.cluster.running(_TF_SERVING):
        target = world.target(Exporter.TF_SERVING, pod, _PORT, "namespace", "pod", "node")
        if not is_true(pod, "Ready"):
            yield Target(target.exporter, target.id, target.labels, answers=False), ()
            continue
        yield target, tuple(_samples(argument(pod, "--model_name") or ""))


def _samples(model: str) -> Iterator[Sample]:
    yield Sample(":tensorflow:serving:request_count", {"model_name": model, "status": "OK"}, 0.0)
    asked = {"model_name": model, "API": "predict", "entrypoint": "REST"}
    yield from histogram_samples(":tensorflow:serving:request_latency", Histogram.empty(_ENDS), asked)
