"""What EKS and EC2 refuse of a node group. Pure functions over the request, the template and the account.

Source: EKS API CreateNodegroup (botocore 1.44.5), EKS user guide `launch-templates` and
`capacity-blocks-mng`, EC2 User Guide `efa-acc-inst-types`, read 2026-11-20. Words of EKS, each from a report of what it
answered: types in both places and an image with a version: terraform-aws-eks 1386, 3459; an image with an AMI type:
pulumi-eks 1463, eksctl 5999; market options: terraform-provider-aws 18025; disk size: provider-upjet-aws 866; instance
profile: text of the API; zones: eksctl 6461; AMI type: HHS/simpler-grants-gov 12404; release: eksctl 7976; sizes:
terraform-aws-eks 3306 and viya4-iac-aws 298; Amazon Linux 2: aws-cdk 37012; no way back: EKS API
UpdateNodegroupVersion; labels of the kubelet: Kubernetes `well_known_labels.go`; read 2026-11-21.
The words about Capacity Blocks and EFA are ours: no answer of AWS was found.
"""

import re
from typing import Any

from eks_accelerators.accelerators import ami, instance_types, kubernetes_versions, system_instance_types
from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.capacity_blocks import state_of
from eks_accelerators.simulator.aws.errors import AwsError

_NOT_IN_A_TEMPLATE = ("InstanceInitiatedShutdownBehavior", "HibernationOptions")
_RESERVED = "eks.amazonaws.com/"
_KUBELET_LABELS = frozenset(
    {
        "beta.kubernetes.io/arch",
        "beta.kubernetes.io/instance-type",
        "beta.kubernetes.io/os",
        "failure-domain.beta.kubernetes.io/region",
        "failure-domain.beta.kubernetes.io/zone",
        "kubernetes.io/arch",
        "kubernetes.io/hostname",
        "kubernetes.io/os",
        "node.kubernetes.io/instance-type",
        "topology.kubernetes.io/region",
        "topology.kubernetes.io/zone",
    }
)
_RELEASE = re.compile(r"\d+\.\d+\.\d+-(\d{8})")
_KUBELET_NAMESPACES = ("kubelet.kubernetes.io", "node.kubernetes.io")
_KUBERNETES_NAMESPACES = ("kubernetes.io", "k8s.io")
OLDEST_SKEW = 3
"""Minor versions that nodes may be behind the control plane. Source: EKS user guide `update-cluster`."""
DEFAULT_TYPE = "t3.medium"
"""Where neither request nor template names one. Source: EKS API, `instanceTypes`."""


def check_version(account: Backend, version: str, control_plane: str) -> None:
    """New nodes are of the control plane's version, which EKS still supports."""
    _check_supported(account, version)
    if version != control_plane:
        newer = kubernetes_versions.at_least(version, control_plane)
        raise AwsError(
            "InvalidParameterException",
            f"Requested Nodegroup version {version} is {'newer' if newer else 'older'} than cluster {control_plane}",
        )


def check_update_version(account: Backend, version: str, current: str, control_plane: str) -> None:
    """Nodes follow the control plane, and never go back."""
    if version == current:
        return
    _check_supported(account, version)
    if not kubernetes_versions.at_least(control_plane, version):
        raise AwsError(
            "InvalidParameterException", f"Requested Nodegroup version {version} is newer than cluster {control_plane}"
        )
    if not kubernetes_versions.at_least(version, current):
        raise AwsError("InvalidParameterException", f"You cannot roll back a node group from {current} to {version}")


def check_release(release: str | None, version: str, ami_type: str) -> None:
    """An Amazon Linux release begins with its Kubernetes version; Bottlerocket counts its own."""
    if release and not ami.is_bottlerocket(ami_type) and not release.startswith(f"{version}."):
        raise AwsError(
            "InvalidParameterException",
            f"Requested release version {release} is not valid for kubernetes version {version}.",
        )


def check_no_way_back(release: str, current: str) -> None:
    """Amazon Linux releases are ordered by their date."""
    dates = [found.group(1) if (found := _RELEASE.fullmatch(each)) else "" for each in (release, current)]
    if all(dates) and dates[0] < dates[1]:
        raise AwsError("InvalidParameterException", f"You cannot roll back a node group from {current} to {release}")


