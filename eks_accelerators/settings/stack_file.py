"""Reading a stack file: YAML in, the project's configuration out, with the line of every value.

The YAML is read as the Pulumi CLI reads it, and a test asks the CLI. What it reads and we refuse: a second document, keys
that it takes for one and the same, and more aliases than any stack needs.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from yaml.reader import ReaderError

from eks_accelerators.accelerators.suggest import closest
from eks_accelerators.settings import pulumi_values
from eks_accelerators.settings.file_words import first_unseen, fix_of_file, not_utf8
from eks_accelerators.settings.paths import Part
from eks_accelerators.settings.problems import Problem, SettingsError, Severity
from eks_accelerators.settings.yaml_nodes import YamlNode, compose, wrong
from eks_accelerators.settings.yaml_words import plainly

PROJECT = "eks-accelerators"
"""The project's name in Pulumi.yaml, which is the namespace of its keys in a stack file."""

UNREADABLE = (yaml.YAMLError, ValueError)
"""What is raised for bad YAML; `ValueError` for a text that has no encoding."""


@dataclass(frozen=True)
class StackFile:
    """The content of one stack file: its path and the `config` section as plain data.

    Keys have their namespace, as the CLI gives ours to those without. ``imports`` says whether the file has environments
    of Pulumi ESC, which may add to what it says. ``outside`` has the lines of what stands beside `config`, by key.
    """

    path: Path
    config: dict[str, Any]
    imports: bool
    outside: dict[str, int]
    _line: int
    _members: dict[str, tuple[YamlNode, YamlNode]]

    def line_of(self, config_key: str, parts: tuple[Part, ...]) -> int:
        """The line of the value at ``parts`` below ``config_key``, or of its nearest ancestor."""
        if config_key not in self._members:
            return self._line
        key, node = self._members[config_key]
        return line_below(node, parts, key.line)


def read(path: Path) -> StackFile:
    """The stack file at ``path``; raises `SettingsError` where it cannot be read as one."""
    if path.suffix not in (".yaml", ".yml") and path.is_file():
        fix = "name a stack, such as dev, or its file, such as stacks/Pulumi.dev.yaml"
        raise _unreadable(path, "this is no stack file", path.name, "Pulumi.<stack>.yaml", fix)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise _missing(path) from None
    except UnicodeDecodeError as error:
        message = "the stack file cannot be read: it is no UTF-8 text"
        raise _unreadable(path, message, not_utf8(error), "UTF-8 text", "save it as UTF-8") from None
    except OSError as error:
        message = f"the stack file cannot be read: {error.strerror or error}"
        raise _unreadable(path, message, str(path), "a file that you may read", fix_of_file(error)) from None
    try:
        found = _read(path, text)
    except UNREADABLE as error:
        raise SettingsError([not_yaml("stack-file", path, text, error)]) from None
    return found


def _missing(path: Path) -> SettingsError:
    others = sorted(path.parent.glob("Pulumi.*.yaml")) if path.parent.is_dir() else []
    names = [_stack_of(other) for other in others]
    guess = closest(_stack_of(path), names)
    fix = "run it in the folder of the program, or name the stack file by its path"
    if others:
        fix = f"did you mean {guess}?" if guess else f"name one of the stacks {', '.join(names)}, or create the file"
    allowed = "the name of a stack, or the path of its file"
    return _unreadable(path, "there is no such stack file", str(path), allowed, fix)


def _stack_of(path: Path) -> str:
    return path.name.removeprefix("Pulumi.").removesuffix(".yaml")


def not_yaml(code: str, path: Path, text: str, error: Exception) -> Problem:
    """The problem that reading ``text`` has raised ``error``, one of `UNREADABLE`."""
    mark: Any = getattr(error, "problem_mark", None)
    unseen = first_unseen(text) if isinstance(error, ReaderError) else None
    lines = text.splitlines()
    character = lines[mark.line][mark.column : mark.column + 1] if mark and mark.line < len(lines) else ""
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "the YAML cannot be read"
    words = plainly(problem, character)
    line = mark.line + 1 if mark else None
    found = f"line {line}" if line else str(path)
    if unseen:
        found, line = unseen
    elif character == "\t":
        found = f"a tab in line {line}"
    elif character.strip() and mark.column:
        found = f"{json.dumps(character, ensure_ascii=False)} in line {line}, column {mark.column + 1}"
    message = f"not valid YAML: {words.message}"
    return Problem(code, Severity.ERROR, path.name, message, found, words.allowed, words.fix, line)


def _no_config(path: Path, root: YamlNode | None, config: YamlNode | None) -> SettingsError:
    """The problem that there is no section `config` with keys in it."""
    if root is None or (root.kind == "scalar" and not root.text):
        found, fix = (
            "an empty file",
            "write `config:` and the settings below it; docs/stack-file.md begins with the smallest",
        )
    elif config is not None:
        kind = _KINDS[config.kind] if config.kind != "scalar" or config.text else "nothing"
        found, fix = f"config: {kind}", "write the settings below `config:`, each as `key: value`"
    elif root.kind == "mapping":
        keys = [node.text for node, _ in root.pairs][:_SHOWN]
        found, fix = f"the keys {', '.join(keys)}", "write `config:` and, two blanks deeper, the settings below it"
    else:
        found, fix = _KINDS[root.kind], "name a stack file, such as stacks/Pulumi.dev.yaml"
    return _unreadable(path, "the stack file has no `config` section", found, "config: and keys below it", fix)


_SHOWN = 5
_KINDS = {"scalar": "text", "sequence": "a list", "mapping": "keys with values"}


def load(text: str) -> Any:
    """The text as plain data; raises any of `UNREADABLE`."""
    return plain_data(compose(text))


