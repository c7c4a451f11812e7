"""What a principal must be allowed to do, so that a stack can be deployed or checked: IAM policies of least privilege.

Source: `data/iam-actions.json`.
"""

from collections.abc import Iterable
from typing import Any

from accelerators import data

_VERSION = "2012-10-17"


class UnknownResourceTypeError(ValueError):
    """Nobody has written down which actions a resource type takes."""

    def __init__(self, token: str) -> None:
        super().__init__(f"which IAM actions {token} takes is not known")


def is_known(token: str) -> bool:
    """Whether the actions of a resource type are written down."""
    return token in data.load("iam-actions")["types"]


def deployment_actions(types: Iterable[str]) -> list[str]:
    """Every action that creating, changing and deleting resources of ``types`` takes."""
    found = {action for entry in _entries(types) for action in entry["actions"]}
    return sorted({*found, "iam:PassRole", "iam:CreateServiceLinkedRole"})


def deployment_policy(types: Iterable[str], *, name: str, region: str, account: str = "*") -> dict[str, Any]:
    """A policy document for deploying resources of ``types`` in ``region``, around a cluster called ``name``.

    EC2 is held to the region; roles, cluster, topics and rules to the stack's names.
    """
    facts = data.load("iam-actions")
    partition = "aws-us-gov" if region.startswith("us-gov-") else "aws-cn" if region.startswith("cn-") else "aws"
    words = {"partition": partition, "region": region, "account": account, "name": name}
    by_scope: dict[str, set[str]] = {}
    for entry in _entries(types):
        by_scope.setdefault(entry["scope"], set()).update(entry["actions"])
    statements = [
        {
            "Sid": "".join(word.capitalize() for word in scope.split("-")),
            "Effect": "Allow",
            "Action": sorted(by_scope[scope]),
            "Resource": _one_or_all(arn.format(**words) for arn in arns),
            **({"Condition": {"StringEquals": {"aws:RequestedRegion": region}}} if scope == "any" else {}),
        }
        for scope, arns in facts["scopes"].items()
        if scope in by_scope
    ]
    statements.append(
        {
            "Sid": "PassRoles",
            "Effect": "Allow",
            "Action": "iam:PassRole",
            "Resource": _one_or_all(arn.format(**words) for arn in facts["scopes"]["roles"]),
            "Condition": {"StringEquals": {"iam:PassedToService": facts["passed_to"]}},
        }
    )
    statements.append(
        {
            "Sid": "ServiceLinkedRoles",
            "Effect": "Allow",
            "Action": "iam:CreateServiceLinkedRole",
            "Resource": "*",
            "Condition": {"StringEquals": {"iam:AWSServiceName": facts["service_linked_roles"]}},
        }
    )
    return {"Version": _VERSION, "Statement": statements}


def preflight_policy() -> dict[str, Any]:
    """A policy document for `accel preflight`: it reads, and its one launch is a dry run."""
    statement = {"Sid": "Preflight", "Effect": "Allow", "Action": preflight_actions(), "Resource": "*"}
    return {"Version": _VERSION, "Statement": [statement]}


def blocks_policy() -> dict[str, Any]:
    """A policy document for `accel blocks`: looking, and, in a statement of its own to be left out, buying."""
    actions = data.load("iam-actions")["blocks"]
    statements = [
        {"Sid": word.capitalize(), "Effect": "Allow", "Action": actions[word], "Resource": "*"}
        for word in ("look", "buy")
    ]
    return {"Version": _VERSION, "Statement": statements}


def preflight_actions() -> list[str]:
    """Every action of `accel preflight`."""
    actions: list[str] = data.load("iam-actions")["preflight"]
    return actions


def _entries(types: Iterable[str]) -> list[dict[str, Any]]:
    facts = data.load("iam-actions")
    found = list(facts["always"])
    for token in sorted(set(types)):
        if token not in facts["types"]:
            raise UnknownResourceTypeError(token)
        found += facts["types"][token]
    return found


def _one_or_all(arns: Iterable[str]) -> str | list[str]:
    listed = list(arns)
    return listed[0] if len(listed) == 1 else listed
