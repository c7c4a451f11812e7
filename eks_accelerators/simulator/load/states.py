"""What the servers of a load show to the simulated exporters, at the pace at which Prometheus looks."""

from dataclasses import replace

from eks_accelerators.simulator.load.fleet import Fleet
from eks_accelerators.simulator.metrics.servers import Histogram, ServerState
from eks_accelerators.simulator.pace import Pace


class PacedStates:
    """Servers by their pods. Counters grow in a wall second by what they grow by in a simulated one.

    So `rate()` over a range that is divided by the pace is the true rate, and what is compared with it holds.
    """

    def __init__(self, fleet: Fleet, pace: Pace) -> None:
        self._fleet, self._pace = fleet, pace

    def state(self, namespace: str, pod: str) -> ServerState:
        """The server in that pod; idle where it is none of those that are asked."""
        found = self._fleet.server_state((namespace, pod))
        return ServerState() if found is None else at_pace(found, self._pace)


def at_pace(state: ServerState, pace: Pace) -> ServerState:
    """The same with all that grows divided by the pace; gauges stay."""
    part = 1 / pace.factor
    return replace(
        state,
        preemptions=state.preemptions * part,
        prompt_tokens=state.prompt_tokens * part,
        generation_tokens=state.generation_tokens * part,
        prefix_cache_queries=state.prefix_cache_queries * part,
        prefix_cache_hits=state.prefix_cache_hits * part,
        finished={reason: count * part for reason, count in state.finished.items()},
        time_to_first_token=_less(state.time_to_first_token, part),
        inter_token=_less(state.inter_token, part),
        request=_less(state.request, part),
        queue=_less(state.queue, part),
    )


def _less(histogram: Histogram, part: float) -> Histogram:
    return Histogram(histogram.ends, tuple(count * part for count in histogram.counts), histogram.total * part)
