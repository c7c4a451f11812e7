"""Rules about secrets in the stack file."""

from collections.abc import Iterator
from typing import Any

from eks_accelerators.settings.pasted_secrets import HIDDEN, has_long_secret, may_be_secret
from eks_accelerators.settings.paths import Part, dotted
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule

_NAMES = ("TOKEN", "KEY", "SECRET", "PASSWORD")
"""How names of variables end whose value is a secret, where it looks like one."""


@rule("secret-in-text")
def secret_in_text(context: Context) -> Iterator[RuleFinding]:
    """No text, such as a variable or an argument of a program, is a token or a key: whoever reads the file, the plan or the pod has it.

    What is well known is found anywhere (Hugging Face, NGC, AWS, GitHub, Slack), anything else in variables whose name ends with
    TOKEN, KEY, SECRET or PASSWORD.
    """
    for path, text in _texts(context.settings.model_dump(by_alias=True, mode="json"), ()):
        if has_long_secret(text) or (_is_named_so(path) and may_be_secret(text)):
            yield RuleFinding(
                dotted(path),
                "this looks like a secret, and whoever reads the file, the plan or the pod has it",
                HIDDEN,
                "text without a secret",
                "revoke it and remove it here; servers take tokens by huggingFaceToken and ngcKey, a program of yours can ask "
                "AWS Secrets Manager",
            )


def _is_named_so(path: tuple[Part, ...]) -> bool:
    return "env" in path and str(path[-1]).upper().endswith(_NAMES)


def _texts(value: Any, path: tuple[Part, ...]) -> Iterator[tuple[tuple[Part, ...], str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, child in value.items():
            yield from _texts(child, (*path, str(key)))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from _texts(child, (*path, index))
