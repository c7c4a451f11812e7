"""Rules about a node group beside its launch template, as EKS sees the two.

Our own components keep them by construction; a program that makes launch templates and node groups of its
own may not. Inputs have the provider's camelCase keys.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

UNKNOWN = "[unknown]"
"""What stands in recorded inputs in place of a value that is known at deployment only."""

Inputs = Mapping[str, Any]
Judgement = Iterator[tuple[str, str, str, str]]


def capacity_block_pieces(group: Inputs, template: Inputs) -> Judgement:
    """A node group on a Capacity Block has market type, reservation and one instance type in its template.

    Source: EKS user guide `capacity-blocks-mng`.
    """
    if group.get("capacityType") != "CAPACITY_BLOCK":
        return
    target = (template.get("capacityReservationSpecification") or {}).get("capacityReservationTarget") or {}
    pieces = {
        "InstanceMarketOptions.MarketType=capacity-block": (template.get("instanceMarketOptions") or {}).get(
            "marketType"
        )
        == "capacity-block",
        "CapacityReservationId": bool(target.get("capacityReservationId")),
        "InstanceType": bool(template.get("instanceType")),
    }
    if missing := [name for name, there in pieces.items() if not there]:
        yield (
            "CAPACITY_BLOCK needs more in the launch template",
            "no " + ", ".join(missing),
            "all three",
            f"add {missing[0]}",
        )


def instance_type_twice(group: Inputs, template: Inputs) -> Judgement:
    """The instance type is said in the node group or in the template, not in both.

    Source: EKS API CreateNodegroup.
    """
    types, one = group.get("instanceTypes"), template.get("instanceType")
    if types and one:
        yield "the instance type is set in node group and template", f"{types} and {one}", "one place", "remove one"


def forbidden_fields(group: Inputs, template: Inputs) -> Judgement:
    """A managed group's template has no subnet, no instance profile, and no public address beside a second interface.

    Source: EKS user guide `launch-templates`.
    """
    interfaces = template.get("networkInterfaces") or []
    found = [key for key in ("iamInstanceProfile", "instanceInitiatedShutdownBehavior") if template.get(key)]
    found += ["networkInterfaces.subnetId"] if any(i.get("subnetId") for i in interfaces) else []
    public = any(i.get("associatePublicIpAddress") == "true" for i in interfaces)
    found += ["networkInterfaces.associatePublicIpAddress"] if public and len(interfaces) > 1 else []
    if group.get("diskSize"):
        found.append("diskSize of the node group")
    for field in found:
        yield f"EKS refuses {field} with a launch template", field, "nothing", f"remove {field}"


def cluster_security_group(_group: Inputs, template: Inputs) -> Judgement:
    """Where a template names security groups, every interface has the cluster's: EKS does not add it then.

    Which group is the cluster's is known at deployment only, so an unknown one counts as it.
    Source: EKS user guide `launch-templates`.
    """
    lists = [i.get("securityGroups") for i in template.get("networkInterfaces") or []]
    if template.get("vpcSecurityGroupIds"):
        lists.append(template["vpcSecurityGroupIds"])
    if lists and template.get("networkInterfaces") and not all(lists):
        yield (
            "an interface without the cluster's security group",
            "no securityGroups",
            "the cluster's",
            "nodes cannot join; add it",
        )
    for groups in lists:
        if groups and UNKNOWN not in groups and not any(str(g).startswith("sg-") for g in groups):
            yield "these are no security groups", str(groups), "sg-...", "name the cluster's security group"


def placement_with_reservation(_group: Inputs, template: Inputs) -> Judgement:
    """No placement group beside a reservation: a reservation made without it has no capacity in it.

    Source: terraform-aws-eks#3730.
    """
    if (template.get("placement") or {}).get("groupName") and template.get("capacityReservationSpecification"):
        yield "a placement group with a capacity reservation", "placement.groupName", "no placement group", "remove it"


RULES: dict[str, Callable[[Inputs, Inputs], Judgement]] = {
    "launch-template-capacity-block": capacity_block_pieces,
    "launch-template-instance-type": instance_type_twice,
    "launch-template-forbidden-field": forbidden_fields,
    "launch-template-security-groups": cluster_security_group,
    "launch-template-placement": placement_with_reservation,
}
