"""Numbers as options of the command line, refused in words."""

import math

import typer


def whole_number(text: str) -> int:
    """A whole number of 1 or more; raises `BadParameter`."""
    return _whole(text, 1)


def whole_number_or_none(text: str) -> int:
    """A whole number of 0 or more; raises `BadParameter`."""
    return _whole(text, 0)


def number(text: str) -> float:
    """A finite number that an option was given as ``text``. Raises `BadParameter` for anything else."""
    try:
        found = float(str(text))
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise typer.BadParameter(f"{str(text)!r} is no number; write one such as 1.5")
    return found


def _whole(text: str, least: int) -> int:
    try:
        found = int(str(text))
    except ValueError:
        found = least - 1
    if found < least:
        raise typer.BadParameter(f"{str(text)!r} is no whole number of {least} or more; write one such as 4")
    return found
