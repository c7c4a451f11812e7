"""What EKS and EC2 refuse of a node group. Pure functions over the request, the template and the account.

Source: EKS API CreateNodegroup (botocore 1.44.5), EKS user guide `launch-templates` and
`capacity-blocks-mng`, EC2 User Guide `efa-acc-inst-types`, read 2026-11-20.
"""

from typing import Any

from accelerators import ami, instance_types, kubernetes_versions, system_instance_types
from simulator.aws.account import Account
from simulator.aws.capacity_blocks import state_of
from simulator.aws.errors import AwsError

_NOT_IN_A_TEMPLATE = ("IamInstanceProfile", "InstanceInitiatedShutdownBehavior", "HibernationOptions")
_RESERVED = ("eks.amazonaws.com/", "kubernetes.io/", "k8s.io/")
_OLDEST_SKEW = 3
"""Minor versions that nodes may be behind the control plane. Source: Kubernetes version skew policy."""


def check_version(account: Account, version: str, control_plane: str) -> None:
    """Nodes are of a supported version, not newer than the control plane and not too far behind."""
    known = kubernetes_versions.every().get(version)
    end = known.end_of_extended_support if known else None
    if known is None or (end and account.state.now.date() > end):
        raise AwsError("InvalidParameterException", f"Requested Nodegroup version {version} is not supported")
    if not kubernetes_versions.at_least(control_plane, version):
        raise AwsError(
            "InvalidParameterException", f"Requested Nodegroup version {version} is newer than cluster {control_plane}"
        )
    if int(control_plane.split(".")[1]) - int(version.split(".")[1]) > _OLDEST_SKEW:
        raise AwsError(
            "InvalidParameterException", f"Nodegroup version {version} is too old for cluster {control_plane}"
        )


def check_sizes(sizes: dict[str, int]) -> None:
    """0 <= min <= desired <= max, and max at least 1."""
    low, wanted, high = sizes["minSize"], sizes["desiredSize"], sizes["maxSize"]
    if high < 1:
        raise AwsError("InvalidParameterException", "Max size must be at least 1")
    if not 0 <= low <= high:
        raise AwsError("InvalidParameterException", "Minimum capacity cannot be greater than maximum capacity")
    if not low <= wanted <= high:
        raise AwsError("InvalidParameterException", "desired capacity must be between minimum and maximum capacity")


def refuse_unfit(account: Account, request: dict[str, Any], template: dict[str, Any]) -> None:
    """Raise on the first thing that EKS would refuse."""
    sizes = {"minSize": 1, "maxSize": 2, "desiredSize": 1, **request.get("scalingConfig", {})}
    check_sizes(sizes)
    _check_labels_and_taints(request)
    _check_template(request, template)
    kinds = request.get("instanceTypes") or ([template["InstanceType"]] if "InstanceType" in template else [])
    zones = _zones(account, request["subnets"])
    for kind in kinds:
        _check_offered(account, kind, zones)
        _check_image(kind, request.get("amiType"), template)
        _check_interfaces(kind, template.get("NetworkInterfaces", []))
    if request.get("capacityType") == "CAPACITY_BLOCK":
        _check_block(account, template, zones)


def _check_labels_and_taints(request: dict[str, Any]) -> None:
    for key in request.get("labels", {}):
        if key.startswith(_RESERVED):
            raise AwsError(
                "InvalidParameterException", f"Label cannot contain reserved prefixes {list(_RESERVED)}: {key}"
            )
    for taint in request.get("taints", []):
        if len(taint.get("key", "")) > 63 or len(taint.get("value", "")) > 63:
            raise AwsError("InvalidParameterException", "A taint's key and value have at most 63 characters")


def _check_template(request: dict[str, Any], template: dict[str, Any]) -> None:
    forbidden = [name for name in _NOT_IN_A_TEMPLATE if name in template]
    if any("SubnetId" in interface for interface in template.get("NetworkInterfaces", [])):
        forbidden.append("SubnetId")
    if forbidden:
        raise AwsError(
            "InvalidParameterException",
            f"Launch template must not contain {', '.join(forbidden)} for a managed node group",
        )
    if request.get("instanceTypes") and "InstanceType" in template:
        raise AwsError(
            "InvalidParameterException",
            "Instance type must be specified in the node group or in the launch template, not in both",
        )
    if "launchTemplate" in request and "diskSize" in request:
        raise AwsError("InvalidParameterException", "Disk size must be specified within the launch template.")
    if "ImageId" in template and request.get("amiType", "CUSTOM") != "CUSTOM":
        raise AwsError(
            "InvalidParameterException", "AMI type must not be specified with an image in the launch template"
        )


