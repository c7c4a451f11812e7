"""EKS clusters: the control plane, who may use it, and its managed add-ons.

moto judges what it knows (names, roles, subnets that exist); it forgets most of what it is told, so what
DescribeCluster answers is kept here.
"""

import base64
import hashlib
from contextlib import suppress
from typing import Any

from eks_accelerators.accelerators import kubernetes_versions
from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.eks_records import NO_CLUSTER, cluster_of
from eks_accelerators.simulator.aws.errors import AwsError
from eks_accelerators.simulator.aws.model import ACCOUNT_ID, ClusterRecord
from eks_accelerators.simulator.aws.node_group_checks import OLDEST_SKEW
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.aws.refusals import ApiRefusal
from eks_accelerators.simulator.chapters import Chapter

operation = operations_of(
    Chapter(
        __doc__,
        source=(
            "EKS API (botocore 1.44.5) and EKS user guide, read 2026-11-20. Words, each from a report of what EKS "
            "answered: both endpoints closed: rancher/rancher 28158; nothing to change: eksctl 4043 and aws-quickstart "
            "38; nodes too far behind: terraform-provider-aws 19478, aws-eks-best-practices 476; zones: "
            "amazon-eks-user-guide 795; node groups attached: provider-upjet-aws 912; read 2026-11-21."
        ),
    )
)

_ARNS = ("arn", "nodegroupArn", "addonArn", "accessEntryArn", "associationArn")
_SERVICE_CIDR = "172.20.0.0/16"
_RANGES = "publicAccessCidrs"
_MODES = ("CONFIG_MAP", "API_AND_CONFIG_MAP", "API")

ONE_UPDATE = ApiRefusal("InvalidParameterException", "Only one type of update is allowed per call")
VERSION_STEP = ApiRefusal(
    "InvalidParameterException", "Unsupported Kubernetes minor version update from {version} to {wanted}"
)
NODES_BEHIND = ApiRefusal(
    "InvalidParameterException",
    "Nodegroups {node_groups} must be updated to match cluster version {version} before updating cluster version",
)
PROTECTED = ApiRefusal("InvalidRequestException", "The cluster has deletion protection enabled")
HAS_NODE_GROUPS = ApiRefusal("ResourceInUseException", "Cluster has nodegroups attached")
UNSUPPORTED_VERSION = ApiRefusal("InvalidParameterException", "unsupported Kubernetes version {version}")
SUBNETS_OF_EC2 = ApiRefusal("InvalidParameterException", "{words_of_ec2}")
ONE_ZONE = ApiRefusal("InvalidParameterException", "Subnets specified must be in at least two different AZs")
ROLE_NOT_ASSUMED = ApiRefusal("InvalidParameterException", "Role with arn: {arn}, could not be assumed")
NO_ENDPOINT = ApiRefusal("InvalidParameterException", "Both private and public endpoint access cannot be false")
RANGES_WITHOUT_PUBLIC = ApiRefusal(
    "InvalidParameterException", "publicAccessCidrs can only be given with public access"
)
OTHER_VPC = ApiRefusal("InvalidParameterException", "Subnets specified must be in the VPC {vpc}")
SAME_ENDPOINT = ApiRefusal(
    "InvalidParameterException",
    "Cluster is already at the desired configuration with endpointPrivateAccess: {private} , "
    "endpointPublicAccess: {public}, and Public Endpoint Restrictions: [{ranges}]",
)
SAME_LOGGING = ApiRefusal("InvalidParameterException", "No changes needed for the logging config provided")
MODE_STEP = ApiRefusal("InvalidParameterException", "Unsupported authentication mode update from {mode} to {wanted}")
NO_RESOURCE = ApiRefusal("NotFoundException", "No resource {arn}")


