"""What EKS and EC2 refuse of a node group. Pure functions over the request, the template and the account."""

import re
from typing import Any

from eks_accelerators.accelerators import ami, instance_types, kubernetes_versions, system_instance_types
from eks_accelerators.simulator.aws import node_group_refusals as refused
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
        raise refused.OTHER_VERSION(
            version=version, newer_or_older="newer" if newer else "older", cluster_version=control_plane
        )


def check_update_version(account: Backend, version: str, current: str, control_plane: str) -> None:
    """Nodes follow the control plane, and never go back."""
    if version == current:
        return
    _check_supported(account, version)
    if not kubernetes_versions.at_least(control_plane, version):
        raise refused.NEWER_VERSION(version=version, cluster_version=control_plane)
    if not kubernetes_versions.at_least(version, current):
        raise refused.VERSION_BACK(current=current, version=version)


def check_release(release: str | None, version: str, ami_type: str) -> None:
    """An Amazon Linux release begins with its Kubernetes version; Bottlerocket counts its own."""
    if release and not ami.is_bottlerocket(ami_type) and not release.startswith(f"{version}."):
        raise refused.INVALID_RELEASE(release=release, version=version)


def check_no_way_back(release: str, current: str) -> None:
    """Amazon Linux releases are ordered by their date."""
    dates = [found.group(1) if (found := _RELEASE.fullmatch(each)) else "" for each in (release, current)]
    if all(dates) and dates[0] < dates[1]:
        raise refused.RELEASE_BACK(current=current, release=release)


def check_no_block_in_use(capacity_type: str, desired: int) -> None:
    """There is no room for new nodes beside the old ones in a Capacity Block: `capacity-blocks-mng`."""
    if capacity_type == "CAPACITY_BLOCK" and desired:
        raise refused.BLOCK_IN_USE(desired=desired)


def check_sizes(sizes: dict[str, int], *, updated: bool = False) -> None:
    """Min <= desired <= max; EKS has other words for an update than for a creation."""
    low, wanted, high = sizes["minSize"], sizes["desiredSize"], sizes["maxSize"]
    if low > wanted:
        raise refused.MIN_ABOVE_DESIRED_UPDATED(low=low, wanted=wanted) if updated else refused.MIN_ABOVE_DESIRED()
    if wanted > high:
        raise refused.DESIRED_ABOVE_MAX_UPDATED(wanted=wanted, high=high) if updated else refused.DESIRED_ABOVE_MAX()


def default_ami_type(template: dict[str, Any]) -> str:
    """The AMI type where the request names none: that of the template's image, or ordinary Amazon Linux."""
    return "CUSTOM" if "ImageId" in template else "AL2023_x86_64_STANDARD"


def instance_types_of(request: dict[str, Any], template: dict[str, Any]) -> list[str]:
    """The types of the node group, the first preferred."""
    return request.get("instanceTypes") or [template.get("InstanceType", DEFAULT_TYPE)]


def types_not_offered(account: Backend, kinds: list[str]) -> list[str]:
    """Types that the region does not have: EKS takes the request, and the node group fails."""
    return [kind for kind in kinds if not account.offered_zones(kind)]


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
        raise refused.MARKET_OPTIONS()


def _check_supported(account: Backend, version: str) -> None:
    known = kubernetes_versions.every().get(version)
    end = known.end_of_extended_support if known else None
    if known is None or (end and account.state.now.date() > end):
        raise refused.UNSUPPORTED_NODE_VERSION(version=version)


def _is_of(key: str, namespaces: tuple[str, ...]) -> bool:
    namespace = key.partition("/")[0] if "/" in key else ""
    return any(namespace == each or namespace.endswith(f".{each}") for each in namespaces)


def _is_for_kubelets(key: str) -> bool:
    return key in _KUBELET_LABELS or _is_of(key, _KUBELET_NAMESPACES)


def _check_labels_and_taints(request: dict[str, Any]) -> None:
    if any(key.startswith(_RESERVED) for key in request.get("labels", {})):
        raise refused.RESERVED_LABEL(prefix=_RESERVED)
    for taint in request.get("taints", []):
        if len(taint.get("key", "")) > 63 or len(taint.get("value", "")) > 63:
            raise refused.LONG_TAINT()


