"""Environment variables that a training job is better without, and those that are set for it. Source: `data/training-variables.json`."""

from fnmatch import fnmatchcase

from eks_accelerators.accelerators import data


def refusal(variable: str) -> str | None:
    """Why nobody sets this variable for NCCL, EFA or PyTorch any more, or why it is not the user's; None where it may be set."""
    loaded = data.load("training-variables")
    rows: list[dict[str, str]] = [*loaded["refused"], *loaded["own"]]
    return next((row["why"] for row in rows if fnmatchcase(variable, row["pattern"])), None)
