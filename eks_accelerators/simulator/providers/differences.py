"""What differs between the inputs of a resource before and now, property by property."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from eks_accelerators.simulator.providers.values import UNKNOWN


@dataclass(frozen=True, slots=True)
class Difference:
    """One property that differs. ``kind`` is add, delete or update; ``path`` as Pulumi writes it, `a.b[0]`."""

    path: str
    kind: str

    @property
    def top(self) -> str:
        """The property at the top."""
        return self.path.partition(".")[0].partition("[")[0]


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Difference]:
    """Every leaf that differs; a value that is not known counts as different, for it may be."""
    return list(_between("", dict(old), dict(new)))


def _between(path: str, old: Any, new: Any) -> Iterator[Difference]:
    if old == new and new != UNKNOWN:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            below = f"{path}.{key}" if path else key
            if key not in old:
                yield Difference(below, "add")
            elif key not in new:
                yield Difference(below, "delete")
            else:
                yield from _between(below, old[key], new[key])
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (was, is_now) in enumerate(zip(old, new, strict=True)):
            yield from _between(f"{path}[{index}]", was, is_now)
    else:
        yield Difference(path, "update")
