"""Parents and children among the operations of a deployment."""

from collections.abc import Iterable, Iterator

from eks_accelerators.simulator.timeline.operation import TimedOperation


class Family:
    """Operations by URN, with their parents and children.

    Raises ValueError where two operations have one URN.
    """

    def __init__(self, operations: Iterable[TimedOperation]) -> None:
        self.members: dict[str, TimedOperation] = {}
        self._children: dict[str, list[str]] = {}
        for operation in operations:
            if operation.urn in self.members:
                raise ValueError(f"two operations on {operation.urn}; a replacement is one, with both its lengths")
            self.members[operation.urn] = operation
            self._children.setdefault(operation.parent, []).append(operation.urn)

    def __iter__(self) -> Iterator[TimedOperation]:
        return iter(self.members.values())

    def __contains__(self, urn: str) -> bool:
        return urn in self.members

    def children(self, urn: str) -> list[str]:
        """URNs of the children, in the order of their registration."""
        return self._children.get(urn, [])

    def descendants(self, urn: str) -> Iterator[str]:
        """URNs of children, their children, and so on."""
        for child in self.children(urn):
            yield child
            yield from self.descendants(child)

    def ancestors(self, urn: str) -> Iterator[str]:
        """URNs of the parent, its parent, and so on, as far as they are among the operations."""
        parent = self.members[urn].parent
        while parent in self.members:
            yield parent
            parent = self.members[parent].parent

    def top(self, urn: str) -> TimedOperation:
        """The topmost ancestor, or the operation itself where it has none."""
        return self.members[[urn, *self.ancestors(urn)][-1]]
