"""Managed add-ons of a cluster."""

from typing import Any

from simulator.aws.account import Account
from simulator.providers.aws.eks_cluster import retag
from simulator.providers.kind import Created, Kind, PartlyCreatedError


class Addon(Kind):
    """`aws.eks.Addon`. Waits for its pods: without an untainted node they never run."""

    token = "aws:eks/addon:Addon"
    properties = frozenset(
        {
            "addonName",
            "addonVersion",
            "clusterName",
            "configurationValues",
            "podIdentityAssociations",
            "resolveConflictsOnCreate",
            "resolveConflictsOnUpdate",
            "tags",
        }
    )
    changeable = frozenset(
        {
            "addonVersion",
            "configurationValues",
            "podIdentityAssociations",
            "resolveConflictsOnCreate",
            "resolveConflictsOnUpdate",
            "tags",
        }
    )

    def create(self, aws: Account, inputs: dict[str, Any]) -> Created:
        optional = ("addonVersion", "configurationValues", "podIdentityAssociations", "tags")
        conflicts = (
            {"resolveConflicts": inputs["resolveConflictsOnCreate"]} if "resolveConflictsOnCreate" in inputs else {}
        )
        made = aws.call(
            "eks",
            "create_addon",
            clusterName=inputs["clusterName"],
            addonName=inputs["addonName"],
            **{key: inputs[key] for key in optional if key in inputs},
            **conflicts,
        )["addon"]
        created = Created(
            f"{inputs['clusterName']}:{inputs['addonName']}",
            {"arn": made["addonArn"], "addonVersion": made["addonVersion"]},
        )
        if made["status"] != "ACTIVE":
            issues = "; ".join(f"{issue['code']}: {issue['message']}" for issue in made["health"]["issues"])
            raise PartlyCreatedError(created, f"waiting for EKS Add-On ({created.id}): {made['status']}: {issues}")
        return created

    def read(self, aws: Account, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        addon = aws.call("eks", "describe_addon", **_addon(state))["addon"]
        return {
            "addonVersion": addon["addonVersion"],
            "podIdentityAssociations": addon["podIdentityAssociations"] or None,
            "tags": addon["tags"],
        }

    def update(self, aws: Account, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        names = ("addonVersion", "configurationValues", "podIdentityAssociations")
        changed = {name: new[name] for name in names if name in new and new[name] != old.get(name)}
        if changed:
            aws.call("eks", "update_addon", **_addon(new), **changed)
        addon = aws.call("eks", "describe_addon", **_addon(new))["addon"]
        retag(aws, addon["addonArn"], old, new)
        if addon["status"] != "ACTIVE":
            raise PartlyCreatedError(Created(identifier, {}), f"EKS Add-On ({identifier}) is {addon['status']}")
        return {"addonVersion": addon["addonVersion"]}

    def delete(self, aws: Account, identifier: str, state: dict[str, Any]) -> None:
        aws.call("eks", "delete_addon", **_addon(state))


def _addon(properties: dict[str, Any]) -> dict[str, str]:
    return {"clusterName": properties["clusterName"], "addonName": properties["addonName"]}


KINDS: tuple[Kind, ...] = (Addon(),)
