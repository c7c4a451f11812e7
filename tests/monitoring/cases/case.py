"""What each alert does, case by case: the series that there are, minute by minute, and what fires.

Values are as promtool writes them: `0x60` stays 0 for 60 minutes, `0+5x60` grows by 5 per minute, `_x5` is not there.
"""

import re
from dataclasses import dataclass, replace

from eks_accelerators.monitoring.alerts import ALERTS
from eks_accelerators.settings.model.alerts import RUNBOOKS

HOUR = 60


@dataclass(frozen=True)
class Case:
    """``series`` are values by series. At the minute ``at`` the alert fires once for each of ``fires``, its labels.

    ``shown`` is what the value looks like in the description. ``begins`` is the clock at the first minute.
    """

    alert: str
    about: str
    series: dict[str, str]
    fires: tuple[dict[str, str], ...] = ()
    at: int = 20
    shown: str = "1"
    begins: int | None = None

    @property
    def id(self) -> str:
        return f"{self.alert}: {self.about}"

    @property
    def too_early(self):
        """The same at a time at which nothing can have held for long enough yet; None where it fires at once."""
        held = ALERTS[self.alert].held
        if not (held and self.fires):
            return None
        return replace(self, about=f"{self.about}, for less than {held}", at=int(held.removesuffix("m")) - 1, fires=())

    def as_test(self):
        """The test as promtool reads it."""
        alert = ALERTS[self.alert]
        test = {
            "name": self.id,
            "interval": "1m",
            "input_series": [{"series": name, "values": values} for name, values in self.series.items()],
            "alert_rule_test": [
                {
                    "eval_time": f"{self.at}m",
                    "alertname": self.alert,
                    "exp_alerts": [self._expected(alert, labels) for labels in self.fires],
                }
            ],
        }
        return test if self.begins is None else {**test, "start_timestamp": self.begins}

    def _expected(self, alert, labels):
        return {
            "exp_labels": {"severity": alert.severity.value, **labels},
            "exp_annotations": {
                "summary": self._rendered(alert.summary, labels),
                "description": self._rendered(alert.description, labels),
                "runbook_url": f"{RUNBOOKS}/{alert.runbook}.md",
            },
        }

    def _rendered(self, template, labels):
        shown = re.sub(r"\{\{ \$value[^}]*\}\}", self.shown, template)
        return re.sub(r"\{\{ \$labels\.(\w+) \}\}", lambda found: labels.get(found[1], ""), shown)


def labelled(name, **labels):
    """A series as it is written."""
    written = ", ".join(f'{key}="{value}"' for key, value in labels.items())
    return f"{name}{{{written}}}"


A = {"node": "node-a", "gpu": "0", "UUID": "GPU-a"}
B = {"node": "node-b", "gpu": "0", "UUID": "GPU-b"}
POD = {"namespace": "team", "pod": "trainer"}
OTHER_POD = {"namespace": "team", "pod": "server"}
SHARER, OTHER_SHARER = {**POD, "vgpu": "0"}, {**OTHER_POD, "vgpu": "1"}
FIRST, SECOND = ({"GPU_I_PROFILE": "3g.40gb", "GPU_I_ID": index} for index in "12")


def on_gpus(name, fault, well, more=None, **labels):
    """A fault of one GPU in each way in which it can be seen, silence where there is none, one node of two."""
    more = more or {}

    def case(about, series, *fires, **kwargs):
        return Case(name, about, series, fires, **{**more, **kwargs})

    metric = labels.pop("metric")
    fired = labels.pop("fired", {})

    def one(values, **extra):
        return {labelled(metric, **labels, **extra): values}

    return [
        case("well", one(well, **A)),
        case("a fault", one(fault, **A), {**A, **fired}),
        case("one node of two", {**one(fault, **A), **one(well, **B)}, {**A, **fired}),
        case("a pod has the GPU", one(fault, **A, **POD), {**A, **fired}),
        case("two pods share it", {**one(fault, **A, **SHARER), **one(fault, **A, **OTHER_SHARER)}, {**A, **fired}),
        case("it is divided", {**one(fault, **A, **FIRST), **one(fault, **A, **SECOND)}, {**A, **fired}),
    ]