def _check_template(request: dict[str, Any], template: dict[str, Any]) -> None:
    forbidden = [name for name in _NOT_IN_A_TEMPLATE if name in template]
    if any("SubnetId" in interface for interface in template.get("NetworkInterfaces", [])):
        forbidden.append("SubnetId")
    if forbidden:
        raise refused.NOT_IN_A_TEMPLATE(names=", ".join(forbidden))
    if "IamInstanceProfile" in template:
        raise refused.INSTANCE_PROFILE()
    if request.get("instanceTypes") and "InstanceType" in template:
        raise refused.TYPES_TWICE()
    if "launchTemplate" in request and "diskSize" in request:
        raise refused.DISK_SIZE()
    if "ImageId" in template:
        _check_beside_image(request)


def _check_beside_image(request: dict[str, Any]) -> None:
    """What an image of one's own leaves no room for."""
    if request.get("amiType", "CUSTOM") != "CUSTOM":
        raise refused.AMI_TYPE_AND_IMAGE()
    for key, words in (("version", "kubernetes version"), ("releaseVersion", "release version")):
        if key in request:
            raise refused.VERSION_AND_IMAGE(version_or_release=words)


def _check_offered(account: Backend, kind: str, zones: dict[str, str]) -> None:
    """Every zone of the group must have the type. One that the region does not have at all fails later."""
    offered = account.offered_zones(kind)
    missing = sorted(set(zones.values()) - offered)
    if offered and missing:
        raise refused.NOT_IN_ZONE(instance_type=kind, zone=missing[0], zones=", ".join(sorted(offered)))


def _check_image(kind: str, ami_type: str, template: dict[str, Any], version: str) -> None:
    if "ImageId" in template or ami_type == "CUSTOM":
        return
    if ami.is_amazon_linux_2(ami_type) and kubernetes_versions.at_least(version, "1.33"):
        raise refused.AMAZON_LINUX_2(ami_type=ami_type)
    found = instance_types.find(kind)
    processor = found.architecture if found else system_instance_types.architecture(kind)
    if ami.architecture(ami_type) != processor or (found and ami_type not in found.ami_types):
        raise refused.AMI_TYPE(instance_type=kind, ami_type=ami_type)


def _check_interfaces(kind: str, interfaces: list[dict[str, Any]]) -> None:
    found = instance_types.find(kind)
    efa = [each for each in interfaces if each.get("InterfaceType") in ("efa", "efa-only")]
    if not efa:
        return
    limit = found.network.max_efa_interfaces if found else 0
    if limit is not None and len(efa) > limit:
        raise refused.TOO_MANY_EFA(instance_type=kind, limit=limit, wanted=len(efa))
    places = [(each.get("NetworkCardIndex", 0), each.get("DeviceIndex", 0)) for each in interfaces]
    if len(set(places)) != len(places):
        raise refused.SAME_CARD_AND_INDEX()
    cards = [each.get("NetworkCardIndex", 0) for each in efa]
    if twice := [card for card in cards if cards.count(card) > 1]:
        raise refused.EFA_TWICE(card=twice[0], instance_type=kind)
    allowed = found.network.efa_cards if found else None
    wrong = [card for card in cards if allowed is not None and card not in allowed]
    if wrong:
        raise refused.NO_EFA(card=wrong[0], instance_type=kind)
    if any(
        place == (0, 0) and each.get("InterfaceType") == "efa-only"
        for place, each in zip(places, interfaces, strict=True)
    ):
        raise refused.EFA_ONLY_PRIMARY()


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
        raise refused.BLOCK_TEMPLATE(names=", ".join(missing))
    block = account.state.blocks.get(str(reservation))
    if block is None:
        raise refused.NO_BLOCK(reservation=reservation)
    if (state := state_of(block, account.state.now)) not in ("active", "scheduled"):
        raise refused.BLOCK_STATE(reservation=block.id, state=state)
    if block.instance_type != template["InstanceType"]:
        raise refused.BLOCK_TYPE(reservation=block.id, held=block.instance_type, wanted=template["InstanceType"])
    outside = [subnet for subnet, zone in zones.items() if zone != block.zone]
    if outside:
        raise refused.BLOCK_ZONE(reservation=block.id, zone=block.zone, subnets=", ".join(sorted(outside)))


def _zones(account: Backend, subnets: list[str]) -> dict[str, str]:
    """Zone of each subnet; refuses one that is not there."""
    try:
        found = account.moto("ec2", "describe_subnets", {"SubnetIds": subnets})["Subnets"]
    except AwsError as error:
        raise refused.SUBNETS_OF_EC2(words_of_ec2=error.message) from None
    return {subnet["SubnetId"]: subnet["AvailabilityZone"] for subnet in found}
