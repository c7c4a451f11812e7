"""A list in Go's memory, which the plugin's reader fills again where a key is written in two ways.

Null leaves an element as it is, and Go reads a list into the memory of the one before: after `[7, 1]` and `[0]` the
elements of `[null, null]` are 0 and 1. Source: `encoding/json` of Go 1.26, `decodeState.array`, read 2026-11-22.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Listed(Generic[T]):
    """``found`` are the elements of a list, ``behind`` what longer ones before it have left there."""

    found: tuple[T, ...] = ()
    behind: tuple[T, ...] = ()

    def over(self, values: Sequence[Any], read: Callable[[Any, int, T | None], T]) -> "Listed[T]":
        """The list after ``values`` are read into it; ``read`` is given each, its index, and the element before it.

        An empty list begins anew.
        """
        if not values:
            return Listed()
        memory = (*self.found, *self.behind)
        elements = [
            read(value, index, memory[index] if index < len(memory) else None) for index, value in enumerate(values)
        ]
        return Listed(tuple(elements), memory[len(elements) :])
