"""When servers give what they promise: the first token within 2.5 seconds for 99 of 100 requests.

The same objective as that of the alerts (`eks_accelerators/monitoring/alerts/servers.py`). It counts when a request is made,
not when it is answered: who has waited since before does not hide that all is well now.
"""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

from eks_accelerators.monitoring.alerts.servers import ALLOWED_SLOW, SECONDS_TO_FIRST_TOKEN
from eks_accelerators.simulator.load.server import LoadRequest

WINDOW_SECONDS = 60.0
WORST = 14.4 * ALLOWED_SLOW
"""Share of slow requests in a minute that is not borne: that of the alert that wakes people."""

_STEP_SECONDS = 5.0


def is_slow(request: LoadRequest, now: float) -> bool:
    """Whether the first token came too late, or has not come and is too late already."""
    came = now if request.first_token is None else request.first_token
    return came - request.arrived > SECONDS_TO_FIRST_TOKEN


def held_from(requests: Sequence[LoadRequest], begin: float, end: float, now: float) -> float | None:
    """The first moment from ``begin`` on from which the objective holds until ``end``; None where there is none.

    From then on no more than 1 of 100 requests is slow, for a minute at least, and in no minute more than 14 of 100.
    ``requests`` are in order of their arrival. Where nobody asks anything it holds.
    """
    arrived = [request.arrived for request in requests]
    slow = [0, *accumulate(int(is_slow(request, now)) for request in requests)]

    def share(since: float, until: float) -> float:
        first, last = bisect_left(arrived, since), bisect_left(arrived, until)
        return (slow[last] - slow[first]) / (last - first) if last > first else 0.0

    found = None
    moments = [begin + number * _STEP_SECONDS for number in range(max(1, int((end - begin) // _STEP_SECONDS)))]
    for moment in reversed(moments):
        if share(moment, min(moment + WINDOW_SECONDS, end)) > WORST:
            break
        if share(moment, end) <= ALLOWED_SLOW and (moment <= end - WINDOW_SECONDS or moment == begin):
            found = moment
    return found
