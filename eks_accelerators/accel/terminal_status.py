"""A line that changes while somebody watches a terminal."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

from rich.console import Console


class TerminalStatus:
    """What is under way, in the last line of a terminal; where nobody watches, nothing is said."""

    def __init__(self, out: Console, text: str) -> None:
        self._status = out.status(text) if out.is_terminal else None

    def __enter__(self) -> Self:
        if self._status:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status:
            self._status.stop()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Inside, the terminal is somebody else's, such as that of a question."""
        self.__exit__()
        yield
        self.__enter__()

    def show(self, text: str) -> None:
        """Say ``text`` in place of what was said."""
        if self._status:
            self._status.update(text)
