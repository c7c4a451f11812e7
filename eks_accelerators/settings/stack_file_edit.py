"""Writing into a stack file: one value, and not a character more. Comments and layout stay as they are.

The text is spliced at the positions that the YAML parser gives, and what comes out is read again and held against the
change that was meant. Where the two differ, nothing is written.

Not by `ruamel.yaml`, which writes the whole file anew: comments stay, but a file that is indented in more than one way,
values below one another, blanks in braces and `null` become its own, so that the diff of an ID for which money was paid
would show lines that nobody meant to change. A test asks it.
"""

import contextlib
import glob
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from eks_accelerators.settings import stack_file
from eks_accelerators.settings.load import PROJECT

Keys = Sequence[str]


class CannotEditError(Exception):
    """The file was not changed; the message says why."""


def write_reservation(path: Path, block: str, reservation: str) -> None:
    """Write the ID of a reservation into `capacityBlocks.<block>`, in place of a purchase where there is one.

    The file is replaced whole or not at all. Raises `CannotEditError`.
    """
    _edit(path, block, reservation, keep=True)


def try_reservation(path: Path, block: str) -> None:
    """Make the very edit of `write_reservation`, and throw it away. Raises `CannotEditError` where it would fail."""
    _edit(path, block, _SOME_ID, keep=False)


_SOME_ID = f"cr-{'0' * 17}"
"""As long as AWS's own; no reservation has it."""


def _edit(path: Path, block: str, reservation: str, *, keep: bool) -> None:
    path = path.resolve()  # through links: what they point to is written
    try:
        if not path.stat().st_mode & 0o222:
            raise CannotEditError(f"{path} is read-only")
        text = path.read_bytes().decode("utf-8")
        _replace(path, with_reservation(text, block, reservation), keep=keep)
    except (OSError, UnicodeDecodeError) as error:
        raise CannotEditError(f"{path}: {error}") from None


def with_reservation(text: str, block: str, reservation: str) -> str:
    """The text of a stack file with the ID of a reservation in `capacityBlocks.<block>`."""
    home = ("config", f"{PROJECT}:capacityBlocks", block)
    purchase = _at(_compose(text), (*home, "purchase"))
    if purchase is None:
        return with_value(text, (*home, "reservationId"), reservation)
    key, value = purchase
    edited = _spliced(text, key.start_mark.index, _end(value), f"reservationId: {reservation}")
    meant = _load(text)
    inner = meant["config"][home[1]][block]
    del inner["purchase"]
    inner["reservationId"] = reservation
    return _checked(edited, meant)


def with_value(text: str, path: Keys, value: str) -> str:
    """The text with ``value``, a plain word, at ``path``. Mappings that are missing on the way are made."""
    meant = _load(text)
    _put(meant, path, value)
    found, depth = _compose(text), 0
    while depth < len(path) and isinstance(found, yaml.MappingNode) and (child := _at(found, path[depth : depth + 1])):
        found, depth = child[1], depth + 1
    rest = path[depth:]
    if not isinstance(found, yaml.ScalarNode) and not (rest and isinstance(found, yaml.MappingNode)):
        raise CannotEditError(f"{'.'.join(path)} is no single value")
    if isinstance(found, yaml.ScalarNode):
        new = _flow(rest, value) if rest else value
        start = found.start_mark.index
        if found.end_mark.index == start:  # nothing was there, not even a blank
            new = f" {new}"
        edited = _spliced(text, start, found.end_mark.index, new)
    elif found.flow_style:
        end = found.end_mark.index - 1
        edited = _spliced(text, end, end, f"{', ' if found.value else ''}{_flow(rest, value)[1:-1]}")
    else:
        edited = _after(text, found, rest, value)
    return _checked(edited, meant)


