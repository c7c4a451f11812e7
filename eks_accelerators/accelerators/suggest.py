"""The nearest allowed spelling of a misspelt word."""

from collections.abc import Iterable
from difflib import get_close_matches


def closest(word: str, allowed: Iterable[str], at_least: float = 0.6) -> str | None:
    """The entry of ``allowed`` nearest to ``word``, or None where none comes as close as ``at_least``, from 0 to 1."""
    candidates = list(allowed)
    by_lower_case = {candidate.lower(): candidate for candidate in candidates}
    matches = get_close_matches(word.lower(), by_lower_case, n=1, cutoff=at_least)
    return by_lower_case[matches[0]] if matches else None
