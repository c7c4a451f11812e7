"""Managed add-ons of a cluster."""

from typing import Any

from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.providers.aws import tags
from eks_accelerators.simulator.providers.calls import Calls
from eks_accelerators.simulator.providers.kind import Created, Kind, PartlyCreatedError
from eks_accelerators.simulator.providers.resource_facts import Permissions, ResourceFacts, UsualTime

CHAPTER = Chapter(
    __doc__,
    source=(
        "terraform-provider-aws `internal/service/eks/addon.go`, read 2026-11-21: a creation waits as long as the "
        "add-on is CREATING or DEGRADED; an update waits for the update; with nothing to change the add-on is "
        "only read."
    ),
)


class AddonKind(Kind):
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

    kept = frozenset({"addonVersion", "configurationValues"})
    calls = frozenset(
        {
            "eks.create_addon",
            "eks.delete_addon",
            "eks.describe_addon",
            "eks.tag_resource",
            "eks.untag_resource",
            "eks.update_addon",
        }
    )
    facts = ResourceFacts(
        called="add-ons",
        replacing=("addonName", "clusterName"),
        scope="in-cluster",
        permissions=(
            Permissions(
                "in-cluster",
                (
                    "eks:DescribeUpdate",
                    "eks:CreatePodIdentityAssociation",
                    "eks:DescribePodIdentityAssociation",
                    "eks:UpdatePodIdentityAssociation",
                    "eks:DeletePodIdentityAssociation",
                ),
            ),
            Permissions("any", ("eks:DescribeAddonVersions", "eks:DescribeAddonConfiguration")),
            Permissions("roles", ("iam:GetRole",)),
        ),
        durations={
            "create": UsualTime(40, "estimate-addon"),
            "update": UsualTime(60, "estimate-addon"),
            "delete": UsualTime(9, "clinicdesk"),
        },
        details={
            "vpc-cni": {"create": UsualTime(24, "clinicdesk")},
            "eks-pod-identity-agent": {"create": UsualTime(24, "clinicdesk")},
            "kube-proxy": {"create": UsualTime(24, "clinicdesk")},
            "coredns": {"create": UsualTime(14, "clinicdesk")},
            "metrics-server": {"create": UsualTime(45, "clinicdesk")},
            "aws-ebs-csi-driver": {"create": UsualTime(46, "clinicdesk")},
        },
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
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
            raise PartlyCreatedError(
                created,
                f"waiting for EKS Add-On ({created.id}) create: timeout while waiting for state to become 'ACTIVE' "
                f"(last state: '{made['status']}', timeout: 20m0s): {_issues(made)}",
            )
        return created

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        addon = aws.call("eks", "describe_addon", **_addon(state))["addon"]
        return {
            "addonVersion": addon["addonVersion"],
            "configurationValues": addon["configurationValues"],
            "podIdentityAssociations": addon["podIdentityAssociations"],
            "tags": addon["tags"],
        }

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        names = ("addonVersion", "configurationValues", "podIdentityAssociations")
        changed = {name: new.get(name, []) for name in names if new.get(name) != old.get(name)}
        if changed:
            conflicts = {"resolveConflicts": new.get("resolveConflictsOnUpdate")}
            aws.call(
                "eks",
                "update_addon",
                **_addon(new),
                **changed,
                **{key: value for key, value in conflicts.items() if value},
            )
        addon = aws.call("eks", "describe_addon", **_addon(new))["addon"]
        tags.retag_by_mapping(aws, "eks", addon["addonArn"], old, new)
        if changed and addon["status"] != "ACTIVE":
            raise PartlyCreatedError(
                Created(identifier, {}),
                f"waiting for EKS Add-On ({identifier}) update: unexpected state 'Failed', wanted target 'Successful'. "
                f"last error: {_issues(addon)}",
            )
        return {"addonVersion": addon["addonVersion"]}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("eks", "delete_addon", **_addon(state))


def _issues(addon: dict[str, Any]) -> str:
    return "; ".join(f"{issue['code']}: {issue['message']}" for issue in addon["health"]["issues"])


def _addon(properties: dict[str, Any]) -> dict[str, str]:
    return {"clusterName": properties["clusterName"], "addonName": properties["addonName"]}


KINDS: tuple[Kind, ...] = (AddonKind(),)