def _after(text: str, mapping: yaml.MappingNode, rest: Keys, value: str) -> str:
    """A new key below the last one of a block mapping, with its indentation."""
    column = mapping.value[0][0].start_mark.column
    newline = "\r\n" if "\r\n" in text else "\n"
    end = text.find("\n", _end(mapping.value[-1][1]))
    at, before = (len(text), newline) if end < 0 else (end + 1, "")
    lines = [f"{' ' * (column + 2 * depth)}{key}:" for depth, key in enumerate(rest)]
    lines[-1] += f" {value}"
    return _spliced(text, at, at, before + "".join(f"{line}{newline}" for line in lines))


def _flow(rest: Keys, value: str) -> str:
    for key in reversed(rest):
        value = f"{{{key}: {value}}}"
    return value


def _end(node: yaml.Node) -> int:
    """Where the last character of a value is; the parser's own mark of a block lies behind blanks and comments."""
    if isinstance(node, yaml.MappingNode) and not node.flow_style and node.value:
        return _end(node.value[-1][1])
    if isinstance(node, yaml.SequenceNode) and not node.flow_style and node.value:
        return _end(node.value[-1])
    return int(node.end_mark.index)


def _at(node: yaml.Node | None, path: Keys) -> tuple[yaml.Node, yaml.Node] | None:
    """Key and value at ``path`` below ``node``."""
    pair: tuple[yaml.Node, yaml.Node] | None = None
    for part in path:
        if not isinstance(node, yaml.MappingNode):
            return None
        pair = next((each for each in node.value if each[0].value == part), None)
        if pair is None:
            return None
        node = pair[1]
    return pair


def _put(tree: Any, path: Keys, value: str) -> None:
    for part in path[:-1]:
        if not isinstance(tree, dict) or not isinstance(tree.get(part) or {}, dict):
            raise CannotEditError(f"{'.'.join(path)}: {part} holds something else")
        if not tree.get(part):
            tree[part] = {}
        tree = tree[part]
    tree[path[-1]] = value


def _spliced(text: str, start: int, end: int, new: str) -> str:
    return text[:start] + new + text[end:]


def _checked(edited: str, meant: Mapping[str, Any]) -> str:
    if _load(edited) != meant:
        raise CannotEditError("the file is written in a way that this edit would break")
    return edited


def _compose(text: str) -> yaml.Node | None:
    try:
        return yaml.compose(text, Loader=yaml.SafeLoader)  # its marks count characters, the C loader's bytes
    except yaml.YAMLError as error:
        raise CannotEditError(f"not valid YAML: {getattr(error, 'problem', error)}") from None


def _load(text: str) -> dict[str, Any]:
    try:
        found = stack_file.load(text)
    except stack_file.UNREADABLE as error:
        raise CannotEditError(f"not valid YAML: {getattr(error, 'problem', None) or error}") from None
    if not isinstance(found, dict):
        raise CannotEditError("the file holds no mapping")
    copied: dict[str, Any] = _unshared(found)
    return copied


def _unshared(value: Any) -> Any:
    """A copy in which what an alias repeats is there twice, so that a change of one is no change of the other."""
    if isinstance(value, dict):
        return {key: _unshared(each) for key, each in value.items()}
    return [_unshared(each) for each in value] if isinstance(value, list) else value


def _replace(path: Path, text: str, *, keep: bool) -> None:
    """Write the text beside the file, and with ``keep`` in its place."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.new")
    _remove_unfinished(path)
    try:
        with unfinished.open("xb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        shutil.copymode(path, unfinished)
        if keep:
            unfinished.replace(path)
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)


def _remove_unfinished(path: Path) -> None:
    """Remove what edits of this file have left that were killed; the process that made it is in its name."""
    for each in path.parent.glob(f".{glob.escape(path.name)}.*.new"):
        process = each.name.removesuffix(".new").rpartition(".")[2]
        if process.isdecimal() and not _runs(int(process)):
            with contextlib.suppress(OSError):
                each.unlink()


def _runs(process: int) -> bool:
    if process == os.getpid():
        return False  # this one begins only now: a file of its name is of one before
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # another user's
        return True
    return True
