"""IAM roles and the managed policies attached to them."""

import json
from typing import Any
from urllib.parse import unquote

from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.providers.aws import tags
from eks_accelerators.simulator.providers.calls import Calls
from eks_accelerators.simulator.providers.kind import Created, Kind
from eks_accelerators.simulator.providers.resource_facts import ONE_CALL, Permissions, ResourceFacts, UsualTime

CHAPTER = Chapter(
    __doc__, source="pulumi-aws 7.51, documentation of its resources; IAM API (botocore 1.44.5); read 2026-11-21."
)


class RoleKind(Kind):
    """`aws.iam.Role`, whose ID is its name."""

    token = "aws:iam/role:Role"
    properties = frozenset({"assumeRolePolicy", "description", "name", "tags"})
    changeable = frozenset({"assumeRolePolicy", "description", "tags"})
    name_property = "name"
    longest_name = 64
    calls = frozenset(
        {
            "iam.create_role",
            "iam.delete_role",
            "iam.get_role",
            "iam.tag_role",
            "iam.untag_role",
            "iam.update_assume_role_policy",
            "iam.update_role",
        }
    )
    facts = ResourceFacts(
        called="IAM role",
        replacing=("name", "namePrefix", "path"),
        scope="roles",
        permissions=(
            Permissions(
                "roles",
                (
                    "iam:UpdateRoleDescription",
                    "iam:ListRolePolicies",
                    "iam:ListAttachedRolePolicies",
                    "iam:ListInstanceProfilesForRole",
                ),
            ),
        ),
        durations=ONE_CALL | {"create": UsualTime(1, "otel-demo"), "delete": UsualTime(3, "agones")},
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        described = {"Description": inputs["description"]} if "description" in inputs else {}
        made = aws.call(
            "iam",
            "create_role",
            RoleName=inputs["name"],
            AssumeRolePolicyDocument=inputs["assumeRolePolicy"],
            Tags=tags.pairs(inputs.get("tags") or {}),
            **described,
        )["Role"]
        return Created(inputs["name"], {"arn": made["Arn"], "uniqueId": made["RoleId"], "path": "/"})

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        role = aws.call("iam", "get_role", RoleName=identifier)["Role"]
        policy = role["AssumeRolePolicyDocument"]
        found = policy if isinstance(policy, dict) else json.loads(unquote(policy))
        same = found == json.loads(state.get("assumeRolePolicy", "{}"))
        return {
            "assumeRolePolicy": state["assumeRolePolicy"] if same else json.dumps(found),
            "description": role.get("Description") or None,
            "tags": tags.mapping(role.get("Tags")),
        }

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        if old["assumeRolePolicy"] != new["assumeRolePolicy"]:
            aws.call("iam", "update_assume_role_policy", RoleName=identifier, PolicyDocument=new["assumeRolePolicy"])
        if old.get("description") != new.get("description"):
            aws.call("iam", "update_role", RoleName=identifier, Description=new.get("description", ""))
        gone, changed = tags.changes(old, new)
        if gone:
            aws.call("iam", "untag_role", RoleName=identifier, TagKeys=gone)
        if changed:
            aws.call("iam", "tag_role", RoleName=identifier, Tags=tags.pairs(changed))
        return {}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("iam", "delete_role", RoleName=identifier)


class RolePolicyAttachmentKind(Kind):
    """`aws.iam.RolePolicyAttachment`."""

    token = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
    properties = frozenset({"policyArn", "role"})
    calls = frozenset({"iam.attach_role_policy", "iam.detach_role_policy", "iam.list_attached_role_policies"})
    facts = ResourceFacts(
        called="IAM role",
        replacing=("policyArn", "role"),
        scope="roles",
        durations=ONE_CALL | {"create": UsualTime(1, "otel-demo"), "delete": UsualTime(1, "agones")},
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        aws.call("iam", "attach_role_policy", RoleName=inputs["role"], PolicyArn=inputs["policyArn"])
        return Created(f"{inputs['role']}/{inputs['policyArn']}")

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        attached = aws.call("iam", "list_attached_role_policies", RoleName=state["role"])["AttachedPolicies"]
        return {} if any(policy["PolicyArn"] == state["policyArn"] for policy in attached) else None

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("iam", "detach_role_policy", RoleName=state["role"], PolicyArn=state["policyArn"])


KINDS: tuple[Kind, ...] = (RoleKind(), RolePolicyAttachmentKind())
