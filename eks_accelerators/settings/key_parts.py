"""Keys that are a part of another, or two of them in one: `ami: {id: ...}` and `amiId` for `ami: {imageId: ...}`."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from eks_accelerators.settings.field_words import Field, in_yaml


def with_word(key: str, known: Iterable[str]) -> str | None:
    """The only one of the ``known`` that begins or ends with the word ``key``: `imageId` for `id`, `sizeGib` for `size`.

    None where there are none or several.
    """
    word = key.lower()
    found = [name for name in known if word in (_words(name)[0], _words(name)[-1])]
    return found[0] if len(found) == 1 else None


def _words(name: str) -> list[str]:
    return [word.lower() for word in re.split(r"(?=[A-Z])", name)]


def meant_below(key: str, value: Any, around: Field) -> str | None:
    """What ``key`` among the keys of ``around`` means in one that has keys of its own, as it is written with ``value``.

    `amiId` means `ami: {imageId: ...}`, and `diskSizeGib` `disk: {sizeGib: ...}`; None for a key that is no two in one.
    """
    for outer in around.keys:
        rest = key[len(outer) :]
        if not key.startswith(outer) or not rest[:1].isupper():
            continue
        inner = _inner(rest, list(around.child(outer).keys))
        if inner:
            written = in_yaml(value) if isinstance(value, str | int | float) else "..."
            return f"{outer}: {{{inner}: {written}}}"
    return None


def _inner(rest: str, known: Sequence[str]) -> str | None:
    return next((name for name in known if name.lower() == rest.lower()), None) or with_word(rest, known)
