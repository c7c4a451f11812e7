"""When each alert was pending, fired and was over, as a real Prometheus remembers it."""

import json
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise


@dataclass
class AlertFiring:
    """One alert for one set of labels, in minutes since faults struck; ``over`` is None where it fires still.

    ``pending`` is since when it waited, without interruption, before it fired.
    """

    name: str
    labels: dict
    pending: float
    fires: float | None
    over: float | None

    def __str__(self):
        return f"{self.name} {self.labels}: {self.pending:.1f}, {self.fires}, {self.over}"


def alert_history(server, begin, struck, step):
    """Every alert that was ever pending or firing, from the simulated moment ``begin`` on, asked every ``step`` seconds."""
    found = defaultdict(dict)
    for series in server.query_range("ALERTS", begin, server.clock.now(), step):
        labels = dict(series.labels)
        del labels["__name__"]
        name, state = labels.pop("alertname"), labels.pop("alertstate")
        labels.pop("severity", None)
        found[name, json.dumps(labels, sort_keys=True)][state] = [at for at, _ in series.points]
    end = server.clock.now()
    result = []
    for (name, text), states in sorted(found.items()):
        firing = states.get("firing", ())
        every = _together(sorted([*states.get("pending", ()), *firing]), min(firing, default=None), step)
        over = max(every) if max(every) < end - 3 * step else None
        minutes = [
            (at - struck) / 60 if at is not None else None for at in (min(every), min(firing, default=None), over)
        ]
        result.append(AlertFiring(name, json.loads(text), *minutes))
    return result


def _together(moments, moment, step):
    """Those without what was over before ``moment``."""
    if moment is None:
        return moments
    begins = max(
        (after for before, after in pairwise(moments) if after <= moment and after - before > 2 * step), default=0
    )
    return [each for each in moments if each >= begins]
