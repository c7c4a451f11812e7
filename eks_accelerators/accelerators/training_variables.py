"""Environment variables that a training job is better without, and those that are set for it. Source: `data/training-variables.json`."""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from eks_accelerators.accelerators import data


def refusal(variable: str, value: str = "", *, with_efa: bool = False) -> str | None:
    """Why nobody sets this variable for NCCL, EFA or PyTorch any more, or why it is not the user's; None where it may be set.

    Some are refused with certain values alone, in capitals or not, and some only on nodes ``with_efa``.
    """
    loaded = data.load("training-variables")
    rows: list[dict[str, Any]] = [*loaded["refused"], *loaded["own"]]
    return next((str(row["why"]) for row in rows if _is_of(row, variable, value, with_efa)), None)


def _is_of(row: Mapping[str, Any], variable: str, value: str, with_efa: bool) -> bool:
    values = [each.casefold() for each in row.get("values", ())]
    return (
        fnmatchcase(variable, row["pattern"])
        and (not values or value.casefold() in values)
        and (with_efa or not row.get("withEfa"))
    )
