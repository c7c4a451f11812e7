"""Standard output and standard error: nothing reaches a terminal but what can be seen, whoever writes it."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, cast

from eks_accelerators.settings.printable import shown


class Escaped:
    """A stream that writes to ``below`` what can be seen, and escapes the rest. Everything else is as of ``below``."""

    def __init__(self, below: IO[str]) -> None:
        self.below = below

    def write(self, text: str) -> int:
        """Write the text; the number of characters is that of ``text``."""
        self.below.write(shown(text))
        return len(text)

    def writelines(self, lines: Any) -> None:
        """Write each of the lines."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.below, name)


@contextmanager
def all_escaped() -> Iterator[None]:
    """Let standard output and standard error escape what cannot be seen, also what libraries write."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast("Any", Escaped(stream)) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def below(stream: IO[str]) -> IO[str]:
    """The stream itself, for who sends colours and escapes what is shown in them."""
    found: Any = stream
    return found.below if isinstance(found, Escaped) else stream