def check_no_block_in_use(capacity_type: str, desired: int) -> None:
    """There is no room for new nodes beside the old ones in a Capacity Block: `capacity-blocks-mng`."""
    if capacity_type == "CAPACITY_BLOCK" and desired:
        raise AwsError(
            "InvalidParameterException",
            f"A node group of capacity type CAPACITY_BLOCK is updated at a desired size of 0 only, not of {desired}",
        )


def check_sizes(sizes: dict[str, int], *, updated: bool = False) -> None:
    """Min <= desired <= max; EKS has other words for an update than for a creation."""
    low, wanted, high = sizes["minSize"], sizes["desiredSize"], sizes["maxSize"]
    if low > wanted:
        words = f"Minimum capacity {low} can't be greater than desired size {wanted}"
        raise AwsError("InvalidParameterException", words if updated else "minSize can't be greater than desiredSize")
    if wanted > high:
        words = f"Desired size {wanted} can't be greater than maximum capacity {high}"
        raise AwsError("InvalidParameterException", words if updated else "desiredSize can't be greater than maxSize")


def default_ami_type(template: dict[str, Any]) -> str:
    """The AMI type where the request names none: that of the template's image, or ordinary Amazon Linux."""
    return "CUSTOM" if "ImageId" in template else "AL2023_x86_64_STANDARD"


def instance_types_of(request: dict[str, Any], template: dict[str, Any]) -> list[str]:
    """The types of the node group, the first preferred."""
    return request.get("instanceTypes") or [template.get("InstanceType", DEFAULT_TYPE)]


def types_not_offered(account: Backend, kinds: list[str]) -> list[str]:
    """Types that the region does not have: EKS takes the request, and the node group fails."""
    return [kind for kind in kinds if not _zones_offering(account, kind)]


def labels_that_kubelets_refuse(labels: dict[str, str]) -> list[str]:
    """Labels of Kubernetes' own namespaces that no kubelet starts with; EKS takes them, and no node joins."""
    return sorted(key for key in labels if _is_of(key, _KUBERNETES_NAMESPACES) and not _is_for_kubelets(key))


def refuse_unfit(account: Backend, request: dict[str, Any], template: dict[str, Any], version: str) -> None:
    """Raise on the first thing that EKS would refuse of nodes of ``version``."""
    sizes = {"minSize": 1, "maxSize": 2, "desiredSize": 1, **request.get("scalingConfig", {})}
    check_sizes(sizes)
    _check_labels_and_taints(request)
    _check_template(request, template)
    zones = _zones(account, request["subnets"])
    for kind in instance_types_of(request, template):
        _check_offered(account, kind, zones)
        _check_image(kind, request.get("amiType", default_ami_type(template)), template, version)
        _check_interfaces(kind, template.get("NetworkInterfaces", []))
    if request.get("capacityType") == "CAPACITY_BLOCK":
        _check_block(account, template, zones)
    elif "InstanceMarketOptions" in template:
        raise AwsError(
            "InvalidParameterException", "Instance market options are not supported with the launch template."
        )


def _check_supported(account: Backend, version: str) -> None:
    known = kubernetes_versions.every().get(version)
    end = known.end_of_extended_support if known else None
    if known is None or (end and account.state.now.date() > end):
        raise AwsError("InvalidParameterException", f"Requested Nodegroup version {version} is not supported")


def _is_of(key: str, namespaces: tuple[str, ...]) -> bool:
    namespace = key.partition("/")[0] if "/" in key else ""
    return any(namespace == each or namespace.endswith(f".{each}") for each in namespaces)


def _is_for_kubelets(key: str) -> bool:
    return key in _KUBELET_LABELS or _is_of(key, _KUBELET_NAMESPACES)