@operation(
    "eks",
    "create_cluster",
    refusals=(
        UNSUPPORTED_VERSION,
        ONE_ZONE,
        SUBNETS_OF_EC2,
        NO_ENDPOINT,
        RANGES_WITHOUT_PUBLIC,
        ROLE_NOT_ASSUMED,
    ),
)
def create_cluster(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """A control plane, with the security group that EKS makes for it."""
    version = parameters.get("version", kubernetes_versions.default())
    check_version(account, version)
    network = dict(parameters["resourcesVpcConfig"])
    subnets = _subnets(account, network["subnetIds"])
    endpoint = _endpoint(network, {})
    _role(account, parameters["roleArn"])
    name = parameters["name"]
    known = ("name", "version", "roleArn", "tags")
    account.moto(
        "eks",
        "create_cluster",
        {
            **{key: parameters[key] for key in known if key in parameters},
            "resourcesVpcConfig": {"subnetIds": network["subnetIds"]},
        },
    )
    vpc = subnets[0]["VpcId"]
    digest = hashlib.sha256(f"{account.state.region}/{name}/{account.state.now}".encode()).hexdigest().upper()
    group = account.moto(
        "ec2",
        "create_security_group",
        {
            "GroupName": f"eks-cluster-sg-{name}-{int(digest[:7], 16)}",
            "Description": "EKS created security group applied to ENI that is attached to EKS Control Plane master nodes",
            "VpcId": vpc,
        },
    )["GroupId"]
    described = {
        "name": name,
        "arn": f"arn:aws:eks:{account.state.region}:{ACCOUNT_ID}:cluster/{name}",
        "version": version,
        "platformVersion": "eks.1",
        "status": "ACTIVE",
        "roleArn": parameters["roleArn"],
        "endpoint": f"https://{digest[:32]}.gr7.{account.state.region}.eks.amazonaws.com",
        "certificateAuthority": {"data": base64.b64encode(f"simulated CA of {name}".encode()).decode()},
        "resourcesVpcConfig": {
            "subnetIds": network["subnetIds"],
            "securityGroupIds": network.get("securityGroupIds", []),
            "clusterSecurityGroupId": group,
            "vpcId": vpc,
            **endpoint,
        },
        "kubernetesNetworkConfig": {"serviceIpv4Cidr": _SERVICE_CIDR, "ipFamily": "ipv4"},
        "identity": {"oidc": {"issuer": f"https://oidc.eks.{account.state.region}.amazonaws.com/id/{digest[:32]}"}},
        "logging": parameters.get("logging", {"clusterLogging": []}),
        "accessConfig": {"authenticationMode": "CONFIG_MAP", **parameters.get("accessConfig", {})},
        "upgradePolicy": parameters.get("upgradePolicy", {"supportType": "EXTENDED"}),
        "deletionProtection": parameters.get("deletionProtection", False),
        "encryptionConfig": parameters.get("encryptionConfig", []),
        "tags": parameters.get("tags", {}),
        "bootstrapSelfManagedAddons": parameters.get("bootstrapSelfManagedAddons", True),
    }
    account.state.clusters[name] = ClusterRecord(described)
    return {"cluster": described}


@operation("eks", "describe_cluster", refusals=(NO_CLUSTER,))
def describe_cluster(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """The cluster called so."""
    return {"cluster": cluster_of(account, parameters["name"]).described}


@operation(
    "eks",
    "update_cluster_config",
    refusals=(
        ONE_UPDATE,
        NO_CLUSTER,
        SAME_ENDPOINT,
        OTHER_VPC,
        NO_ENDPOINT,
        RANGES_WITHOUT_PUBLIC,
        ONE_ZONE,
        SUBNETS_OF_EC2,
        SAME_LOGGING,
        MODE_STEP,
    ),
)
def update_cluster_config(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """One kind of change in a call, as EKS demands."""
    described = cluster_of(account, parameters["name"]).described
    kinds = [key for key in parameters if key not in ("name", "clientRequestToken")]
    if len(kinds) != 1:
        raise ONE_UPDATE()
    kind, wanted = kinds[0], parameters[kinds[0]]
    if kind == "resourcesVpcConfig":
        described[kind].update(_network_change(account, wanted, described[kind]))
    elif kind == "logging":
        described[kind] = _logging(wanted, described[kind])
    elif kind == "accessConfig":
        described[kind] = {**described[kind], **_access_change(wanted, described[kind])}
    else:
        described[kind] = wanted
    return {"update": {"status": "Successful"}}


@operation(
    "eks",
    "update_cluster_version",
    refusals=(NO_CLUSTER, VERSION_STEP, NODES_BEHIND, UNSUPPORTED_VERSION),
    source="EKS user guide `update-cluster`",
)
def update_cluster_version(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """One minor version up, with nodes at most three behind."""
    cluster, wanted = cluster_of(account, parameters["name"]), parameters["version"]
    described = cluster.described
    check_version(account, wanted)
    have = [int(part) for part in described["version"].split(".")]
    want = [int(part) for part in wanted.split(".")]
    if want != [have[0], have[1] + 1]:
        raise VERSION_STEP(version=described["version"], wanted=wanted)
    behind = [
        name
        for name, group in sorted(cluster.node_groups.items())
        if want[1] - int(group.described["version"].split(".")[1]) > OLDEST_SKEW
    ]
    if behind:
        raise NODES_BEHIND(node_groups=", ".join(behind), version=described["version"])
    described["version"] = wanted
    return {"update": {"status": "Successful"}}


@operation("eks", "delete_cluster", refusals=(NO_CLUSTER, PROTECTED, HAS_NODE_GROUPS))
def delete_cluster(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Refused while it is protected or has node groups."""
    cluster = cluster_of(account, parameters["name"])
    if cluster.described["deletionProtection"]:
        raise PROTECTED()
    if cluster.node_groups:
        raise HAS_NODE_GROUPS()
    account.moto("eks", "delete_cluster", {"name": parameters["name"]})
    group = cluster.described["resourcesVpcConfig"]["clusterSecurityGroupId"]
    with suppress(AwsError):  # one that somebody still uses stays, as with EKS
        account.moto("ec2", "delete_security_group", {"GroupId": group})
    del account.state.clusters[parameters["name"]]
    return {"cluster": cluster.described}


@operation("eks", "tag_resource", refusals=(NO_RESOURCE,))
def tag_resource(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Tags on a cluster, node group, add-on, access entry or Pod Identity association."""
    _tagged(account, parameters["resourceArn"]).update(parameters["tags"])
    return {}


@operation("eks", "untag_resource", refusals=(NO_RESOURCE,))
def untag_resource(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Tags off a cluster, node group, add-on, access entry or Pod Identity association."""
    tags = _tagged(account, parameters["resourceArn"])
    for key in parameters["tagKeys"]:
        tags.pop(key, None)
    return {}


def check_version(account: Backend, version: str) -> None:
    """Refuse a Kubernetes version that EKS does not offer, or no longer."""
    known = kubernetes_versions.every().get(version)
    end = known.end_of_extended_support if known else None
    if known is None or (end and account.state.now.date() > end):
        raise UNSUPPORTED_VERSION(version=version)


def _subnets(account: Backend, identifiers: list[str]) -> list[dict[str, Any]]:
    try:
        found: list[dict[str, Any]] = account.moto("ec2", "describe_subnets", {"SubnetIds": identifiers})["Subnets"]
    except AwsError as error:
        raise SUBNETS_OF_EC2(words_of_ec2=error.message) from None
    if len({subnet["AvailabilityZone"] for subnet in found}) < 2:
        raise ONE_ZONE()
    return found


def _role(account: Backend, arn: str) -> None:
    try:
        account.moto("iam", "get_role", {"RoleName": arn.rpartition("/")[2]})
    except AwsError:
        raise ROLE_NOT_ASSUMED(arn=arn) from None


def _endpoint(wanted: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """Who reaches the API; one of the two ways must stay open."""
    defaults = {"endpointPublicAccess": True, "endpointPrivateAccess": False, "publicAccessCidrs": ["0.0.0.0/0"]}
    found = {key: wanted.get(key, before.get(key, default)) for key, default in defaults.items()}
    if not (found["endpointPublicAccess"] or found["endpointPrivateAccess"]):
        raise NO_ENDPOINT()
    if not found["endpointPublicAccess"] and wanted.get("publicAccessCidrs"):
        raise RANGES_WITHOUT_PUBLIC()
    return found


def _network_change(account: Backend, wanted: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """Who reaches the API, or other subnets or security groups; EKS refuses what is no change."""
    if "subnetIds" in wanted:
        subnets = _subnets(account, wanted["subnetIds"])
        if {subnet["VpcId"] for subnet in subnets} != {before["vpcId"]}:
            raise OTHER_VPC(vpc=before["vpcId"])
        return {"subnetIds": wanted["subnetIds"]}
    if "securityGroupIds" in wanted:
        return {"securityGroupIds": wanted["securityGroupIds"]}
    found = _endpoint(wanted, before)
    if found == {key: before[key] for key in found}:
        private, public = (str(found[f"endpoint{way}Access"]).lower() for way in ("Private", "Public"))
        raise SAME_ENDPOINT(private=private, public=public, ranges=", ".join(found[_RANGES]))
    return found


def _logging(wanted: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """The log types after a change; those that it does not name stay as they are."""
    were = _enabled(before)
    are = {**dict.fromkeys(were, True), **_switches(wanted)}
    enabled = sorted(name for name, on in are.items() if on)
    if enabled == were:
        raise SAME_LOGGING()
    return {"clusterLogging": [{"types": enabled, "enabled": True}] if enabled else []}


def _switches(logging: dict[str, Any]) -> dict[str, bool]:
    return {kind: each["enabled"] for each in logging.get("clusterLogging", []) for kind in each["types"]}


def _enabled(logging: dict[str, Any]) -> list[str]:
    return sorted(name for name, on in _switches(logging).items() if on)


def _access_change(wanted: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """The mode goes from the ConfigMap to entries, and not back. Source: EKS user guide `grant-k8s-access`."""
    have, want = (_MODES.index(each["authenticationMode"]) for each in (before, wanted))
    if want <= have:
        raise MODE_STEP(mode=_MODES[have], wanted=_MODES[want])
    return {"authenticationMode": wanted["authenticationMode"]}


def _tagged(account: Backend, arn: str) -> dict[str, str]:
    for cluster in account.state.clusters.values():
        groups = [group.described for group in cluster.node_groups.values()]
        others = (cluster.addons, cluster.access_entries, cluster.pod_identities)
        parts = [cluster.described, *groups, *(part for each in others for part in each.values())]
        for part in parts:
            if arn in (part.get(name) for name in _ARNS):
                tags: dict[str, str] = part.setdefault("tags", {})
                return tags
    raise NO_RESOURCE(arn=arn)
