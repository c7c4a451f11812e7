"""Limits on a YAML text, held before anything is made of it: a few bytes must not become gigabytes.

An alias stands for all that its anchor names, so ten lines of aliases of aliases stand for millions of values
("billion laughs"). Whoever reads YAML that a user wrote asks here first.
"""

from dataclasses import dataclass
from typing import Any

import yaml

from eks_accelerators.accelerators.go_yaml import aliases_exceed

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""PyYAML's own loader, with its C extension where it has one."""

DEEPEST = 100
"""Levels of nesting; composing very many would exhaust the stack."""

MOST_BY_ALIAS = 10_000
"""Values that aliases may stand for, all together."""

MOST_TEXT_BY_ALIAS = 1_000_000
"""Characters that aliases may stand for, all together."""


def load(text: str) -> Any:
    """A text as PyYAML reads it, where it keeps to the limits; raises `yaml.YAMLError`."""
    refuse_excess(text)
    return yaml.load(text, Loader=LOADER)  # noqa: S506  (a safe loader)


def refuse_excess(text: str) -> None:
    """Raise `yaml.YAMLError` for a text that is nested too deeply, or whose aliases stand for too much."""
    reading = _Reading()
    for event in yaml.parse(text, Loader=LOADER):
        reading.take(event)


@dataclass(slots=True)
class _Size:
    """How many values a node stands for, its own and those of its aliases, and how much text."""

    values: int = 0
    text: int = 0

    def add(self, other: "_Size") -> None:
        self.values += other.values
        self.text += other.text


class _Reading:
    """The sizes of the nodes of a text, one event after the other; no event is looked at twice."""

    def __init__(self) -> None:
        self._anchors: dict[str, _Size] = {}
        self._open: list[tuple[str | None, _Size]] = []
        self._whole, self._by_alias = _Size(values=1), _Size()

    def take(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.AliasEvent):
            # One that is unknown, or still open, the reader refuses.
            self._take_alias(event, self._anchors.get(str(event.anchor), _Size()))
        elif isinstance(event, yaml.ScalarEvent):
            self._take_node(event.anchor, _Size(1, len(event.value)))
        elif isinstance(event, yaml.CollectionStartEvent):
            if len(self._open) == DEEPEST:
                raise _excess("nested too deeply", event)
            self._open.append((event.anchor, _Size(values=1)))
        elif isinstance(event, yaml.CollectionEndEvent):
            self._take_node(*self._open.pop())

    def _take_alias(self, event: yaml.AliasEvent, target: _Size) -> None:
        self._by_alias.add(target)
        self._take_node(None, _Size(target.values + 1, target.text))
        count = self._whole.values + sum(size.values for _, size in self._open)
        if (
            self._by_alias.values > MOST_BY_ALIAS
            or self._by_alias.text > MOST_TEXT_BY_ALIAS
            or aliases_exceed(self._by_alias.values, count)
        ):
            raise _excess("its aliases stand for too much", event)

    def _take_node(self, anchor: str | None, size: _Size) -> None:
        (self._open[-1][1] if self._open else self._whole).add(size)
        if anchor is not None:
            self._anchors[anchor] = size


def _excess(problem: str, event: yaml.Event) -> yaml.YAMLError:
    return yaml.composer.ComposerError(None, None, problem, event.start_mark)  # type: ignore[arg-type]
