"""Instance types that a user has asked AWS for: `facts/instance-types.json` in the folder of the Pulumi program.

`accel facts add` writes it, with rows as in the package's own table, each with its source and date.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from eks_accelerators.accelerators import instance_types
from eks_accelerators.accelerators.instance_types import InstanceType
from eks_accelerators.settings.problems import Problem, Severity
from eks_accelerators.settings.project import OWN_FACTS


@dataclass(frozen=True, slots=True)
class OwnFacts:
    """The types of the file, and what is wrong with it."""

    types: tuple[InstanceType, ...] = ()
    problems: tuple[Problem, ...] = ()


NO_FACTS = OwnFacts()


def own_facts(project: Path) -> OwnFacts:
    """The facts of the user in the folder ``project``; none where there is no file. Never raises for what the file says."""
    path = project / OWN_FACTS
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["instance_types"]
        types = tuple(_checked(instance_types.parse(row)) for row in rows)
    except FileNotFoundError:
        return NO_FACTS
    except OSError as error:
        return OwnFacts(problems=(_problem(str(error.strerror)),))
    except ValidationError as error:
        first = error.errors()[0]
        return OwnFacts(problems=(_problem(f"{'.'.join(map(str, first['loc']))}: {first['msg']}"),))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        return OwnFacts(problems=(_problem(f"{type(error).__name__}: {error}"),))
    return OwnFacts(types)


def _checked(part: Any) -> Any:
    """A part of a row whose values have the types that it promises. Raises pydantic's `ValidationError`."""
    values = {each.name: getattr(part, each.name) for each in fields(part)}
    TypeAdapter(type(part)).validate_python(
        {name: _plain(_checked(value)) if is_dataclass(value) else _plain(value) for name, value in values.items()}
    )
    return part


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value


def _problem(found: str) -> Problem:
    return Problem(
        "facts-file",
        Severity.ERROR,
        OWN_FACTS.as_posix(),
        "the file of instance types cannot be read",
        found,
        "what `accel facts add` writes",
        "write it anew with `accel facts add TYPE`, or remove it",
    )