def _check_offered(account: Account, kind: str, zones: dict[str, str]) -> None:
    offered = account.offered_zones(kind)
    if not offered:
        raise AwsError(
            "InvalidParameterException",
            f"The following supplied instance types do not exist in {account.state.region}: [{kind}]",
        )
    missing = sorted(set(zones.values()) - offered)
    if len(missing) == len(set(zones.values())):
        raise AwsError(
            "InvalidParameterException",
            f"Your requested instance type ({kind}) is not supported in your requested Availability Zone "
            f"({', '.join(missing)}). It is in {', '.join(sorted(offered))}.",
        )


def _check_image(kind: str, ami_type: str | None, template: dict[str, Any]) -> None:
    if "ImageId" in template or ami_type in (None, "CUSTOM"):
        return
    found = instance_types.find(kind)
    fitting = found.ami_types if found else (_standard(kind),)
    is_standard = ami_type in ("AL2023_x86_64_STANDARD", "AL2023_ARM_64_STANDARD")
    wrong_processor = ami.architecture(ami_type) != (
        found.architecture if found else system_instance_types.architecture(kind)
    )
    needs_driver = found is not None and ami_type not in fitting
    if wrong_processor or (needs_driver and not (is_standard and not found)):
        raise AwsError(
            "InvalidParameterException", f"[{kind}] is not a valid instance type for requested amiType {ami_type}"
        )


def _standard(kind: str) -> str:
    return ami.system_type(kind)


def _check_interfaces(kind: str, interfaces: list[dict[str, Any]]) -> None:
    found = instance_types.find(kind)
    efa = [each for each in interfaces if each.get("InterfaceType") in ("efa", "efa-only")]
    if not efa:
        return
    limit = found.network.max_efa_interfaces if found else 0
    if limit is not None and len(efa) > limit:
        raise AwsError("InvalidParameterValue", f"{kind} supports {limit} EFA interfaces, {len(efa)} are wanted")
    places = [(each.get("NetworkCardIndex", 0), each.get("DeviceIndex", 0)) for each in interfaces]
    if len(set(places)) != len(places):
        raise AwsError(
            "InvalidParameterValue", "Each network interface requires a unique network card and device index."
        )
    cards = found.network.efa_cards if found else None
    wrong = [
        each.get("NetworkCardIndex", 0)
        for each in efa
        if cards is not None and each.get("NetworkCardIndex", 0) not in cards
    ]
    if wrong:
        raise AwsError("InvalidParameterValue", f"network card {wrong[0]} of {kind} takes no EFA interface")
    if any(
        place == (0, 0) and each.get("InterfaceType") == "efa-only"
        for place, each in zip(places, interfaces, strict=True)
    ):
        raise AwsError("InvalidParameterValue", "The primary network interface cannot be efa-only")


def _check_block(account: Account, template: dict[str, Any], zones: dict[str, str]) -> None:
    """The pieces without which EKS rejects the request, and the zone of the reservation."""
    market = template.get("InstanceMarketOptions", {}).get("MarketType")
    target = template.get("CapacityReservationSpecification", {}).get("CapacityReservationTarget", {})
    reservation = target.get("CapacityReservationId")
    missing = [
        name
        for name, there in {
            "InstanceMarketOptions.MarketType=capacity-block": market == "capacity-block",
            "CapacityReservationSpecification.CapacityReservationTarget.CapacityReservationId": bool(reservation),
            "InstanceType": "InstanceType" in template,
        }.items()
        if not there
    ]
    if missing:
        raise AwsError(
            "InvalidParameterException", f"CAPACITY_BLOCK needs in the launch template: {', '.join(missing)}"
        )
    block = account.state.blocks.get(str(reservation))
    if block is None:
        raise AwsError("InvalidParameterException", f"The capacity reservation {reservation} does not exist")
    if (state := state_of(block, account.state.now)) not in ("active", "scheduled"):
        raise AwsError("InvalidParameterException", f"The capacity reservation {block.id} is {state}")
    if block.instance_type != template["InstanceType"]:
        raise AwsError(
            "InvalidParameterException", f"{block.id} holds {block.instance_type}, not {template['InstanceType']}"
        )
    outside = [subnet for subnet, zone in zones.items() if zone != block.zone]
    if outside:
        raise AwsError(
            "InvalidParameterException", f"{block.id} is in {block.zone}; outside of it: {', '.join(sorted(outside))}"
        )


def _zones(account: Account, subnets: list[str]) -> dict[str, str]:
    """Zone of each subnet; refuses one that is not there."""
    try:
        found = account.moto("ec2", "describe_subnets", {"SubnetIds": subnets})["Subnets"]
    except AwsError as error:
        raise AwsError("InvalidParameterException", error.message) from None
    return {subnet["SubnetId"]: subnet["AvailabilityZone"] for subnet in found}
