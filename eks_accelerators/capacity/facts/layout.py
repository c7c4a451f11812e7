"""How a data file is written: indented down to a depth, and one line for what is below it, so that a difference reads well."""

import json
from typing import Any


def written(document: Any, depth: int) -> str:
    """``document`` as JSON. What lies ``depth`` levels down or deeper is on one line each."""
    return _written(document, depth, 0) + "\n"


def _written(node: Any, depth: int, level: int) -> str:
    if level >= depth or not isinstance(node, dict | list) or not node:
        return json.dumps(node, ensure_ascii=False)
    inside, outside = " " * (level + 1), " " * level
    if isinstance(node, dict):
        rows = [
            f"{inside}{json.dumps(key, ensure_ascii=False)}: {_written(value, depth, level + 1)}"
            for key, value in node.items()
        ]
        return "{\n" + ",\n".join(rows) + f"\n{outside}}}"
    return "[\n" + ",\n".join(f"{inside}{_written(value, depth, level + 1)}" for value in node) + f"\n{outside}]"
