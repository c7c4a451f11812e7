"""EKS clusters: the control plane, from its creation to its end.

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
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.aws.refusals import ApiRefusal
from eks_accelerators.simulator.chapters import Chapter

operation = operations_of(
    Chapter(
        __doc__,
        source=(
            "EKS API (botocore 1.44.5) and EKS user guide, read 2026-11-20. Words, each from a report of what EKS "
            "answered: both endpoints closed: rancher/rancher 28158; zones: amazon-eks-user-guide 795; node groups "
            "attached: provider-upjet-aws 912; read 2026-11-21."
        ),
    )
)

_SERVICE_CIDR = "172.20.0.0/16"

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
    subnets = subnets_called(account, network["subnetIds"])
    endpoint = endpoint_access(network, {})
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
    vpc, region = subnets[0]["VpcId"], account.state.region
    digest = hashlib.sha256(f"{region}/{name}/{account.state.now}".encode()).hexdigest().upper()
    described = {
        "name": name,
        "arn": f"arn:aws:eks:{region}:{ACCOUNT_ID}:cluster/{name}",
        "version": version,
        "platformVersion": "eks.1",
        "status": "ACTIVE",
        "roleArn": parameters["roleArn"],
        "endpoint": f"https://{digest[:32]}.gr7.{region}.eks.amazonaws.com",
        "certificateAuthority": {"data": base64.b64encode(f"simulated CA of {name}".encode()).decode()},
        "resourcesVpcConfig": {
            "subnetIds": network["subnetIds"],
            "securityGroupIds": network.get("securityGroupIds", []),
            "clusterSecurityGroupId": _security_group(account, vpc, f"eks-cluster-sg-{name}-{int(digest[:7], 16)}"),
            "vpcId": vpc,
            **endpoint,
        },
        "kubernetesNetworkConfig": {"serviceIpv4Cidr": _SERVICE_CIDR, "ipFamily": "ipv4"},
        "identity": {"oidc": {"issuer": f"https://oidc.eks.{region}.amazonaws.com/id/{digest[:32]}"}},
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


def _security_group(account: Backend, vpc: str, name: str) -> str:
    """The ID of the group that EKS makes for a control plane and its nodes."""
    description = "EKS created security group applied to ENI that is attached to EKS Control Plane master nodes"
    parameters = {"GroupName": name, "Description": description, "VpcId": vpc}
    group: str = account.moto("ec2", "create_security_group", parameters)["GroupId"]
    return group


@operation("eks", "describe_cluster", refusals=(NO_CLUSTER,))
def describe_cluster(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """The cluster of that name; a refusal where there is none."""
    return {"cluster": cluster_of(account, parameters["name"]).described}


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


def check_version(account: Backend, version: str) -> None:
    """Refuse a Kubernetes version that EKS does not offer, or no longer."""
    known = kubernetes_versions.every().get(version)
    end = known.end_of_extended_support if known else None
    if known is None or (end and account.state.now.date() > end):
        raise UNSUPPORTED_VERSION(version=version)


def subnets_called(account: Backend, identifiers: list[str]) -> list[dict[str, Any]]:
    """What EC2 says of the subnets of a cluster; refused unless they are in two zones."""
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


def endpoint_access(wanted: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """Who reaches the API; one of the two ways must stay open."""
    defaults = {"endpointPublicAccess": True, "endpointPrivateAccess": False, "publicAccessCidrs": ["0.0.0.0/0"]}
    found = {key: wanted.get(key, before.get(key, default)) for key, default in defaults.items()}
    if not (found["endpointPublicAccess"] or found["endpointPrivateAccess"]):
        raise NO_ENDPOINT()
    if not found["endpointPublicAccess"] and wanted.get("publicAccessCidrs"):
        raise RANGES_WITHOUT_PUBLIC()
    return found
