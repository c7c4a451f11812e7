"""`accel facts list` and `accel facts show`: which instance types are known, and from where."""

import sys
from pathlib import Path

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
    return FactsListReport(instance_types=tuple(map(_summary, instance_types.every())))


def shown(name: str) -> FactsShowReport:
    """Everything that is known of a type. Raises `UnknownInstanceTypeError`."""
    kind = instance_types.get(name)
    facts = to_jsonable_python({key: getattr(kind, key) for key in kind.__dataclass_fields__}, fallback=dict)
    del facts["name"], facts["source"]
    return FactsShowReport(**dict(_summary(kind)), facts=facts)


def _summary(kind: InstanceType) -> KnownType:
    return KnownType(name=kind.name, own=not instance_types.is_shipped(kind.name), source=kind.source)