def plain_data(root: YamlNode | None) -> Any:
    """A node and all below it as plain data; raises any of `UNREADABLE`."""
    return None if root is None else _Reader().value(root)


def line_below(node: YamlNode, parts: tuple[Part, ...], line: int) -> int:
    """The line of the value at ``parts`` below ``node``, or of its nearest ancestor: ``line`` where that is the node."""
    for part in parts:
        child = _child(node, part)
        if child is None:
            break
        line, node = child
    return line


def dump(document: Any) -> str:
    """A stack file, or a part of one, as text that the CLI reads as the same; raises nothing for plain data."""
    return yaml.dump(document, Dumper=_Dumper, sort_keys=False, width=120)


class _Dumper(yaml.SafeDumper):
    """PyYAML leaves text without quotes where it does not take it for anything else itself; the CLI may."""


def _represented(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    try:
        is_word = pulumi_values.scalar(text, "", plain=True) == text
    except ValueError:
        is_word = False
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if is_word else '"')


_Dumper.add_representer(str, _represented)


def _read(path: Path, text: str) -> StackFile:
    root = compose(text)
    reader = _Reader()
    if root is None or root.kind != "mapping":
        raise _no_config(path, root, None)
    sections = reader.members(root)
    key, config = sections.get("config", (root, None))
    if config is None or config.kind != "mapping":
        raise _no_config(path, root, config)
    for each, _ in sections.values():
        if not reader.is_text(each):
            raise wrong("a key must be a word", each.line)
    whole = reader.value(root)  # what is wrong elsewhere stops the CLI as well
    members = _with_namespaces(reader, config)
    values = {name: reader.value(node) for name, (_, node) in members.items()}
    outside = {name: each.line for name, (each, _) in sections.items() if name != "config"}
    return StackFile(path, values, bool(whole.get("environment")), outside, key.line, members)


def _with_namespaces(reader: "_Reader", config: YamlNode) -> dict[str, tuple[YamlNode, YamlNode]]:
    """Members of `config` by their whole names: the CLI gives the project's namespace to keys that have none.

    It does not where any key is no text, and then refuses those. `a:config:b` is an older way to write `a:b`.
    Source: `stackConfigNamespacedWithProject` and `ParseKey` of `github.com/pulumi/pulumi/sdk/v3` v3.250.0.
    """
    members = reader.members(config)
    all_words = all(reader.is_text(key) for key, _ in members.values())
    found: dict[str, tuple[YamlNode, YamlNode]] = {}
    for written, pair in members.items():
        match written.split(":"):
            case [_, _]:
                name = written
            case [_] if all_words:
                name = f"{PROJECT}:{written}"
            case [namespace, "config", rest]:
                name = f"{namespace}:{rest}"
            case _:
                raise wrong(f"{written!r} is no configuration key: write <namespace>:<name>", pair[0].line)
        if name in found:
            raise wrong(f"the key {name!r} is given twice", pair[0].line)
        found[name] = pair
    return found


class _Reader:
    """Values of nodes."""

    def __init__(self) -> None:
        self._open: set[int] = set()

    def value(self, node: YamlNode) -> Any:
        """The value as the CLI has it."""
        if node.kind == "scalar":
            try:
                return pulumi_values.scalar(node.text, node.tag, node.plain)
            except ValueError as error:
                raise wrong(str(error), node.line) from None
        with self._entered(node):
            if node.kind == "sequence":
                return [pulumi_values.in_json(self.value(child)) for child in node.children]
            return {name: pulumi_values.in_json(self.value(child)) for name, (_, child) in self.members(node).items()}

    def members(self, node: YamlNode) -> dict[str, tuple[YamlNode, YamlNode]]:
        """Keys and values of a mapping by name; what `<<` brings comes after what stands there itself."""
        found: dict[str, tuple[YamlNode, YamlNode]] = {}
        merged: YamlNode | None = None
        for key, value in node.pairs:
            name = "<<" if key.is_merge else self._key(key)
            if name in found or (key.is_merge and merged):
                raise wrong(f"the key {name!r} is given twice", key.line)
            if key.is_merge:
                merged = value
            else:
                found[name] = (key, value)
        if merged:
            for one in merged.children if merged.kind == "sequence" else [merged]:
                if one.kind != "mapping":
                    raise wrong("<< takes a mapping or a list of mappings", one.line)
                with self._entered(one):
                    found = self.members(one) | found
        return found

    def is_text(self, node: YamlNode) -> bool:
        """Whether a scalar is text, and no number or the like."""
        return isinstance(self.value(node), str)

    def _key(self, node: YamlNode) -> str:
        if node.kind != "scalar":
            raise wrong("a key must be a word", node.line)
        try:
            return pulumi_values.key(node.text, node.tag, node.plain)
        except ValueError as error:
            raise wrong(str(error), node.line) from None

    @contextmanager
    def _entered(self, node: YamlNode) -> Iterator[None]:
        if id(node) in self._open:
            raise wrong("recursive: what an anchor names contains itself", node.line)
        self._open.add(id(node))
        try:
            yield
        finally:
            self._open.discard(id(node))


def _child(node: YamlNode, part: Part) -> tuple[int, YamlNode] | None:
    """The line and the node of a member."""
    if node.kind == "mapping":
        found = _Reader().members(node).get(str(part))
        return (found[0].line, found[1]) if found else None
    if node.kind == "sequence" and isinstance(part, int) and part < len(node.children):
        return node.children[part].line, node.children[part]
    return None


def _unreadable(path: Path, message: str, found: str, allowed: str, fix: str, line: int | None = None) -> SettingsError:
    return SettingsError([Problem("stack-file", Severity.ERROR, path.name, message, found, allowed, fix, line)])
