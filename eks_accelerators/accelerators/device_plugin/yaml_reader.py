"""A configuration file's values, as the plugin's own YAML reader has them.

The plugin reads YAML 1.1 with `sigs.k8s.io/yaml` v1.6.0 over `go.yaml.in/yaml/v2` v2.4.3, which differs from PyYAML in
how `<<` merges (what stands later wins), and in that it takes the last of two equal keys, keys that are numbers, and the
first of several documents. Source: their code (`decode.go`, `yaml.go`), read 2026-11-21.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from eks_accelerators.accelerators.device_plugin.yaml_events import Events
from eks_accelerators.accelerators.device_plugin.yaml_words import MERGE, UnreadableError, scalar
from eks_accelerators.accelerators.go_yaml import aliases_exceed

_DEEPEST = 100


@dataclass(frozen=True, slots=True)
class Document:
    """The first document of a text: plain values, and the line of each property path, from 1.

    ``replaced`` are property paths that are written again further down, where the last one counts, with the lines of
    those that do not. ``further`` is the line of a second document, None where there is none.
    """

    value: Any
    lines: dict[str, int]
    replaced: tuple[tuple[str, int], ...] = ()
    further: int | None = None


def read(text: str | bytes) -> Document:
    """Read a configuration file. Raises `UnreadableError`."""
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    composer = _Composer(raw)
    try:
        root = composer.root()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise UnreadableError(error.problem or error.context or "no YAML", mark.line + 1 if mark else None) from None
    except yaml.YAMLError as error:
        raise UnreadableError(str(error).partition("\n")[0]) from None
    except UnreadableError:
        raise
    except (ValueError, OverflowError):  # an escape such as "\UFFFFFFFF"
        raise UnreadableError("an escaped character that there is not") from None
    reader = _Reader()
    value = reader.value(root, "") if root else None
    if not _finite(value):
        raise UnreadableError("a number that is infinite, or none")
    return Document(value, reader.lines, tuple(reader.replaced), composer.further() if root else None)


def join(path: str, key: str | int) -> str:
    """The property path of a member of what is at ``path``."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    return f"{path}.{key}" if path else key


@dataclass(slots=True)
class _Node:
    """A node of the document; an alias has the node that it names as its only child."""

    kind: str
    line: int
    tag: str = ""
    text: str = ""
    plain: bool = False
    children: list["_Node"] = field(default_factory=list)


class _Composer:
    """Nodes of events. Not PyYAML's own: that refuses an anchor that is used twice, and resolves words its way."""

    def __init__(self, raw: bytes) -> None:
        self._events: Iterator[Any] = self._parsed(raw)
        self._anchors: dict[str, _Node] = {}
        self._depth = 0

    @staticmethod
    def _parsed(raw: bytes) -> Iterator[Any]:
        events = Events(raw)
        while events.check_event():
            yield events.get_event()  # type: ignore[no-untyped-call]

    def root(self) -> _Node | None:
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                if event.version not in (None, (1, 1)):
                    raise UnreadableError("%YAML: the plugin reads version 1.1 only")
                root = self._node(next(self._events))
                next(self._events)  # the document's end, or what is wrong with it
                return root
        return None

    def further(self) -> int | None:
        """The line of a further document that is not empty; whether it could be read is not asked."""
        start: int | None = None
        event: Any
        try:
            for event in self._events:
                line = event.start_mark.line + 1
                if isinstance(event, yaml.DocumentStartEvent):
                    start = line
                elif isinstance(event, yaml.NodeEvent) and getattr(event, "value", None) != "":
                    return start
        except yaml.MarkedYAMLError as error:
            return start or (error.problem_mark.line + 1 if error.problem_mark else None)
        return None

    def _node(self, event: Any) -> _Node:
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._anchors:
                raise UnreadableError(f"unknown anchor {event.anchor!r}", line)
            return _Node("alias", line, children=[self._anchors[event.anchor]])
        tag = event.tag or ""
        if tag == "!" and not (isinstance(event, yaml.ScalarEvent) and event.value == "" and event.style is None):
            tag = ""  # with nothing behind it, it makes a text
        if isinstance(event, yaml.ScalarEvent):
            if any("\ud800" <= character <= "\udfff" for character in event.value):
                raise UnreadableError("an escaped character that there is not", line)
            node = _Node("scalar", line, tag, event.value, event.implicit[0])
            self._name(event, node)
            return node
        sequence = isinstance(event, yaml.SequenceStartEvent)
        node = _Node("sequence" if sequence else "mapping", line, tag)
        self._name(event, node)
        self._depth += 1
        if self._depth > _DEEPEST:
            raise UnreadableError(f"nested deeper than {_DEEPEST} levels", line)
        end = yaml.SequenceEndEvent if sequence else yaml.MappingEndEvent
        while not isinstance(inner := next(self._events), end):
            node.children.append(self._node(inner))
        self._depth -= 1
        return node

    def _name(self, event: Any, node: _Node) -> None:
        if event.anchor is not None:
            self._anchors[event.anchor] = node


