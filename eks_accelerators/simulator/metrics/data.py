"""Figures of GPUs that no other part of the package needs.

Source: NVIDIA data sheets of the boards that EC2 uses, general knowledge, 2026-11-22; believed. They set the scale of a
picture, and no alert asks for them.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Board:
    """``idle_watts`` and ``watts`` at full load; clocks in MHz. ``hbm``: whether its memory says how warm it is."""

    idle_watts: float
    watts: float
    sm_clock: int
    memory_clock: int
    hbm: bool = False


_BOARDS = {
    "T4": Board(10, 70, 1590, 5001),
    "A10G": Board(16, 300, 1710, 6251),
    "L4": Board(12, 72, 2040, 6251),
    "L40S": Board(35, 350, 2520, 9001),
    "A100": Board(55, 400, 1410, 1593, hbm=True),
    "H100": Board(70, 700, 1980, 2619, hbm=True),
    "H200": Board(75, 700, 1980, 3201, hbm=True),
    "B200": Board(140, 1000, 1965, 3996, hbm=True),
    "B300": Board(150, 1100, 1965, 3996, hbm=True),
    "GB200": Board(150, 1200, 2062, 3996, hbm=True),
}
_OTHER = Board(30, 300, 2000, 6000)

NO_ROW_REMAPPING = frozenset({"T4"})
"""GPUs before Ampere retire pages instead. Source: NVIDIA GPU memory error management, general knowledge."""


def board_of(gpu: str) -> Board:
    """The figures of a GPU by its name in the tables of instance types; something plausible of one that is new."""
    return _BOARDS.get(gpu, _OTHER)
