"""Facts about metrics and errors: each with its source and date, in one place."""

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def load(name: str) -> Any:
    """The parsed content of ``eks_accelerators/monitoring/data/<name>.json``; the same object on every call."""
    return json.loads(files(__package__).joinpath(f"{name}.json").read_text(encoding="utf-8"))
