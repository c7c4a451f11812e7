"""What a setting may be, in words, read from the JSON schema of its model: the same limits that refuse a value describe it."""

import json
import typing
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from pydantic import BaseModel
from pydantic.alias_generators import to_camel

from eks_accelerators.settings import pulumi_values
from eks_accelerators.settings.paths import Part
from eks_accelerators.settings.pattern_words import words_of

Schema = Mapping[str, Any]

_MANY = 10**6
"""A limit from here on only keeps numbers readable, and nobody needs to know it."""


_TIME = "2026-12-01T11:30:00Z"

_SHOWN = 2
"""Required keys that an example has."""


class Field:
    """One place in the settings. ``schema`` is empty where there is no such setting."""

    def __init__(self, schema: Schema, definitions: Schema, description: str = "") -> None:
        self._definitions = definitions
        self.schema = _resolved(schema, definitions)
        self.description = description or schema.get("description", "")

    @property
    def summary(self) -> str:
        """What it is for, in one sentence without an end; empty where nobody says."""
        return " ".join(self.description.split()).partition(". ")[0].partition("; ")[0].rstrip(".")

    @property
    def kind(self) -> str:
        """`string`, `integer`, `number`, `boolean`, `array`, `object`, or nothing where it is not known."""
        return str(self.schema.get("type", ""))

    @property
    def keys(self) -> Mapping[str, Schema]:
        """Keys that the settings themselves name."""
        return typing.cast("Schema", self.schema.get("properties", {}))

    @property
    def required(self) -> tuple[str, ...]:
        """Those of `keys` without a default."""
        return tuple(self.schema.get("required", ()))

    @property
    def is_time(self) -> bool:
        """Whether it is a moment, in ISO 8601."""
        return self.schema.get("format") == "date-time"

    @property
    def words_allowed(self) -> tuple[str, ...]:
        """The only texts that are allowed; none where there is no such list."""
        return tuple(self.schema.get("enum", ()))

    @property
    def pattern(self) -> str | None:
        """The pattern of a text, or of names that the user chooses."""
        return self.schema.get("pattern") or next(iter(self.schema.get("patternProperties", {})), None)

    def child(self, part: Part) -> "Field":
        """The field at ``part`` below this one: a key, or the place in a list."""
        if isinstance(part, int):
            return self._at(self.schema.get("items", {}))
        if (key := part if part in self.keys else to_camel(part)) in self.keys:
            return self._at(self.keys[key])
        named = self.schema.get("patternProperties") or {"": self.schema.get("additionalProperties")}
        inner = next(iter(named.values()))
        return self._at(inner if isinstance(inner, dict) else {})

    def names(self) -> "Field":
        """What the keys of this one may be, where the user chooses them."""
        pattern = {"type": "string", "pattern": self.pattern} if self.pattern else {}
        return self._at(self.schema.get("propertyNames", pattern))

    @property
    def words(self) -> str:
        """What the field may be, in words, such as `a whole number of at least 1`."""
        if self.words_allowed:
            return ", ".join(map(str, self.words_allowed))
        match self.kind:
            case "boolean":
                return "true or false"
            case "integer":
                return f"a whole number{self._limits()}"
            case "number":
                return f"a number{self._limits()}"
            case "array":
                inner = self.child(0).words
                least = self.schema.get("minItems", 1)
                words = f"a list of {inner}" if inner == "text" else f"a list, each of it {inner}"
                return f"{words}, {least} or more of them" if least > 1 else words
            case "object":
                return self._object_words()
            case "string":
                return self._text_words()
        return "a value"

    @property
    def exact_words(self) -> str:
        """What is allowed, in words, with a limit that only keeps numbers readable: for who went beyond it."""
        low, high = self.schema.get("minimum"), self.schema.get("maximum")
        if self.kind != "integer" or low is None or high is None:
            return self.words
        return f"a whole number, {low:,} to {high:,}"

    @property
    def example(self) -> str:
        """A value as it is written in YAML; nothing where none is known that could be meant."""
        if self.words_allowed:
            return str(self.words_allowed[0])
        if pattern := self.schema.get("pattern"):
            return in_yaml(words_of(pattern).example)
        if self.is_time:
            return in_yaml(_TIME)
        if self.kind == "integer":
            return str(max(1, self.schema.get("minimum", 1)))
        if self.kind == "array":
            inner = self.child(0).example
            return f"[{inner}]" if inner else ""
        if self.kind == "object":
            return self._object_example()
        return "true" if self.kind == "boolean" else ""

    def _object_example(self) -> str:
        names = self.required or tuple(self.keys)[:1] or (words_of(self.pattern or "").example or "key",)
        parts = ((name, self.child(name).example) for name in names[:_SHOWN])
        return "{" + ", ".join(f"{name}: {example or '...'}" for name, example in parts) + "}"

    def _at(self, schema: Schema) -> "Field":
        return Field(schema, self._definitions)

    def _limits(self) -> str:
        if (above := self.schema.get("exclusiveMinimum")) is not None:
            most = self.schema.get("maximum")
            return f" above {above:g}" + (f", {most:,} at most" if most is not None and most < _MANY else "")
        low, high = self.schema.get("minimum"), self.schema.get("maximum")
        if low is None:
            return f", {high:,} at most" if high is not None else ""
        return f", {low:,} or more" if high is None or high >= _MANY else f", {low:,} to {high:,}"

    def _object_words(self) -> str:
        if self.keys:
            return f"keys with values: {', '.join(self.keys)}"
        return f"names, each with {self.child('').words}"

    def _text_words(self) -> str:
        if self.is_time:
            return f"a time such as {_TIME}"
        if pattern := self.schema.get("pattern"):
            found = words_of(pattern)
            return f"{found.words}, such as {found.example}" if found.example else found.words
        least, most = self.schema.get("minLength"), self.schema.get("maxLength")
        if least and most:
            return f"text of {least} to {most:,} characters"
        if least:
            return f"text of {least} characters or more"
        return f"text of {most:,} characters at most" if most else "text"


