"""The nodes of a YAML text, each with its line: what the values of a stack file are made of.

Not PyYAML's own: those have lost whether a tag was written or guessed, and its composer refuses an anchor that is used
twice. Nor those of `ruamel.yaml`, which takes ten times as long to read a stack file.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import yaml

from eks_accelerators.accelerators.yaml_limits import LOADER, refuse_excess

Kind = Literal["scalar", "sequence", "mapping"]


@dataclass(slots=True, eq=False)
class YamlNode:
    """One node. ``children`` of a mapping are key, value, key, value; ``plain`` is a scalar without quotes.

    ``tag`` is the long form, empty where there is none. An alias is the node that it names.
    """

    kind: Kind
    line: int
    tag: str
    text: str = ""
    plain: bool = False
    children: list["YamlNode"] = field(default_factory=list)

    @property
    def pairs(self) -> Iterator[tuple["YamlNode", "YamlNode"]]:
        """Keys and values of a mapping."""
        return zip(self.children[::2], self.children[1::2], strict=True)

    @property
    def is_merge(self) -> bool:
        """Whether it is the key `<<`; the CLI takes it for one also where it stands in quotes."""
        return self.kind == "scalar" and self.text == "<<"


def compose(text: str) -> YamlNode | None:
    """The root of the only document of ``text``, None where there is none.

    Raises `yaml.YAMLError`, also for what goes beyond the limits, and `ValueError` for a text that has no encoding.
    """
    refuse_excess(text)
    composer = _Composer(text)
    root = composer.document()
    if root and (second := composer.document()):
        raise wrong("there is more than one document", second.line)
    return root


def wrong(message: str, line: int) -> yaml.MarkedYAMLError:
    """The error that something is wrong with what stands on ``line``."""
    return yaml.MarkedYAMLError(None, None, message, yaml.Mark("", 0, line - 1, 0, None, 0))


class _Composer:
    def __init__(self, text: str) -> None:
        self._events: Iterator[Any] = iter(yaml.parse(text, Loader=LOADER))
        self._anchors: dict[str, YamlNode] = {}

    def document(self) -> YamlNode | None:
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                if event.version not in (None, (1, 1)):
                    raise wrong("%YAML: version 1.1 only", _line(event))
                return self._node(next(self._events))
        return None

    def _node(self, event: Any) -> YamlNode:
        line = _line(event)
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._anchors:
                raise wrong(f"found undefined alias {event.anchor!r}", line)
            return self._anchors[event.anchor]
        tag = "" if event.tag in (None, "!") else event.tag
        if isinstance(event, yaml.ScalarEvent):
            node = YamlNode("scalar", line, tag, event.value, not event.style)
            self._name(event.anchor, node)
            return node
        is_sequence = isinstance(event, yaml.SequenceStartEvent)
        node = YamlNode("sequence" if is_sequence else "mapping", line, tag)
        self._name(event.anchor, node)
        while not isinstance(inner := next(self._events), yaml.CollectionEndEvent):
            node.children.append(self._node(inner))
        return node

    def _name(self, anchor: str | None, node: YamlNode) -> None:
        if anchor is not None:
            self._anchors[anchor] = node


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1
