"""Text that others wrote, made safe to show: what cannot be seen, or moves what can, is written as an escape.

A value of a stack file, a name in an account or a file's name may hold sequences that colour, hide or overwrite what a
terminal shows, marks that turn the direction of writing, and breaks that begin a line of their own.
"""

from collections.abc import Callable, Collection
from typing import Any


def shown(text: str) -> str:
    """Text of any number of lines: line breaks and tabs stay, everything else that is not printable is escaped."""
    return text if text.isprintable() else "".join(each if each in "\n\t" else _escaped(each) for each in text)


def one_line(text: str) -> str:
    """Text on one line: line breaks and tabs are escaped as well."""
    return text if text.isprintable() else "".join(map(_escaped, text))


def each_text(value: Any, change: Callable[[str], str] = one_line, but: Collection[str] = ()) -> Any:
    """Plain data with every text in it changed, keys included; what is below a key of ``but`` stays."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {
            change(key) if isinstance(key, str) else key: child if key in but else each_text(child, change, but)
            for key, child in value.items()
        }
    return [each_text(child, change, but) for child in value] if isinstance(value, list | tuple) else value


def _escaped(character: str) -> str:
    """As JSON writes it, so that what was JSON stays JSON."""
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
