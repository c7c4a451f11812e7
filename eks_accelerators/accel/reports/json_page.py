"""The page about the JSON: `python -m eks_accelerators.accel.reports.json_page` writes it from the models of the reports.

`--check` exits 1 where the written page is stale.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from inspect import cleandoc
from typing import Any, get_args

from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.accel.reports.base import Report, ReportPart
from eks_accelerators.accel.reports.registry import OF_SCRIPTS, REPORTS
from eks_accelerators.settings.generated_files import ROOT, write_or_check

PATH = ROOT / "docs" / "json.md"

_INTRODUCTION = """\
<!-- Written by `python -m eks_accelerators.accel.reports.json_page` from the models in `eks_accelerators/accel/reports/`. -->

# JSON

With `--json` a command prints one object on standard output, and nothing else. `accel schema COMMAND` prints the JSON Schema
of that object, such as `accel schema blocks list`: what is printed has the keys of the schema, and no others.

## The promise

`schema` is 1. It changes when a key goes away or changes its type or meaning. New keys come without a new number, so
ignore those you do not know. Order of keys is not promised. `message`, `found`, `allowed`, `what`, `why`, `fix`,
`note` and `memory` are text for people and may be reworded; `code` and `path` are for programs.

Money is text, to be read as a decimal, in USD where no currency stands beside it: four digits for prices by the hour, two for
a month, four for differences. Unknown is `null`, never zero. Times are as in RFC 3339, with their offset. In inputs and outputs
of resources `"[unknown]"` is what only a deployment can know, and `"[secret]"` stands in place of a secret.

```sh
accel check dev --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["cost"]["usdPerMonthAtMax"])'
```

```text
1755.00
```

## Exit statuses

One number has one meaning in all commands. With 2 `accel check`, `plan`, `preflight`, `fit`, `sharing check` and `mig check`
still print their report, where there is one.
"""

_BLOCKS = """\
## `accel blocks`

Each command prints an object of its own. Money is text in the `currency` beside it; `perInstanceHour` and its like have
four digits. Times are in UTC. What is refused prints no JSON, and a line on standard error.
"""


@dataclass(frozen=True, slots=True)
class _Section:
    """A heading, and the model whose fields are below it. ``inherited`` are fields that stand elsewhere."""

    level: int
    heading: str
    model: type[ReportPart]
    inherited: frozenset[str] = frozenset()


def page() -> str:
    """The page in Markdown."""
    sections = list(_sections())
    anchors = _anchors(sections)
    lines = [_INTRODUCTION, *_statuses()]
    for section in sections:
        if section.heading == "`accel blocks search`":
            lines.append(_BLOCKS)
        lines += _written(section, anchors)
    return "\n".join(lines).rstrip() + "\n"


def _statuses() -> list[str]:
    rows = [f"| {status.value} | {status.meaning} |" for status in ExitStatus]
    return ["| Status | Meaning |", "| --- | --- |", *rows, ""]


def _sections() -> Iterator[_Section]:
    told: set[type[ReportPart]] = set()
    for command, report in REPORTS.items():
        level = 3 if command.startswith("blocks ") else 2
        before = [base for base in report.__mro__[1:] if base in REPORTS.values() and issubclass(base, Report)]
        inherited = frozenset(name for base in before for name in base.model_fields)
        yield _Section(level, f"`accel {command}`", report, inherited)
        yield from _parts(report, level + 1, told)
    for script, report in OF_SCRIPTS.items():
        yield _Section(2, f"`{script}`", report)
        yield from _parts(report, 3, told)


def _parts(model: type[ReportPart], level: int, told: set[type[ReportPart]]) -> Iterator[_Section]:
    for name, field in model.model_fields.items():
        for part in () if field.exclude else _models_in(field.annotation):
            if part not in told:
                told.add(part)
                key = _key(model, name)
                yield _Section(level, f"`{key}[]`" if "tuple" in str(field.annotation) else f"`{key}`", part)
                yield from _parts(part, level + 1, told)


def _models_in(annotation: Any) -> Iterator[type[ReportPart]]:
    if isinstance(annotation, type) and issubclass(annotation, ReportPart):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)


def _key(model: type[ReportPart], name: str) -> str:
    field = model.model_fields[name]
    return field.serialization_alias or field.alias or name


def _anchors(sections: list[_Section]) -> Mapping[str, str]:
    """Where each model is told of, by its name: as GitHub makes anchors of headings, the second of a kind with a number."""
    seen: Counter[str] = Counter()
    found: dict[str, str] = {}
    for section in sections:
        slug = re.sub(r"[^\w -]", "", section.heading.lower()).replace(" ", "-")
        number = seen[slug]
        seen[slug] += 1
        found.setdefault(section.model.__name__, f"{slug}-{number}" if number else slug)
    return found


def _written(section: _Section, anchors: Mapping[str, str]) -> Iterator[str]:
    yield f"{'#' * section.level} {section.heading}\n"
    for paragraph in cleandoc(section.model.__doc__ or "").split("\n\n"):
        yield (paragraph if paragraph.startswith("|") else " ".join(paragraph.split())) + "\n"
    schema = section.model.model_json_schema(mode="serialization")
    keys = {_key(section.model, name) for name in section.inherited}
    rows = [
        f"| `{key}` | {_type(written, schema.get('$defs', {}), anchors)} | {written['description']} |"
        for key, written in schema["properties"].items()
        if key not in keys
    ]
    if rows:
        yield from ("| Key | Type | Meaning |", "| --- | --- | --- |", *rows, "")


def _type(written: Mapping[str, Any], models: Mapping[str, Any], anchors: Mapping[str, str], many: bool = False) -> str:
    """A type in words; ``many`` are the words for several values of it."""

    def of(inner: Mapping[str, Any], several: bool = False) -> str:
        return _type(inner, models, anchors, several)

    if any_of := written.get("anyOf"):
        return " or ".join(dict.fromkeys("null" if one.get("type") == "null" else of(one, many) for one in any_of))
    if "$ref" in written:
        name = written["$ref"].rpartition("/")[2]
        return f"[object{'s' * many}](#{anchors[name]})" if name in anchors else of(models[name], many)
    if words := written.get("enum") or ([written["const"]] if "const" in written else None):
        listed = [f"`{word}`" for word in words]
        return " or ".join([", ".join(listed[:-1]), listed[-1]] if len(listed) > 1 else listed)
    if written.get("title") == "money" or written.get("format") == "date-time":
        return "money" if written.get("title") == "money" else "time"
    kind = written.get("type")
    if kind == "array":
        return f"list{'s' * many} of {of(written['items'], True)}"
    if kind == "object":
        values = of(written["additionalProperties"], True)
        return f"object{'s' * many}" if values == "anything" else f"object{'s' * many} of {values}"
    return {"string": "text", "boolean": "true or false", None: "anything"}.get(kind, f"number{'s' * many}")


if __name__ == "__main__":
    sys.exit(write_or_check(PATH, page(), sys.argv[1:], "python -m eks_accelerators.accel.reports.json_page"))