def field_at(loc: Sequence[Part], model: type[BaseModel]) -> Field:
    """The setting at ``loc`` below ``model``."""
    schema, definitions = _schema(model)
    found = Field(schema, definitions)
    for part in loc:
        found = found.child(part)
    return found


def places_of(key: str, model: type[BaseModel]) -> tuple[str, ...]:
    """Paths of the settings that are called ``key``, with `<name>` for what the user chooses."""
    schema, definitions = _schema(model)
    return tuple(dict.fromkeys(_places(key, Field(schema, definitions), "")))


def in_yaml(value: Any) -> str:
    """A value as it is written in YAML on one line; text stands in quotes where it would be taken for something else."""
    if isinstance(value, list):
        return f"[{', '.join(map(in_yaml, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {in_yaml(each)}' for key, each in value.items())}}}"
    text = str(value)
    if not isinstance(value, str):
        return json.dumps(value, default=str)
    is_plain = text[:1].isalnum() or text.startswith("/")
    if is_plain and ": " not in text and not set(text) & set("#,[]{}\"'\n") and _is_text(text):
        return text
    return json.dumps(text, ensure_ascii=False)


def _is_text(word: str) -> bool:
    """Whether a word without quotes is text to the Pulumi CLI, and to people who know other readers of YAML."""
    try:
        return pulumi_values.scalar(word, "", plain=True) == word and word.lower() not in _WORDS
    except ValueError:
        return False


_WORDS = {"yes", "no", "on", "off"}


def _places(key: str, field: Field, path: str) -> Iterator[str]:
    for name in field.keys:
        if name == key and path:
            yield path
        yield from _places(key, field.child(name), f"{path}.{name}" if path else name)
    if field.schema.get("patternProperties"):
        yield from _places(key, field.child(""), f"{path}.<name>")
    if field.kind == "array":
        yield from _places(key, field.child(0), f"{path}[]")


@lru_cache(maxsize=16)
def _schema(model: type[BaseModel]) -> tuple[Schema, Schema]:
    schema = model.model_json_schema(by_alias=True)
    return schema, schema.get("$defs", {})


def _resolved(schema: Schema, definitions: Schema) -> Schema:
    """The schema itself, seen through references and through what may also be nothing."""
    while True:
        if "$ref" in schema:
            schema = definitions[schema["$ref"].rpartition("/")[2]]
        elif "anyOf" in schema:
            schema = next(each for each in schema["anyOf"] if each.get("type") != "null")
        elif "allOf" in schema:
            schema = schema["allOf"][0]
        else:
            return schema
