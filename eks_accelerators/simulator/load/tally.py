"""What a simulated server counts of its own work, as vLLM does."""

from dataclasses import dataclass, field

from eks_accelerators.simulator.metrics.servers import INTER_TOKEN, REQUEST, TIME_TO_FIRST_TOKEN, Histogram, ServerState

_LATELY_SECONDS = 15.0


@dataclass(slots=True)
class Tally:
    """Counters and histograms since the server's start; seconds of simulated time."""

    gpu_seconds: float = 0.0
    """How long the GPU has worked for it."""
    preemptions: float = 0.0
    prompt_tokens: float = 0.0
    generation_tokens: float = 0.0
    finished: dict[str, float] = field(default_factory=dict)
    """Requests by the reason why they ended."""
    first_token: Histogram = field(default_factory=lambda: Histogram.empty(TIME_TO_FIRST_TOKEN))
    inter_token: Histogram = field(default_factory=lambda: Histogram.empty(INTER_TOKEN))
    request: Histogram = field(default_factory=lambda: Histogram.empty(REQUEST))
    queue: Histogram = field(default_factory=lambda: Histogram.empty(REQUEST))
    _marks: tuple[tuple[float, float], ...] = ()

    def worked(self, now: float, steps: float, step_seconds: float, gpu_seconds: float, sequences: int) -> None:
        """So many steps were made, parts of one too, in each of which every sequence got a token."""
        self.gpu_seconds += steps * gpu_seconds
        self._mark(now)
        if sequences and steps:
            self.generation_tokens += steps * sequences
            self.inter_token = self.inter_token.with_value(step_seconds, steps * sequences)

    def ended(self, reason: str, seconds: float) -> None:
        """Count a request that ended for ``reason``, ``seconds`` after it came."""
        self.finished[reason] = self.finished.get(reason, 0.0) + 1
        self.request = self.request.with_value(seconds)

    def state(self, now: float, *, running: int, waiting: int, kv_cache_usage: float) -> ServerState:
        """What the metrics of the server say at the simulated second ``now``."""
        return ServerState(
            running=float(running),
            waiting=float(waiting),
            kv_cache_usage=min(1.0, kv_cache_usage),
            busy=self._busy(now),
            preemptions=self.preemptions,
            prompt_tokens=self.prompt_tokens,
            generation_tokens=self.generation_tokens,
            prefix_cache_queries=self.prompt_tokens,
            finished=dict(self.finished),
            time_to_first_token=self.first_token,
            inter_token=self.inter_token,
            request=self.request,
            queue=self.queue,
        )

    def _busy(self, now: float) -> float:
        """The share of the last 15 to 30 seconds in which the GPU worked for it."""
        self._mark(now)
        began, worked = self._marks[0]
        return min(1.0, (self.gpu_seconds - worked) / (now - began)) if now > began else 0.0

    def _mark(self, now: float) -> None:
        if not self._marks or now - self._marks[-1][0] >= _LATELY_SECONDS:
            self._marks = (*self._marks[-1:], (now, self.gpu_seconds))
