"""`accel facts list` and `accel facts show`: which instance types are known, and from where."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic_core import to_jsonable_python

from eks_accelerators.accel.reports.facts import FactsListReport, FactsShowReport, KnownType
from eks_accelerators.accelerators import instance_types
from eks_accelerators.accelerators.instance_types import InstanceType
from eks_accelerators.settings.own_facts import own_facts


def know_own(project: Path) -> None:
    """Know the user's own facts of ``project``; what is wrong with them is said on standard error."""
    own = own_facts(project)
    for problem in own.problems:
        sys.stderr.write(f"{problem}\n")
    instance_types.begin(own.types)


def listed() -> FactsListReport:
    """Every known type with its source."""
    return FactsListReport(instance_types=tuple(KnownType(**_summary(kind)) for kind in instance_types.every()))


def shown(name: str) -> FactsShowReport:
    """Everything that is known of a type. Raises `UnknownInstanceTypeError`."""
    kind = instance_types.get(name)
    facts = {key: value for key, value in _plain(kind).items() if key not in ("name", "source")}
    return FactsShowReport(**_summary(kind), facts=to_jsonable_python(facts))


def show_text(report: FactsShowReport) -> str:
    """The facts, one a line; what is not known is unknown."""
    lines = [f"{report.name}: {report.source}"]
    lines += [f"  {key}: {_value(value)}" for key, value in report.facts.items()]
    return "\n".join(lines)


def _summary(kind: InstanceType) -> dict[str, Any]:
    return {"name": kind.name, "own": not instance_types.is_shipped(kind.name), "source": kind.source}


def _plain(kind: InstanceType) -> dict[str, Any]:
    values = {name: getattr(kind, name) for name in kind.__dataclass_fields__}
    nested = {"accelerator", "neuron", "network", "quota"}
    return {
        name: asdict(value)
        if name in nested and value is not None
        else dict(value)
        if hasattr(value, "items")
        else value
        for name, value in values.items()
    }


def _value(value: Any) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_value(each)}" for key, each in value.items()) or "none"
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value)) or "none"
    return str(value).lower() if isinstance(value, bool) else str(value)
