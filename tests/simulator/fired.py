"""When each alert was pending, fired and was over, as a real Prometheus remembers it."""

import json
from collections import defaultdict
from dataclasses import dataclass


@dataclass
class Fired:
    """One alert for one set of labels, in minutes since faults struck; ``over`` is None where it fires still."""

    name: str
    labels: dict
    pending: float
    fires: float | None
    over: float | None

    def __str__(self):
        return f"{self.name} {self.labels}: {self.pending:.1f}, {self.fires}, {self.over}"


def fired(server, begin, struck, step):
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
        every = [*states.get("pending", ()), *states.get("firing", ())]
        firing = states.get("firing", ())
        over = max(every) if max(every) < end - 3 * step else None
        minutes = [
            (at - struck) / 60 if at is not None else None for at in (min(every), min(firing, default=None), over)
        ]
        result.append(Fired(name, json.loads(text), *minutes))
    return result
