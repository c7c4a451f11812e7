"""Which of many tags are newer than one: those of the same shape, with larger numbers."""

import re
from collections.abc import Iterable

_NUMBER = re.compile(r"\d+")


def newest(tags: Iterable[str], than: str) -> str | None:
    """The newest of the tags that are newer ``than`` one; None where none is.

    Tags are compared only where they are alike but for their numbers: `4.6.0-1-ubuntu24.04` with `4.7.1-1-ubuntu24.04`, and
    with no `-ubi9` or `-rc1`. A leading `v`, or none, makes no difference.
    """
    alike = {tag for tag in tags if _shape(tag) == _shape(than)}
    found = max((*alike, than), key=_numbers)
    return None if _numbers(found) == _numbers(than) else found


def _shape(tag: str) -> str:
    return _NUMBER.sub("0", tag.removeprefix("v"))


def _numbers(tag: str) -> tuple[int, ...]:
    return tuple(map(int, _NUMBER.findall(tag)))
