"""The file of what is known of simulated resources: `python -m eks_accelerators.simulator.resource_types_file` writes it from their kinds.

`--check` exits 1 where the written file is stale.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from botocore import xform_name
from botocore.session import get_session

from eks_accelerators.settings.generated_files import ROOT, write_or_check
from eks_accelerators.simulator.providers import eks_component
from eks_accelerators.simulator.providers.aws import KINDS
from eks_accelerators.simulator.providers.resource_facts import Permissions, ResourceFacts, UsualTime

PATH = ROOT / "eks_accelerators" / "accelerators" / "data" / "simulated-resource-types.json"
_COMMAND = "python -m eks_accelerators.simulator.resource_types_file"
_SOURCES = {
    "types": f"the kinds of eks_accelerators/simulator/providers: `{_COMMAND}` writes this; each figure names its source"
}
_IAM_PREFIXES = {"amp": "aps", "efs": "elasticfilesystem"}
"""What IAM calls a service, where boto3 has another name for it."""


def row(token: str, facts: ResourceFacts, calls: frozenset[str]) -> dict[str, Any]:
    """The facts of a type as `eks_accelerators.accelerators.resource_types` reads them. ``calls`` are those of its kind."""
    replacement = {"source": facts.replacing_source, "properties": sorted(facts.replacing)}
    durations: dict[str, Any] = _durations(facts.durations)
    if facts.details:
        durations["details"] = {name: _durations(figures) for name, figures in facts.details.items()}
    found = {
        "type": token,
        "name": facts.called,
        "replacement": replacement if facts.replacing else None,
        "grave": dict(facts.grave),
        "follows": dict(facts.follows),
        "iam": [_permitted(each) for each in _permissions(facts, calls)],
        "durations": durations,
        "sources": dict(facts.sources),
    }
    return {key: value for key, value in found.items() if value}


def iam_action(call: str) -> str:
    """`ec2.create_vpc` as IAM calls it, by botocore's models: `ec2:CreateVpc`."""
    service, _, name = call.partition(".")
    return f"{_IAM_PREFIXES.get(service, service)}:{_operations(service)[name]}"


def text() -> str:
    """The file, with a line for each type."""
    rows = [row(token, KINDS[token].facts, KINDS[token].calls) for token in sorted(KINDS)]
    rows.append(row(eks_component.TOKEN, eks_component.FACTS, frozenset()))
    lines = ",\n".join(f"  {json.dumps(each)}" for each in rows)
    return f'{{\n "sources": {json.dumps(_SOURCES)},\n "types": [\n{lines}\n ]\n}}\n'


def _permissions(facts: ResourceFacts, calls: frozenset[str]) -> Iterator[Permissions]:
    elsewhere = {action for each in facts.permissions for action in each.actions}
    if here := {iam_action(call) for call in calls - set(facts.only_here)} - elsewhere:
        yield Permissions(facts.scope, tuple(sorted(here)))
    yield from facts.permissions


def _permitted(permissions: Permissions) -> dict[str, Any]:
    condition = {"where": permissions.where} if permissions.where else {}
    return {"scope": permissions.scope, "actions": list(permissions.actions), **condition}


def _durations(figures: Mapping[str, UsualTime]) -> dict[str, Any]:
    return {action: {"seconds": each.seconds, "source": each.source} for action, each in figures.items()}


@cache
def _operations(service: str) -> dict[str, str]:
    return {str(xform_name(name)): name for name in get_session().get_service_model(service).operation_names}


if __name__ == "__main__":
    sys.exit(write_or_check(PATH, text(), sys.argv[1:], _COMMAND))
