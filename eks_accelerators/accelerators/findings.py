"""What a judgement of something written by hand finds: a code for programs, a place, and words for people."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, or that does not do what it seems to.

    ``path`` is a property path, empty for the whole. An ``error`` is refused by whoever reads it; a ``warning`` is
    not. ``line`` is that of the text, from 1, where there is a text.
    """

    code: str
    path: str
    message: str
    severity: Literal["error", "warning"] = "error"
    line: int | None = None

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message