class _Reader:
    """Values of nodes, with the limits on aliases that keep a small text from becoming a large one."""

    def __init__(self) -> None:
        self.lines: dict[str, int] = {}
        self.replaced: list[tuple[str, int]] = []
        self._open_aliases: set[int] = set()
        self._count = 1  # the document itself
        self._by_alias = 0

    def value(self, node: _Node, path: str) -> Any:
        self._counted(node)
        self.lines.setdefault(path, node.line)
        match node.kind:
            case "alias":
                value = self.value(self._entered(node), path)
                self._open_aliases.discard(id(node))
                return value
            case "scalar":
                return scalar(node.text, node.tag, node.plain, node.line)
            case "sequence":
                return [self.value(child, join(path, index)) for index, child in enumerate(node.children)]
        found: dict[str, Any] = {}
        self._mapping(node, path, found)
        return found

    def _mapping(self, node: _Node, path: str, found: dict[str, Any]) -> None:
        own = set()
        for key, child in zip(node.children[::2], node.children[1::2], strict=True):
            if key.kind == "scalar" and key.text == "<<" and (key.plain or key.tag == MERGE):
                self._merge(child, path, found)
                continue
            name = _key(self.value(key, path), key.line)
            inner = join(path, name)
            if name in found:
                if name in own:  # not one that `<<` brought, which is there to be replaced
                    self.replaced.append((inner, self.lines[inner]))
                self._forget(inner)
            own.add(name)
            value = self.value(child, inner)
            self.lines[inner] = key.line
            found[name] = value

    def _merge(self, node: _Node, path: str, found: dict[str, Any]) -> None:
        many = node.children[::-1] if node.kind == "sequence" else [node]
        for one in many:
            target = one.children[0] if one.kind == "alias" else one
            if target.kind != "mapping":
                raise UnreadableError("<< takes a mapping or a list of mappings", one.line)
            self._counted(one)
            if one.kind == "alias":
                self._counted(self._entered(one))
            self._mapping(target, path, found)
            self._open_aliases.discard(id(one))

    def _forget(self, path: str) -> None:
        """The lines of a value that another of the same name replaces."""
        for stale in [line for line in self.lines if line == path or line.startswith((f"{path}.", f"{path}["))]:
            del self.lines[stale]

    def _entered(self, alias: _Node) -> _Node:
        if id(alias) in self._open_aliases:
            raise UnreadableError("an anchor's value contains itself", alias.line)
        self._open_aliases.add(id(alias))
        return alias.children[0]

    def _counted(self, node: _Node) -> None:
        self._count += 1
        self._by_alias += bool(self._open_aliases)
        if aliases_exceed(self._by_alias, self._count):
            raise UnreadableError("too much of it are aliases", node.line)


def _finite(value: Any) -> bool:
    """Whether the plugin can pass the value on as JSON, which it does before it looks into it."""
    match value:
        case dict():
            return all(_finite(inner) for inner in value.values())
        case list():
            return all(_finite(inner) for inner in value)
        case float():
            return math.isfinite(value)
    return True


def _key(value: Any, line: int) -> str:
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case int() if value < 2**63:
            return str(value)
        case float():
            return f"{value:g}"
    raise UnreadableError("a key is a text, a number, true or false", line)
