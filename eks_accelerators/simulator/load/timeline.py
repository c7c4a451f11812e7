"""What happens under a load, moment by moment; moments are seconds of simulated time from its beginning."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from eks_accelerators.simulator.load.cluster_view import View
from eks_accelerators.simulator.load.fleet import FleetState


@dataclass(frozen=True, slots=True)
class LoadLook:
    """One look at everything. ``nodes`` are ready ones by node group, ``instances`` those of EC2; ``firing`` are alerts."""

    at: float
    load: int
    """Requests in flight."""
    running: int
    waiting: int
    """Those that wait, in a server or for one."""
    wanted: int
    """`replicas` of the Deployment."""
    ready: int
    starting: int
    unscheduled: int
    nodes: Mapping[str, int]
    instances: Mapping[str, int]
    firing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LoadChange:
    """Something that changed. ``kind`` is `load`, `replicas`, `pods`, `nodes`, `alert`, `fault`, `repair` or `account`."""

    at: float
    kind: str
    what: str


@dataclass(slots=True)
class Recorder:
    """Samples of a load and its events, in order of time."""

    samples: list[LoadLook] = field(default_factory=list)
    events: list[LoadChange] = field(default_factory=list)

    def note(self, at: float, kind: str, what: str) -> None:
        """Write down an event: ``at`` so many simulated seconds, of which ``kind``, and ``what`` happened in words."""
        self.events.append(LoadChange(at, kind, what))

    def take(
        self, at: float, fleet: FleetState, view: View, instances: Mapping[str, int], firing: Sequence[str] = ()
    ) -> LoadLook:
        """Write down how it is, and what has changed since the last time."""
        sample = LoadLook(
            at,
            fleet.in_flight,
            fleet.running,
            fleet.waiting + fleet.unserved,
            view.wanted,
            len(view.ready),
            view.starting,
            view.unscheduled,
            dict(sorted(view.nodes.items())),
            dict(sorted(instances.items())),
            tuple(sorted(set(firing))),
        )
        if self.samples:
            self._compare(self.samples[-1], sample)
        self.samples.append(sample)
        return sample

    def _compare(self, before: LoadLook, now: LoadLook) -> None:
        if now.wanted != before.wanted:
            self.note(now.at, "replicas", f"replicas {before.wanted} → {now.wanted}")
        if now.ready != before.ready:
            self.note(now.at, "pods", f"servers that answer {before.ready} → {now.ready}")
        if now.unscheduled != before.unscheduled:
            self.note(now.at, "pods", f"servers without a place {before.unscheduled} → {now.unscheduled}")
        for group in sorted({*before.nodes, *now.nodes}):
            had, has = before.nodes.get(group, 0), now.nodes.get(group, 0)
            if had != has:
                self.note(now.at, "nodes", f"nodes of {group} {had} → {has}")
        for name in sorted(set(now.firing) - set(before.firing)):
            self.note(now.at, "alert", f"{name} fires")
        for name in sorted(set(before.firing) - set(now.firing)):
            self.note(now.at, "alert", f"{name} is over")