def _check_labels_and_taints(request: dict[str, Any]) -> None:
    if any(key.startswith(_RESERVED) for key in request.get("labels", {})):
        raise AwsError("InvalidParameterException", f"Label cannot contain reserved prefixes [{_RESERVED}]")
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
    if "IamInstanceProfile" in template:
        raise AwsError(
            "InvalidParameterException",
            "Launch template should not specify an instance profile. The noderole in your request will be used to "
            "construct an instance profile.",
        )
    if request.get("instanceTypes") and "InstanceType" in template:
        raise AwsError("InvalidRequestException", "Cannot specify instance types in launch template and API request")
    if "launchTemplate" in request and "diskSize" in request:
        raise AwsError("InvalidParameterException", "Disk size must be specified within the launch template.")
    if "ImageId" in template:
        _check_beside_image(request)


def _check_beside_image(request: dict[str, Any]) -> None:
    """What an image of one's own leaves no room for."""
    if request.get("amiType", "CUSTOM") != "CUSTOM":
        raise AwsError(
            "InvalidParameterException",
            "You cannot specify an AMI Type other than CUSTOM, when specifying an image id in your launch template.",
        )
    for key, words in (("version", "kubernetes version"), ("releaseVersion", "release version")):
        if key in request:
            raise AwsError(
                "InvalidParameterException",
                f"You cannot specify a {words} to use when specifying an image id to use within the launch template.",
            )


def _zones_offering(account: Backend, kind: str) -> set[str]:
    filters = [{"Name": "instance-type", "Values": [kind]}]
    found = account.moto(
        "ec2", "describe_instance_type_offerings", {"LocationType": "availability-zone", "Filters": filters}
    )["InstanceTypeOfferings"]
    return {offer["Location"] for offer in found}


def _check_offered(account: Backend, kind: str, zones: dict[str, str]) -> None:
    """Every zone of the group must have the type. One that the region does not have at all fails later."""
    offered = _zones_offering(account, kind)
    missing = sorted(set(zones.values()) - offered)
    if offered and missing:
        raise AwsError(
            "InvalidRequestException",
            f"Your requested instance type ({kind}) is not supported in your requested Availability Zone "
            f"({missing[0]}). Please retry your request by not specifying an Availability Zone or choosing "
            f"{', '.join(sorted(offered))}.",
        )


def _check_image(kind: str, ami_type: str, template: dict[str, Any], version: str) -> None:
    if "ImageId" in template or ami_type == "CUSTOM":
        return
    if ami.is_amazon_linux_2(ami_type) and kubernetes_versions.at_least(version, "1.33"):
        raise AwsError(
            "InvalidParameterException",
            f"AMI Type {ami_type} is only supported for kubernetes versions 1.32 or earlier",
        )
    found = instance_types.find(kind)
    processor = found.architecture if found else system_instance_types.architecture(kind)
    if ami.architecture(ami_type) != processor or (found and ami_type not in found.ami_types):
        raise AwsError(
            "InvalidParameterException", f"[{kind}] is not a valid instance type for requested amiType {ami_type}"
        )


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
    cards = [each.get("NetworkCardIndex", 0) for each in efa]
    if twice := [card for card in cards if cards.count(card) > 1]:
        raise AwsError("InvalidParameterValue", f"network card {twice[0]} of {kind} takes one EFA interface, not more")
    allowed = found.network.efa_cards if found else None
    wrong = [card for card in cards if allowed is not None and card not in allowed]
    if wrong:
        raise AwsError("InvalidParameterValue", f"network card {wrong[0]} of {kind} takes no EFA interface")
    if any(
        place == (0, 0) and each.get("InterfaceType") == "efa-only"
        for place, each in zip(places, interfaces, strict=True)
    ):
        raise AwsError("InvalidParameterValue", "The primary network interface cannot be efa-only")


def _check_block(account: Backend, template: dict[str, Any], zones: dict[str, str]) -> None:
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


def _zones(account: Backend, subnets: list[str]) -> dict[str, str]:
    """Zone of each subnet; refuses one that is not there."""
    try:
        found = account.moto("ec2", "describe_subnets", {"SubnetIds": subnets})["Subnets"]
    except AwsError as error:
        raise AwsError("InvalidParameterException", error.message) from None
    return {subnet["SubnetId"]: subnet["AvailabilityZone"] for subnet in found}
