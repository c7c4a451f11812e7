"""How long a server takes from its node to its first answer: the image, where the node has not got it, then weights, compiler and
engine.

The figures are of one cold start that was measured, and weights take time by their size. Every server downloads them anew,
also where a volume keeps them: reading from one takes time too, and nobody here has measured it. An image is pulled once for
a node; images that are pulled in parallel, or by a snapshotter, come sooner. Source: `data/start-times.json`.
"""

from dataclasses import dataclass, replace

from eks_accelerators.accelerators import data

MEASURED = "measured elsewhere"
ESTIMATED = "an estimate, as vLLM's"
PUBLISHED = "published by AWS for other models"
GRAPHS = "an estimate for CUDA graphs, from logs of vLLM that are public"


@dataclass(frozen=True, slots=True)
class StartTime:
    """Parts of the time that a server takes, in seconds. ``compiler`` is 0 where nothing is compiled, and has the capture
    of CUDA graphs in it.

    ``source`` says in a few words what is known of them, ``compiled`` of the compiler; ``unknown`` what nobody knows, and is not
    in them.
    """

    image: float
    weights: float
    engine: float
    other: float
    compiler: float = 0.0
    source: str = MEASURED
    compiled: str = PUBLISHED
    unknown: str | None = None

    @property
    def without_image(self) -> float:
        """Where the node has the image."""
        return self.weights + self.compiler + self.engine + self.other

    @property
    def whole(self) -> float:
        """Seconds until it answers on a node that does not have its image yet."""
        return self.image + self.without_image


def start_time(weight_bytes: float, source: str = MEASURED) -> StartTime:
    """How long a server of vLLM takes whose weights have so many bytes, or one of which nobody has measured more (``source``)."""
    known = data.load("start-times")
    per_byte = known["weights"]["seconds"] / known["weights"]["bytes"]
    return StartTime(
        image=known["image"]["seconds"],
        weights=weight_bytes * per_byte,
        engine=known["engine"]["seconds"],
        other=known["other"]["seconds"],
        source=source,
    )


def start_time_with_cuda_graphs(usual: StartTime, *, is_compiled: bool) -> StartTime:
    """The same of a server with CUDA graphs: it captures them at every start, and compiles its model unless its cache has the
    programs (``is_compiled``).
    """
    known = data.load("start-times")["cuda_graphs"]
    compiles = 0.0 if is_compiled else known["compile_seconds"]
    return replace(usual, compiler=known["capture_seconds"] + compiles, compiled=GRAPHS)


def neuron_start_time(parameters: float, weight_bytes: float, *, is_compiled: bool) -> StartTime:
    """How long one on Neuron devices takes: first it compiles, unless its cache has the programs (``is_compiled``)."""
    usual = start_time(weight_bytes, ESTIMATED)
    rows = data.load("start-times")["neuron"]
    cold = next(row["seconds"] for row in rows if parameters <= row.get("up_to_parameters", parameters))
    compiler = 0.0 if is_compiled else max(0.0, cold - usual.without_image)
    return StartTime(usual.image, usual.weights, usual.engine, usual.other, compiler, ESTIMATED)


def start_time_of_unknown_models(measured: float | None) -> StartTime:
    """One that loads models of which nobody knows the size: what was ``measured`` from its pod to its first answer, where it was, else
    all but them.
    """
    usual = start_time(0.0, ESTIMATED)
    if measured is None:
        unknown = "how long its models take to load"
        return StartTime(usual.image, 0.0, 0.0, usual.other, source=ESTIMATED, unknown=unknown)
    image = min(usual.image, measured)
    other = min(usual.other, measured - image)
    load = measured - image - other
    return StartTime(image, 0.0, load, other, source="measured by you, autoscaling.startSeconds")
