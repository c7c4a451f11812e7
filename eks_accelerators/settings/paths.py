"""Property paths, written as `pulumi config set --path` reads them."""

import re
from collections.abc import Iterable

Part = str | int

_PLAIN = re.compile(r"[A-Za-z0-9_-]+")
_SPECIAL, _ESCAPED = re.compile(r'["\\]'), re.compile(r"\\(.)", re.DOTALL)
_PART = re.compile(r'\[(\d+)\]|\["((?:\\.|[^"\\])*)"\]|([A-Za-z0-9_-]+)', re.DOTALL)


def dotted(parts: Iterable[Part]) -> str:
    """The path as text: `nodeGroups.l4.taints[0].key`, keys with other characters in quotes."""
    text = ""
    for part in parts:
        if isinstance(part, int):
            text += f"[{part}]"
        elif _PLAIN.fullmatch(part):
            text += f".{part}" if text else part
        else:
            text += f'["{_SPECIAL.sub(_backslashed, part)}"]'
    return text


def split(path: str) -> tuple[Part, ...]:
    """The parts of a path that `dotted` wrote."""
    return tuple(
        int(index) if index else _ESCAPED.sub(r"\1", quoted) or plain for index, quoted, plain in _PART.findall(path)
    )


def _backslashed(found: re.Match[str]) -> str:
    return f"\\{found[0]}"
