"""Which pods find a place on nodes that are alike: the arithmetic of what the Kubernetes scheduler does.

Pods come workload by workload. Those of one are spread evenly over the nodes, as `topologySpreadConstraints` have it, or fill
one node after the other.
Nothing is counted pod by pod, so any number of pods and nodes is answered at once.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Amounts = Mapping[str, float]
"""So much of each resource, by name; a request names nothing of which it wants none."""


@dataclass(frozen=True, slots=True)
class PlacementRequirements:
    """Pods that each ask for ``request``; ``together`` on one node, as pod affinity has it, or spread.

    With ``max_skew`` no node gets more of them beyond that with fewest, which has none while there are fewer nodes than
    ``min_domains``. ``packed`` pods fill one node after the other.
    """

    pods: int
    request: Amounts
    together: bool = False
    max_skew: int | None = None
    min_domains: int = 1
    packed: bool = False


@dataclass(frozen=True, slots=True)
class Alike:
    """``count`` nodes that hold the same: ``pods`` has the pods of each workload."""

    count: int
    pods: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Placement:
    """Nodes with the pods of the ``wanted`` workloads that have a place. ``capacity`` is that of one node."""

    capacity: Amounts
    wanted: tuple[PlacementRequirements, ...]
    nodes: tuple[Alike, ...]

    def placed(self, workload: int) -> int:
        """How many pods of the workload of that index have a place."""
        return sum(nodes.count * nodes.pods[workload] for nodes in self.nodes)

    def more(self, workload: int) -> int:
        """How many further pods of it would have one."""
        request = self.wanted[workload].request
        return sum(nodes.count * self._holds(nodes, request) for nodes in self._open_to(workload))

    def short_of(self, workload: int) -> tuple[str, ...]:
        """What keeps one more pod of it out once there is no place for it: what any node has too little of."""
        request, there = self.wanted[workload].request, self._open_to(workload)
        return tuple(
            resource
            for resource, amount in request.items()
            if any(self._left(nodes, resource) - self._holds(nodes, request) * amount < amount for nodes in there)
        )

    def _open_to(self, workload: int) -> tuple[Alike, ...]:
        """The nodes that take its pods: of those that stay together the one that has them, or has most headroom."""
        wanted = self.wanted[workload]
        if not (wanted.together and self.nodes):
            return self.nodes
        one = max(self.nodes, key=lambda each: self._attraction(each, workload))
        return (Alike(1, one.pods),)

    def _attraction(self, nodes: Alike, workload: int) -> tuple[int, int, int, tuple[int, ...]]:
        """Where pods that stay together go: to their own kind, else to most headroom, else to the fewest others."""
        headroom = self._holds(nodes, self.wanted[workload].request)
        return nodes.pods[workload], headroom, -sum(nodes.pods), nodes.pods

    def with_pods(self, workload: int) -> "Placement":
        """The same with the pods of a workload that has none so far."""
        wanted = self.wanted[workload]
        there = self._open_to(workload)
        held = _evenly([(nodes, self._holds(nodes, wanted.request)) for nodes in there], wanted)
        if wanted.packed:
            return self._packed(workload, held)

        def when_each_has(level: int) -> int:
            return sum(nodes.count * min(most, level) for nodes, most in held)

        highest = max((most for _, most in held), default=0)
        level = bisect_right(range(1, highest + 1), wanted.pods, key=when_each_has)
        rest = wanted.pods - when_each_has(level)
        filled = Counter({nodes.pods: nodes.count for nodes in self.nodes})
        for nodes, most in sorted(held, key=lambda each: (sum(each[0].pods), each[0].pods)):
            one_more = min(rest, nodes.count) if most > level else 0
            rest -= one_more
            filled[nodes.pods] -= nodes.count
            for count, here in ((one_more, level + 1), (nodes.count - one_more, min(most, level))):
                filled[(*nodes.pods[:workload], here, *nodes.pods[workload + 1 :])] += count
        return Placement(
            self.capacity, self.wanted, tuple(Alike(count, pods) for pods, count in filled.items() if count)
        )

    def _packed(self, workload: int, held: Sequence[tuple[Alike, int]]) -> "Placement":
        """Each node takes what it holds, those with the fewest pods of others first."""
        rest, filled = self.wanted[workload].pods, list[Alike]()
        for nodes, most in sorted(held, key=lambda each: (sum(each[0].pods), each[0].pods)):
            full = min(nodes.count, rest // most) if most else 0
            partly = 1 if full < nodes.count else 0
            in_part = min(most, rest - full * most) if partly else 0
            rest -= full * most + in_part
            for count, here in ((full, most), (partly, in_part), (nodes.count - full - partly, 0)):
                filled.append(Alike(count, (*nodes.pods[:workload], here, *nodes.pods[workload + 1 :])))
        return Placement(self.capacity, self.wanted, tuple(nodes for nodes in filled if nodes.count))

    def _left(self, nodes: Alike, resource: str) -> float:
        used = sum(
            pods * wanted.request.get(resource, 0) for pods, wanted in zip(nodes.pods, self.wanted, strict=True) if pods
        )
        return self.capacity.get(resource, 0) - used

    def _holds(self, nodes: Alike, request: Amounts) -> int:
        return min(max(0, int(self._left(nodes, resource) // amount)) for resource, amount in request.items())


def _evenly(held: list[tuple[Alike, int]], wanted: PlacementRequirements) -> list[tuple[Alike, int]]:
    """What each node takes where none may have many more than another."""
    if wanted.max_skew is None or not held:
        return held
    there = sum(nodes.count for nodes, _ in held)
    fewest = min(most for _, most in held) if there >= wanted.min_domains else 0
    return [(nodes, min(most, fewest + wanted.max_skew)) for nodes, most in held]


def place(wanted: Sequence[PlacementRequirements], capacity: Amounts, nodes: int) -> Placement:
    """Pods of several workloads, in their order, on ``nodes`` nodes of ``capacity`` each. A pod asks for one thing at least."""
    placement = Placement(capacity, tuple(wanted), (Alike(nodes, (0,) * len(wanted)),) if nodes else ())
    for index in range(len(wanted)):
        placement = placement.with_pods(index)
    return placement
