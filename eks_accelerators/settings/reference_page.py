"""The reference of a stack file: `python -m eks_accelerators.settings.reference_page` writes it from the models themselves.

`--check` exits 1 where the written page is stale.
"""

import json
import sys
from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from eks_accelerators.settings.generated_files import ROOT, write_or_check
from eks_accelerators.settings.load import PROJECT
from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.model.descriptions import descriptions

PATH = ROOT / "docs" / "stack-file.md"

_INTRODUCTION = f"""\
<!-- Written by `python -m eks_accelerators.settings.reference_page` from the models in `eks_accelerators/settings/model/`. -->

# Stack file

`stacks/Pulumi.<stack>.yaml` describes one environment, and nothing else does. Everything is under `config`.
The region is a setting of the AWS provider, `aws:region`; every other key begins with `{PROJECT}:`.

- An unknown key is an error, and so is a value of the wrong type. Versions are text: write `"1.35"` in quotes.
- A name that you choose (`<name>` below) has lower-case letters, digits and dashes, and at most 40 characters.
- Secrets are no settings. `pulumi config set --secret <key>` writes one beside them, and a setting names it.
- Editors complete and check the file through `stacks/schema.json`; the first line of each stack file says so.
- What holds between settings is in [rules.md](rules.md). `accel check` shows all of it at once.

The smallest stack file that `accel check` accepts:

```yaml
config:
  aws:region: us-east-2
  {PROJECT}:owner: ml-platform
  {PROJECT}:network:
    create:
      zones: [us-east-2a, us-east-2b]
```
"""


def page() -> str:
    """The page in Markdown."""
    sections = [_section("", "The top level", Settings), *_sections("", Settings)]
    return "\n".join([_INTRODUCTION, *sections]).rstrip() + "\n"


def _sections(path: str, model: type[BaseModel]) -> Iterator[str]:
    """One section for each model below ``model``, in the order of its keys."""
    for field in model.model_fields.values():
        for child, suffix in _models_in(field.annotation):
            here = f"{path}{field.alias}{suffix}"
            yield _section(here, f"`{here}`", child)
            yield from _sections(f"{here}.", child)


def _section(path: str, heading: str, model: type[BaseModel]) -> str:
    depth = "#" * min(4, 2 + path.replace(".<name>", "").count("."))
    schema = model.model_json_schema(by_alias=True)
    prose = " ".join((model.__doc__ or "").split())
    lines = [f"{depth} {heading}\n", f"{prose}\n", "| key | value | default | meaning |", "| --- | --- | --- | --- |"]
    for name, field in model.model_fields.items():
        key = str(field.alias)
        shown = f"{PROJECT}:{key}" if model is Settings and key != "region" else key
        shown = "aws:region" if model is Settings and key == "region" else shown
        kind = _kind(schema["properties"][key], schema.get("$defs", {}))
        cells = [f"`{shown}`", kind, _default(field), descriptions(model).get(name, "")]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def _models_in(annotation: Any) -> Iterator[tuple[type[BaseModel], str]]:
    """The models inside a type, and what the path needs to reach them."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation, ""
        return
    origin = getattr(annotation, "__origin__", None)
    suffix = {dict: ".<name>", tuple: "[]"}.get(origin, "") if origin else ""
    for argument in get_args(annotation):
        for model, inner in _models_in(argument):
            yield model, suffix + inner


def _kind(schema: dict[str, Any], defs: dict[str, Any]) -> str:
    """What a value may be, in words."""
    if "$ref" in schema:
        return _kind(defs[schema["$ref"].rpartition("/")[2]], defs)
    if "anyOf" in schema:
        kinds = [_kind(option, defs) for option in schema["anyOf"] if option.get("type") != "null"]
        return kinds[0]  # a number may be written as text too, which nobody needs to know
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    kind = schema.get("type")
    if kind == "array":
        inner = _kind(schema["items"], defs)
        return f"list: {inner}" if inner != "keys below" else "list, keys below"
    if kind == "object":
        return _object_kind(schema, defs)
    if kind == "string":
        return "time with zone" if schema.get("format") == "date-time" else "text"
    if kind == "boolean":
        return "`true` or `false`"
    return ("whole number" if kind == "integer" else "number") + _limits(schema)


def _object_kind(schema: dict[str, Any], defs: dict[str, Any]) -> str:
    inner = schema.get("additionalProperties")
    if "propertyNames" in schema:
        return f"text by key: {_kind(schema['propertyNames'], defs)}"
    if "patternProperties" in schema:
        return "keys below, by name"
    return "text by key" if isinstance(inner, dict) else "keys below"


def _limits(schema: dict[str, Any]) -> str:
    if "exclusiveMinimum" in schema:
        return f" above {schema['exclusiveMinimum']:g}"
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is None:
        return ""
    return f", {low} or more" if high is None or high >= 10**6 else f", {low} to {high:,}"


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "**required**"
    value = field.get_default(call_default_factory=True)
    if isinstance(value, BaseModel):
        written = value.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return f"`{_inline(written)}`" if written else ""
    if value in (None, (), {}, ""):
        return ""
    return f"`{_inline(value)}`"


def _inline(value: Any) -> str:
    """A value as YAML writes it on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_inline(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_inline, value)) + "]"
    text = str(value)
    if isinstance(value, bool):
        return text.lower()
    return json.dumps(text) if text.replace(".", "").isdigit() and not isinstance(value, int | float) else text


if __name__ == "__main__":
    sys.exit(write_or_check(PATH, page(), sys.argv[1:], "python -m eks_accelerators.settings.reference_page"))
