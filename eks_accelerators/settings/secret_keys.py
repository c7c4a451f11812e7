"""Keys of the stack file below which it says where a secret comes from: a value there may be the secret itself, and is not shown."""

import re
import typing
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from eks_accelerators.accelerators.suggest import closest
from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.paths import Part

_ENDS = ("token", "webhook", "password", "apikey")
"""How keys end that people make up for a secret."""

_CLOSE = 0.85
_SECRETS = {"webhook": "slackWebhook"}
"""Names of Pulumi secrets by key, where the key alone says too little."""

_WORDS = {
    "configSecret": "name of a Pulumi secret",
    "existingSecret": "name of a Kubernetes Secret",
    "existingPullSecret": "name of a Kubernetes Secret",
    "secretsManager": "a secret in AWS Secrets Manager",
}


def meant(part: Part) -> str | None:
    """The key that ``part`` is, in any spelling; itself where it is none, and is called as secrets are; else None."""
    if not isinstance(part, str):
        return None
    plain = _plain(part)
    found = closest(plain, _keys(), at_least=_CLOSE)
    if found:
        return _keys()[found]
    return part if plain.endswith(_ENDS) else None


def is_key(part: Part) -> bool:
    """Whether ``part`` is such a key, as it is written."""
    return part in _models()


def usual_name(key: str) -> str:
    """What the Pulumi secret for ``key`` is called in examples."""
    return _SECRETS.get(key, key)


def example(key: Part) -> str | None:
    """What to write at ``key``, in YAML; None where it is no such key."""
    return f"{{configSecret: {usual_name(str(key))}}}" if meant(key) else None


def word(key: str) -> str:
    """What the secret is in a word, such as token."""
    return re.split(r"(?=[A-Z])|[_-]", key)[-1].lower()


def sources(key: str) -> Mapping[str, str]:
    """Where the secret of ``key`` may come from, in words."""
    model = _models().get(key)
    aliases = [str(field.alias) for field in model.model_fields.values()] if model else ["configSecret"]
    return {alias: _WORDS[alias] for alias in aliases}


@lru_cache
def _keys() -> Mapping[str, str]:
    """The keys by their spelling without case and dashes."""
    return {_plain(key): key for key in _models()}


@lru_cache
def _models() -> Mapping[str, type[BaseModel]]:
    """The models of sources by key."""
    return dict(_found(Settings, set()))


def _found(model: type[BaseModel], seen: set[type[BaseModel]]) -> Iterator[tuple[str, type[BaseModel]]]:
    seen.add(model)
    for field in model.model_fields.values():
        for child in _models_in(field.annotation):
            if "config_secret" in child.model_fields:
                yield str(field.alias), child
            elif child not in seen:
                yield from _found(child, seen)


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in typing.get_args(annotation):
        yield from _models_in(argument)


def _plain(key: str) -> str:
    return re.sub("[_-]", "", key).lower()
