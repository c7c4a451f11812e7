"""Which pods find a place on nodes that are alike: the arithmetic of what the Kubernetes scheduler does.

Pods come workload by workload. Those of one are spread evenly over the nodes, as `topologySpreadConstraints` have it.
Nothing is counted pod by pod, so any number of pods and nodes is answered at once.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Amounts = Mapping[str, float]
"""So much of each resource, by name; a request names nothing of which it wants none."""


@dataclass(frozen=True, slots=True)
class Alike:
    """``count`` nodes that hold the same: ``pods`` has the pods of each workload."""

    count: int
    pods: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Placement:
    """Nodes with their pods. ``requests`` are those of one pod of each workload, ``capacity`` that of one node."""

    capacity: Amounts
    requests: tuple[Amounts, ...]
    nodes: tuple[Alike, ...]

    def placed(self, workload: int) -> int:
        """How many pods of the workload of that index have a place."""
        return sum(nodes.count * nodes.pods[workload] for nodes in self.nodes)

    def more(self, request: Amounts) -> int:
        """How many further pods that each ask for ``request`` find a place."""
        return sum(nodes.count * self._holds(nodes, request) for nodes in self.nodes)

    def short_of(self, request: Amounts) -> tuple[str, ...]:
        """What keeps one more such pod out once there is no place for it: what any node has too little of."""
        return tuple(
            resource
            for resource, amount in request.items()
            if any(self._left(nodes, resource) - self._holds(nodes, request) * amount < amount for nodes in self.nodes)
        )

    def with_pods(self, workload: int, pods: int) -> "Placement":
        """The same with up to ``pods`` of a workload that has none so far."""
        held = [(nodes, self._holds(nodes, self.requests[workload])) for nodes in self.nodes]

        def when_each_has(level: int) -> int:
            return sum(nodes.count * min(most, level) for nodes, most in held)

        highest = max((most for _, most in held), default=0)
        level = bisect_right(range(1, highest + 1), pods, key=when_each_has)
        rest = pods - when_each_has(level)
        filled: list[Alike] = []
        for nodes, most in sorted(held, key=lambda each: sum(each[0].pods)):
            one_more = min(rest, nodes.count) if most > level else 0
            rest -= one_more
            for count, here in ((one_more, level + 1), (nodes.count - one_more, min(most, level))):
                if count:
                    filled.append(Alike(count, (*nodes.pods[:workload], here, *nodes.pods[workload + 1 :])))
        return Placement(self.capacity, self.requests, tuple(filled))

    def _left(self, nodes: Alike, resource: str) -> float:
        used = sum(
            pods * request.get(resource, 0) for pods, request in zip(nodes.pods, self.requests, strict=True) if pods
        )
        return self.capacity.get(resource, 0) - used

    def _holds(self, nodes: Alike, request: Amounts) -> int:
        return min(max(0, int(self._left(nodes, resource) // amount)) for resource, amount in request.items())


def place(wanted: Sequence[tuple[int, Amounts]], capacity: Amounts, nodes: int) -> Placement:
    """Pods of several workloads, in their order, on ``nodes`` nodes of ``capacity`` each.

    ``wanted`` has, for each workload, how many pods, and what one of them asks for: at least one thing.
    """
    none = (0,) * len(wanted)
    placement = Placement(capacity, tuple(request for _, request in wanted), (Alike(nodes, none),) if nodes else ())
    for index, (pods, _) in enumerate(wanted):
        placement = placement.with_pods(index, pods)
    return placement
