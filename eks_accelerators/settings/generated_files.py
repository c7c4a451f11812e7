"""Files of the repository that are written by a program, and checked to be current."""

import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def write_or_check(path: Path, text: str, arguments: Sequence[str], command: str) -> int:
    """Write ``text`` to ``path``; with `--check` only compare. Gives the exit status."""
    if "--check" not in arguments:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return 0
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return 0
    sys.stderr.write(f"{path.relative_to(ROOT)} is stale: run `{command}`\n")
    return 1
