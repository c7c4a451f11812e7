"""Policies written into an IAM role: rights that no managed policy gives so narrowly."""

import json
from typing import Any
from urllib.parse import unquote

from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.providers.calls import Calls
from eks_accelerators.simulator.providers.kind import Created, Kind
from eks_accelerators.simulator.providers.resource_facts import ONE_CALL, ResourceFacts

CHAPTER = Chapter(
    __doc__,
    source=(
        "pulumi-aws 7.51, documentation of its resources; terraform-provider-aws `internal/service/iam/role_policy.go`: "
        "its ID is the role's name and its own, to create and to change is one call; IAM API (botocore 1.44.5); read "
        "2026-11-22."
    ),
)


class RolePolicyKind(Kind):
    """`aws.iam.RolePolicy`, whose ID is the role's name and its own."""

    token = "aws:iam/rolePolicy:RolePolicy"
    properties = frozenset({"name", "policy", "role"})
    changeable = frozenset({"policy"})
    name_property = "name"
    longest_name = 128
    calls = frozenset({"iam.delete_role_policy", "iam.get_role_policy", "iam.put_role_policy"})
    facts = ResourceFacts(
        called="IAM role",
        replacing=("name", "namePrefix", "role"),
        scope="roles",
        durations=ONE_CALL,
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        self._put(aws, inputs)
        return Created(f"{inputs['role']}:{inputs['name']}")

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        policy = aws.call("iam", "get_role_policy", **_named(identifier))["PolicyDocument"]
        found = policy if isinstance(policy, dict) else json.loads(unquote(policy))
        same = found == json.loads(state.get("policy", "{}"))
        return {"policy": state["policy"] if same else json.dumps(found)}

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        self._put(aws, new)
        return {}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("iam", "delete_role_policy", **_named(identifier))

    @staticmethod
    def _put(aws: Calls, inputs: dict[str, Any]) -> None:
        named = {"RoleName": inputs["role"], "PolicyName": inputs["name"]}
        aws.call("iam", "put_role_policy", **named, PolicyDocument=inputs["policy"])


def _named(identifier: str) -> dict[str, str]:
    role, _, name = identifier.partition(":")
    return {"RoleName": role, "PolicyName": name}


KINDS: tuple[Kind, ...] = (RolePolicyKind(),)
