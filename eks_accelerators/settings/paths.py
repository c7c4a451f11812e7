"""Property paths, written as `pulumi config set --path` reads them."""

import re
from collections.abc import Iterable

Part = str | int

_PLAIN = re.compile(r"[A-Za-z0-9_-]+")


def dotted(parts: Iterable[Part]) -> str:
    """The path as text: `nodeGroups.l4.taints[0].key`, keys with other characters in quotes."""
    text = ""
    for part in parts:
        if isinstance(part, int):
            text += f"[{part}]"
        elif _PLAIN.fullmatch(part):
            text += f".{part}" if text else part
        else:
            text += f'["{part}"]'
    return text


def split(path: str) -> tuple[Part, ...]:
    """The parts of a path that `dotted` wrote."""
    return tuple(
        int(index) if index else quoted or plain
        for index, quoted, plain in re.findall(r'\[(\d+)\]|\["([^"]*)"\]|([A-Za-z0-9_-]+)', path)
    )
