"""How far a preflight is, for people who watch a terminal."""

from rich.console import Console

from eks_accelerators.accel.terminal_status import TerminalStatus


class PreflightProgress(TerminalStatus):
    """Shows how many calls are answered. Where nobody watches it says nothing: a preflight takes seconds."""

    def __init__(self, out: Console) -> None:
        super().__init__(out, "asking AWS")

    def __call__(self, done: int, asked: int) -> None:
        """Take how many calls are answered, of how many so far."""
        self.show(f"asking AWS: {done} of {asked} calls answered")
