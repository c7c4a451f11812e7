"""Who may use an EKS cluster: access entries, and their policies."""

from typing import Any

from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.providers.aws import tags
from eks_accelerators.simulator.providers.calls import Calls
from eks_accelerators.simulator.providers.kind import Created, Kind
from eks_accelerators.simulator.providers.resource_facts import ONE_CALL, ResourceFacts, UsualTime

CHAPTER = Chapter(
    __doc__,
    source="pulumi-aws 7.51, documentation of its resources; EKS API (botocore 1.44.5); read 2026-11-21.",
)


class AccessEntryKind(Kind):
    """`aws.eks.AccessEntry`."""

    token = "aws:eks/accessEntry:AccessEntry"
    properties = frozenset({"clusterName", "kubernetesGroups", "principalArn", "tags", "type", "userName"})
    changeable = frozenset({"kubernetesGroups", "tags", "userName"})
    kept = frozenset({"kubernetesGroups", "userName"})
    calls = frozenset(
        {
            "eks.create_access_entry",
            "eks.delete_access_entry",
            "eks.describe_access_entry",
            "eks.tag_resource",
            "eks.untag_resource",
            "eks.update_access_entry",
        }
    )
    facts = ResourceFacts(
        called="access",
        replacing=("clusterName", "principalArn", "type"),
        scope="in-cluster",
        durations=ONE_CALL | {"create": UsualTime(1, "otel-demo")},
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        optional = {"kubernetesGroups": "kubernetesGroups", "tags": "tags", "type": "type", "username": "userName"}
        made = aws.call(
            "eks",
            "create_access_entry",
            clusterName=inputs["clusterName"],
            principalArn=inputs["principalArn"],
            **{key: inputs[name] for key, name in optional.items() if name in inputs},
        )["accessEntry"]
        return Created(f"{inputs['clusterName']}:{inputs['principalArn']}", _entry(made))

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        entry = aws.call("eks", "describe_access_entry", **_principal(state))["accessEntry"]
        return {**_entry(entry), "tags": entry["tags"]}

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        names = {"kubernetesGroups": "kubernetesGroups", "username": "userName"}
        changed = {key: new[name] for key, name in names.items() if old.get(name) != new.get(name)}
        if changed:
            aws.call("eks", "update_access_entry", **_principal(new), **changed)
        entry = aws.call("eks", "describe_access_entry", **_principal(new))["accessEntry"]
        tags.retag_by_mapping(aws, "eks", entry["accessEntryArn"], old, new)
        return _entry(entry)

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("eks", "delete_access_entry", **_principal(state))


class AccessPolicyAssociationKind(Kind):
    """`aws.eks.AccessPolicyAssociation`."""

    token = "aws:eks/accessPolicyAssociation:AccessPolicyAssociation"
    properties = frozenset({"accessScope", "clusterName", "policyArn", "principalArn"})
    calls = frozenset(
        {"eks.associate_access_policy", "eks.disassociate_access_policy", "eks.list_associated_access_policies"}
    )
    facts = ResourceFacts(
        called="access",
        replacing=("accessScope", "clusterName", "policyArn", "principalArn"),
        scope="in-cluster",
        durations=ONE_CALL | {"create": UsualTime(1, "otel-demo")},
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        aws.call(
            "eks",
            "associate_access_policy",
            **_principal(inputs),
            policyArn=inputs["policyArn"],
            accessScope=inputs["accessScope"],
        )
        return Created(f"{inputs['clusterName']}#{inputs['principalArn']}#{inputs['policyArn']}")

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        found = aws.call("eks", "list_associated_access_policies", **_principal(state))["associatedAccessPolicies"]
        return {} if any(policy["policyArn"] == state["policyArn"] for policy in found) else None

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("eks", "disassociate_access_policy", **_principal(state), policyArn=state["policyArn"])


def _entry(entry: dict[str, Any]) -> dict[str, Any]:
    """An access entry of EKS as properties, without its tags."""
    return {
        "accessEntryArn": entry["accessEntryArn"],
        "kubernetesGroups": entry["kubernetesGroups"],
        "type": entry["type"],
        "userName": entry["username"],
    }


def _principal(properties: dict[str, Any]) -> dict[str, str]:
    return {"clusterName": properties["clusterName"], "principalArn": properties["principalArn"]}


KINDS: tuple[Kind, ...] = (AccessEntryKind(), AccessPolicyAssociationKind())
