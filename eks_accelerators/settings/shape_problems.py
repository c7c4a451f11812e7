"""What is wrong with the shape of settings, as problems that say what is allowed and how to fix it."""

import json
import re
from collections.abc import Sequence
from typing import Any

from eks_accelerators.accelerators.suggest import closest
from eks_accelerators.settings import secret_keys
from eks_accelerators.settings.field_words import Field
from eks_accelerators.settings.key_parts import with_word
from eks_accelerators.settings.pasted_secrets import HIDDEN, without_secrets
from eks_accelerators.settings.paths import Part, dotted
from eks_accelerators.settings.pattern_words import nearest
from eks_accelerators.settings.problems import Problem, Severity
from eks_accelerators.settings.value_fixes import written_key

_CREDENTIALS = re.compile(r"//[^/@\s]*@")
"""User and password in an address."""

CLOSE = 0.8
"""From here on a key is a misspelling of another, rather than one that belongs elsewhere."""

_MOST_PLACES = 3


def bad_name(loc: Sequence[Part], names: Field) -> Problem:
    """The problem that the key at ``loc`` is none of the ``names`` that users may give."""
    name = str(loc[-1])
    near = closest(name, names.words_allowed) or (nearest(name, names.pattern) if names.pattern else None)
    fix = f"call it `{near}`, also where it is named" if near else "choose another name"
    if names.words_allowed:
        fix = f"write `{near}`" if near else f"write one of: {names.words}"
    return wrong(loc, "invalid-name", "this name is not allowed", name, names.words, fix)


def wrong(loc: Sequence[Part], code: str, message: str, found: str, allowed: str, fix: str) -> Problem:
    """The error ``code`` at ``loc``."""
    return Problem(code, Severity.ERROR, dotted(loc), message, found or "nothing", allowed or "nothing", fix)


def inline_secret(loc: Sequence[Part]) -> Problem:
    """The problem that a secret stands at ``loc`` in plain text."""
    key = next(found for part in reversed(loc) if (found := secret_keys.meant(part)))
    name, sources = secret_keys.usual_name(key), secret_keys.sources(key)
    allowed = [f"{source}: <{words}>" for source, words in sources.items()]
    return wrong(
        loc,
        "secret-inline",
        f"a {secret_keys.word(key)} must not stand in the stack file",
        HIDDEN,
        ", or ".join((", ".join(allowed[:-1]), allowed[-1])) if allowed[1:] else allowed[0],
        f"run `pulumi config set --secret {name}` and write `{key}: {secret_keys.example(key)}`",
    )


def unknown_key(
    loc: tuple[Part, ...], known: Sequence[str], elsewhere: Sequence[str] = (), below: str | None = None
) -> Problem:
    """The problem that there is no setting of this name among ``known``, with the nearest one that is.

    ``elsewhere`` are the paths below which a setting is called so; ``below`` is what the key means in a setting with keys
    of its own, as it is written.
    """
    key = str(loc[-1])
    sure = below or closest(key, known, at_least=CLOSE) or with_word(key, known)
    guess = sure or closest(key, known)
    fix = f"did you mean `{guess}`?" if guess else "remove it, or write one of the allowed keys"
    if elsewhere and not sure:
        fix = f"remove it here: `{key}` is a setting of {' and '.join(elsewhere[:_MOST_PLACES])}"
    allowed = [written_key((*loc[:-1], name)) for name in known]
    return wrong(loc, "unknown-key", f"there is no setting `{key}` here", key, ", ".join(allowed), fix)


def missing_key(
    loc: tuple[Part, ...],
    called: str | None = None,
    field: Field | None = None,
    names: Sequence[str] = (),
    value: str | None = None,
) -> Problem:
    """The problem that a required setting is not there; ``called`` where users know it by another name.

    ``field`` says what it may be, ``names`` which names it could give, ``value`` what to write where the field knows no better.
    """
    key = called or loc[-1]
    words, usual = (field.words, field.example) if field else ("a value", "")
    if names:
        words, usual = f"one of: {', '.join(names)}", names[0]
    value = value or usual
    example = f", such as `{key}: {value}`" if value else ""
    meaning = f": {field.summary}" if field and field.summary else ""
    return wrong(loc, "missing-key", f"`{key}` is missing{meaning}", "nothing", words, f"add `{key}`{example}")


def is_inline_secret(loc: Sequence[Part]) -> bool:
    """Whether what stands at ``loc`` would be a secret."""
    return any(secret_keys.meant(part) for part in loc[-2:])


def _without_secrets(value: Any) -> Any:
    """``value`` with everything hidden that is, or stands where there would be, a secret."""
    if isinstance(value, dict):
        return {
            key: HIDDEN if key == "secure" or secret_keys.meant(str(key)) else _without_secrets(child)
            for key, child in value.items()
        }
    return [_without_secrets(child) for child in value] if isinstance(value, list) else value


def shown(loc: Sequence[Part], value: Any) -> str:
    """The value at ``loc`` as a problem quotes it: on one line, of 80 characters at most, without secrets."""
    if is_inline_secret(loc):
        return HIDDEN
    if value is None:
        return "nothing"
    text = json.dumps(_without_secrets(value), default=str, ensure_ascii=False)
    text = without_secrets(_CREDENTIALS.sub(f"//{HIDDEN}@", text))
    return text if len(text) <= 80 else text[:77] + "..."
