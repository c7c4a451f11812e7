"""The nearest allowed spelling of a misspelt word."""

from collections.abc import Iterable
from difflib import get_close_matches


def closest(word: str, allowed: Iterable[str]) -> str | None:
    """The entry of ``allowed`` nearest to ``word``, or None where none comes close."""
    candidates = list(allowed)
    by_lower_case = {candidate.lower(): candidate for candidate in candidates}
    matches = get_close_matches(word.lower(), by_lower_case, n=1, cutoff=0.6)
    return by_lower_case[matches[0]] if matches else None
