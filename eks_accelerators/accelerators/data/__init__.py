"""The package's data files: every fact with its source and date, in one place."""

import json
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any


@cache
def load(name: str) -> Any:
    """The parsed content of ``eks_accelerators/accelerators/data/<name>.json``; the same object on every call."""
    return json.loads(file(name).read_text(encoding="utf-8"))


def file(name: str) -> Traversable:
    """The file `<name>.json` of this folder, whether it exists or not."""
    return files(__package__).joinpath(f"{name}.json")


def names() -> tuple[str, ...]:
    """The names of all data files."""
    return tuple(
        sorted(each.name.removesuffix(".json") for each in files(__package__).iterdir() if each.name.endswith(".json"))
    )


@cache
def load_each(folder: str) -> tuple[Any, ...]:
    """The parsed content of every JSON file in ``eks_accelerators/accelerators/data/<folder>/``, by the order of their names."""
    found = sorted(files(__package__).joinpath(folder).iterdir(), key=lambda file: file.name)
    return tuple(json.loads(file.read_text(encoding="utf-8")) for file in found if file.name.endswith(".json"))
