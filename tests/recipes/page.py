"""The recipes of `docs/contributing.md`."""

import re
from dataclasses import dataclass

from tests.docs.pages import ROOT, text

PAGE = ROOT / "docs" / "contributing.md"
_NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"]


@dataclass(frozen=True)
class Recipe:
    """``said`` is the number of files that the page names in words, ``files`` are their patterns in order, ``generated``
    what is written from them.
    """

    said: int
    files: tuple[str, ...]
    generated: frozenset[str]


def recipes() -> dict[str, Recipe]:
    """Every recipe, by its heading."""
    sections = re.split(r"^## ", text(PAGE), flags=re.MULTILINE)[1:]
    return {section.partition("\n")[0]: _recipe(section) for section in sections}


def _recipe(section: str) -> Recipe:
    said = re.search(r"^(\w+) files?:$", section, re.MULTILINE)
    generated = re.search(r"^Generated: (.+?)\.(?:\n| |$)", section, re.MULTILINE | re.DOTALL)
    assert said, section
    assert generated, section
    files = re.findall(r"^\d+\. `([^`]+)`", section, re.MULTILINE)
    return Recipe(_NUMBERS.index(said[1].lower()), tuple(files), frozenset(re.findall(r"`([^`]+)`", generated[1])))


def matches(pattern: str, name: str) -> bool:
    """Whether a path is of the pattern, in which `<...>` stands for a name."""
    return re.fullmatch(re.sub(r"<[^>]+>", "[^/]+", pattern.replace(".", r"\.")), name) is not None
