"""How far a preflight is, for people who watch a terminal."""

from typing import Self

from rich.console import Console


class PreflightProgress:
    """Shows how many calls are answered. Where nobody watches it says nothing: a preflight takes seconds."""

    def __init__(self, out: Console) -> None:
        self._status = out.status("asking AWS") if out.is_terminal else None

    def __enter__(self) -> Self:
        if self._status:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status:
            self._status.stop()

    def __call__(self, done: int, asked: int) -> None:
        """Take how many calls are answered, of how many so far."""
        if self._status:
            self._status.update(f"asking AWS: {done} of {asked} calls answered")
