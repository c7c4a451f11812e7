"""What a principal must be allowed to do, so that a stack can be deployed or checked: IAM policies of least privilege.

Source: `resource_types` for what each type of resource takes, `data/iam-actions.json` for the rest.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from eks_accelerators.accelerators import data, resource_types
from eks_accelerators.accelerators.partitions import partition_of

_VERSION = "2012-10-17"

LONGEST = 6144
"""Characters that a managed policy holds. IAM does not count white space.

Source: IAM user guide, `reference_iam-quotas`, general knowledge, 2026-11-22; by the same page a role takes ten policies.
"""


class UnknownResourceTypeError(ValueError):
    """Nobody has written down which actions a resource type takes."""

    def __init__(self, token: str) -> None:
        super().__init__(f"which IAM actions {token} takes is not known")


@dataclass(frozen=True, slots=True)
class Registered:
    """A resource that a program registers. ``inputs``, named as in Pulumi's schema, may make AWS ask for more."""

    type: str
    inputs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Needed:
    """Actions on the resources of a scope. ``value`` is that of the input by which they are needed."""

    scope: str
    actions: tuple[str, ...]
    value: str


def is_known(token: str) -> bool:
    """Whether the actions of a resource type are written down."""
    return _actions(token) is not None


def deployment_policy(resources: Iterable[Registered], *, name: str, region: str, account: str = "*") -> dict[str, Any]:
    """A policy document for deploying ``resources`` in ``region``, around a cluster called ``name``.

    EC2 is held to the region; roles, cluster, topics and rules to the stack's names.
    """
    facts, partition, resources = data.load("iam-actions"), partition_of(region), list(resources)
    words = {"partition": partition, "region": region, "account": account, "name": name}
    actions: dict[str, set[str]] = {}
    values: dict[str, set[str]] = {}
    for needed in _needed(resources):
        actions.setdefault(needed.scope, set()).update(needed.actions)
        values.setdefault(needed.scope, set()).add(needed.value)

    def arns(scope: str) -> list[str]:
        found = {
            arn.format(**words, value=value) for arn in facts["scopes"][scope] for value in values.get(scope, ("",))
        }
        return sorted(found)

    statements = [
        _statement(
            scope, sorted(actions[scope]), arns(scope), {"aws:RequestedRegion": region} if scope == "any" else {}
        )
        for scope in facts["scopes"]
        if scope in actions
    ]
    services = [
        *facts["passed_to"],
        *facts["passed_to_by_partition"].get(partition, ()),
        *_of_types(resources, facts["passed_to_by_type"]),
    ]
    linked = {"iam:AWSServiceName": _linked(resources)}
    statements += [
        _statement("pass-roles", "iam:PassRole", arns("roles"), {"iam:PassedToService": services}),
        _statement("make-service-linked-roles", "iam:CreateServiceLinkedRole", arns("service-linked-roles"), linked),
    ]
    return {"Version": _VERSION, "Statement": statements}


def managed_policies(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The statements of a document in as few documents as they fill in their order, each no longer than `LONGEST`.

    What one principal is allowed by all of them together is what the document allows. No statement of a deployment is
    longer than a policy by itself.
    """
    documents: list[dict[str, Any]] = []
    for statement in document["Statement"]:
        wider = {**document, "Statement": [*(documents[-1]["Statement"] if documents else ()), statement]}
        if documents and length(wider) <= LONGEST:
            documents[-1] = wider
        else:
            documents.append({**document, "Statement": [statement]})
    return documents


def length(document: Mapping[str, Any]) -> int:
    """Characters of a document as IAM counts them."""
    return len(json.dumps(document, separators=(",", ":")))


def preflight_policy() -> dict[str, Any]:
    """A policy document for `accel preflight`: it reads, and its one launch is a dry run."""
    return {"Version": _VERSION, "Statement": [_statement("preflight", preflight_actions(), ["*"])]}


def blocks_policy() -> dict[str, Any]:
    """A policy document for `accel blocks`: looking, and, in a statement of its own to be left out, buying."""
    actions = data.load("iam-actions")["blocks"]
    return {"Version": _VERSION, "Statement": [_statement(word, actions[word], ["*"]) for word in ("look", "buy")]}


def facts_policy() -> dict[str, Any]:
    """A policy document for asking AWS for facts: `accel facts add`, and the command that makes the data files."""
    return {"Version": _VERSION, "Statement": [_statement("facts", data.load("iam-actions")["facts"], ["*"])]}


def preflight_actions() -> list[str]:
    """Every action of `accel preflight`."""
    actions: list[str] = data.load("iam-actions")["preflight"]
    return actions


def _actions(token: str) -> tuple[Mapping[str, Any], ...] | None:
    known = resource_types.find(token)
    return known.iam if known else None


def _needed(resources: Iterable[Registered]) -> Iterator[_Needed]:
    facts = data.load("iam-actions")
    for entry in facts["always"]:
        yield _Needed(entry["scope"], tuple(entry["actions"]), "")
    for resource in resources:
        entries = _actions(resource.type)
        if entries is None:
            raise UnknownResourceTypeError(resource.type)
        for entry in entries:
            value = resource.inputs.get(entry["where"]) if "where" in entry else ""
            if value or "where" not in entry:
                yield _Needed(entry["scope"], tuple(entry["actions"]), str(value))


def _linked(resources: Iterable[Registered]) -> list[str]:
    """The services whose own roles are made at first use: those of every stack, and those of some types of resources."""
    facts = data.load("iam-actions")
    return [*facts["service_linked_roles"], *_of_types(resources, facts["service_linked_roles_by_type"])]


def _of_types(resources: Iterable[Registered], by_type: Mapping[str, list[str]]) -> list[str]:
    """What some types of resources have of their own, in the order of the facts."""
    types = {resource.type for resource in resources}
    return [each for kind, own in by_type.items() if kind in types for each in own]


def _statement(
    scope: str, actions: str | list[str], resources: list[str], equal: Mapping[str, str | list[str]] | None = None
) -> dict[str, Any]:
    """A statement named after its scope. ``equal`` are the values that keys of the request must have."""
    return {
        "Sid": "".join(word.capitalize() for word in scope.split("-")),
        "Effect": "Allow",
        "Action": actions,
        "Resource": resources[0] if len(resources) == 1 else resources,
        **({"Condition": {"StringEquals": dict(equal)}} if equal else {}),
    }
