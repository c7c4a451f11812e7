"""Reading a stack file: YAML in, the project's configuration out, with the line of every value.

The YAML is read as Pulumi reads it: `yes` and `on` are words, dates are text, a key given twice is an
error.
"""

import re
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from settings.paths import Part
from settings.problems import Problem, SettingsError, Severity

try:
    from yaml import CSafeLoader as _BaseLoader
except ImportError:  # PyYAML without its C extension
    from yaml import SafeLoader as _BaseLoader  # type: ignore[assignment]


class _Loader(_BaseLoader):
    """YAML 1.2 scalars, and no key twice in one mapping."""


_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("null", r"~|null|Null|NULL|", "~nN\0"),
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?[0-9]+", "-+0123456789"),
    (
        "float",
        r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        "-+.0123456789",
    ),
):
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}",
        re.compile(rf"^(?:{_pattern})$"),
        [*_first.replace("\0", ""), *([""] if "\0" in _first else [])],
    )


def _construct_int(_loader: yaml.SafeLoader, node: yaml.ScalarNode) -> int:
    return int(node.value)


def _construct_mapping(loader: yaml.SafeLoader, node: yaml.MappingNode) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        if not isinstance(key, Hashable) or isinstance(key, tuple):
            raise yaml.constructor.ConstructorError(None, None, "a key must be a word", key_node.start_mark)
        name = key if isinstance(key, str) else str(key_node.value)
        if name in mapping:
            raise yaml.constructor.ConstructorError(None, None, f"the key {name!r} is given twice", key_node.start_mark)
        mapping[name] = loader.construct_object(value_node, deep=True)
    return mapping


_Loader.add_constructor("tag:yaml.org,2002:int", _construct_int)
_Loader.add_constructor("tag:yaml.org,2002:map", _construct_mapping)


@dataclass(frozen=True)
class StackFile:
    """The content of one stack file: its path, its text and the `config` section as plain data."""

    path: Path
    text: str
    config: dict[str, Any]

    def line_of(self, config_key: str, parts: tuple[Part, ...]) -> int | None:
        """The line of the value at ``parts`` below ``config_key``, or of its nearest ancestor."""
        node, line = self._root, None
        for part in ("config", config_key, *parts):
            child = _child(node, part)
            if child is None:
                break
            key, node = child
            line = key.start_mark.line + 1
        return line

    @cached_property
    def _root(self) -> yaml.Node | None:
        return yaml.compose(self.text, Loader=_Loader)


def _child(node: yaml.Node | None, part: Part) -> tuple[yaml.Node, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == str(part):
                return key, value
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part], node.value[part]
    return None


_DEEPEST = 100
UNREADABLE = (yaml.YAMLError, ValueError, TypeError, KeyError, AttributeError, RecursionError)
"""What PyYAML raises for bad YAML: a tag such as `!!bool` on a wrong value ends in any of them."""


def read(path: Path) -> StackFile:
    """The stack file at ``path``; raises `SettingsError` where it cannot be read as one."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        others = sorted(p.name for p in path.parent.glob("Pulumi.*.yaml")) if path.parent.is_dir() else []
        raise _unreadable(
            path,
            "there is no such stack file",
            ", ".join(others) or "no stack file in this folder",
            "name one of these stacks, or create the file"
            if others
            else "run it in the folder of the program, or name the stack file by its path",
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(path, f"the stack file cannot be read: {error}", "UTF-8 text", "mend the file") from None
    try:
        document = load(text)
    except UNREADABLE as error:
        mark = getattr(error, "problem_mark", None)
        message = getattr(error, "problem", None) or "the YAML cannot be read"
        raise _unreadable(
            path,
            f"not valid YAML: {message}",
            "YAML as Pulumi reads it",
            "mend the file",
            mark.line + 1 if mark else None,
        ) from None
    config = document.get("config") if isinstance(document, dict) else None
    if not isinstance(config, dict):
        raise _unreadable(path, "the stack file has no `config` section", "config: {...}", "add the section `config`")
    return StackFile(path, text, config)


def load(text: str) -> Any:
    """The text as plain data; raises any of `UNREADABLE`."""
    _refuse_deep_nesting(text)
    return yaml.load(text, Loader=_Loader)  # noqa: S506  (a safe loader of our own)


def _refuse_deep_nesting(text: str) -> None:
    """Raise for more levels than settings can have; composing very many would exhaust the C stack."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            raise yaml.composer.ComposerError(None, None, "nested too deeply", event.start_mark)  # type: ignore[arg-type]


def _unreadable(path: Path, message: str, allowed: str, fix: str, line: int | None = None) -> SettingsError:
    return SettingsError([Problem("stack-file", Severity.ERROR, path.name, message, str(path), allowed, fix, line)])
