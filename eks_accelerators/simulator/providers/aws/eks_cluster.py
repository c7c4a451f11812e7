"""EKS clusters."""

from collections.abc import Iterator
from typing import Any

from eks_accelerators.simulator.aws.errors import AwsError
from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.providers.aws import tags
from eks_accelerators.simulator.providers.calls import Calls
from eks_accelerators.simulator.providers.kind import Created, Kind, is_gone
from eks_accelerators.simulator.providers.resource_facts import Permissions, ResourceFacts, UsualTime

CHAPTER = Chapter(
    __doc__,
    source=(
        "terraform-provider-aws `internal/service/eks/cluster.go`, read 2026-11-21: the version first, then one "
        "call for each kind of change, in this order; all log types are sent, each enabled or not."
    ),
)

_ENDPOINT = ("endpointPrivateAccess", "endpointPublicAccess", "publicAccessCidrs")
_LOG_TYPES = frozenset({"api", "audit", "authenticator", "controllerManager", "scheduler"})


class ClusterKind(Kind):
    """`aws.eks.Cluster`, whose ID is its name."""

    token = "aws:eks/cluster:Cluster"
    properties = frozenset(
        {
            "accessConfig",
            "bootstrapSelfManagedAddons",
            "deletionProtection",
            "enabledClusterLogTypes",
            "encryptionConfig",
            "name",
            "roleArn",
            "tags",
            "upgradePolicy",
            "version",
            "vpcConfig",
        }
    )
    inside = {"vpcConfig": frozenset({*_ENDPOINT, "securityGroupIds", "subnetIds"})}
    changeable = frozenset(
        {
            "accessConfig",
            "deletionProtection",
            "enabledClusterLogTypes",
            "tags",
            "upgradePolicy",
            "version",
            "vpcConfig",
        }
    )
    kept = frozenset({"accessConfig", "upgradePolicy", "version"})
    name_property = "name"
    longest_name = 100
    calls = frozenset(
        {
            "eks.create_cluster",
            "eks.delete_cluster",
            "eks.describe_cluster",
            "eks.tag_resource",
            "eks.untag_resource",
            "eks.update_cluster_config",
            "eks.update_cluster_version",
        }
    )
    facts = ResourceFacts(
        called="cluster",
        replacing=("bootstrapSelfManagedAddons", "encryptionConfig", "name", "roleArn"),
        grave={"replace": "everything in the cluster is lost", "remove": "everything in the cluster is lost"},
        scope="in-cluster",
        permissions=(
            Permissions("any", ("eks:CreateCluster", "ec2:DescribeSubnets", "ec2:DescribeVpcs")),
            Permissions("roles", ("iam:GetRole", "iam:ListAttachedRolePolicies")),
            Permissions("in-cluster", ("eks:DescribeUpdate", "eks:ListTagsForResource")),
        ),
        durations={
            "create": UsualTime(562, "clinicdesk"),
            "update": UsualTime(480, "estimate-cluster-update"),
            "delete": UsualTime(151, "clinicdesk"),
        },
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        optional = {
            "version": inputs.get("version"),
            "upgradePolicy": inputs.get("upgradePolicy"),
            "accessConfig": inputs.get("accessConfig"),
            "deletionProtection": inputs.get("deletionProtection"),
            "bootstrapSelfManagedAddons": inputs.get("bootstrapSelfManagedAddons"),
            "logging": _logging(inputs.get("enabledClusterLogTypes")),
            "encryptionConfig": [inputs["encryptionConfig"]] if "encryptionConfig" in inputs else None,
            "tags": inputs.get("tags"),
        }
        described = aws.call(
            "eks",
            "create_cluster",
            name=inputs["name"],
            roleArn=inputs["roleArn"],
            resourcesVpcConfig=_network(inputs["vpcConfig"]),
            **{key: value for key, value in optional.items() if value is not None},
        )["cluster"]
        return Created(inputs["name"], properties_of(described))

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        return properties_of(aws.call("eks", "describe_cluster", name=identifier)["cluster"])

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        if old.get("version") != new.get("version"):
            aws.call("eks", "update_cluster_version", name=identifier, version=new["version"])
        for change in _config_changes(old, new):
            aws.call("eks", "update_cluster_config", name=identifier, **change)
        arn = aws.call("eks", "describe_cluster", name=identifier)["cluster"]["arn"]
        tags.retag_by_mapping(aws, "eks", arn, old, new)
        return properties_of(aws.call("eks", "describe_cluster", name=identifier)["cluster"])

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("eks", "delete_cluster", name=identifier)


def properties_of(described: dict[str, Any]) -> dict[str, Any]:
    """A cluster of DescribeCluster as the properties of `aws.eks.Cluster`."""
    return {
        **{key: described[key] for key in _SAME},
        "certificateAuthority": described["certificateAuthority"],
        "vpcConfig": described["resourcesVpcConfig"],
        "kubernetesNetworkConfig": described["kubernetesNetworkConfig"],
        "identities": [{"oidcs": [described["identity"]["oidc"]]}],
        "enabledClusterLogTypes": [
            kind for each in described["logging"]["clusterLogging"] if each["enabled"] for kind in each["types"]
        ],
        "encryptionConfig": next(iter(described["encryptionConfig"]), None),
    }


def exists(aws: Calls, name: str) -> bool:
    """Whether the account has the cluster."""
    try:
        aws.call("eks", "describe_cluster", name=name)
    except AwsError as error:
        if is_gone(error):
            return False
        raise
    return True


_SAME = (
    "name",
    "arn",
    "version",
    "platformVersion",
    "status",
    "roleArn",
    "endpoint",
    "accessConfig",
    "upgradePolicy",
    "deletionProtection",
    "tags",
)


def _network(config: dict[str, Any]) -> dict[str, Any]:
    groups = {"securityGroupIds": config["securityGroupIds"]} if "securityGroupIds" in config else {}
    return {"subnetIds": config["subnetIds"], **groups, **_endpoint(config)}


def _endpoint(config: dict[str, Any]) -> dict[str, Any]:
    return {name: config[name] for name in _ENDPOINT if name in config}


def _logging(kinds: list[str] | None) -> dict[str, Any] | None:
    if kinds is None:
        return None
    parts = ((sorted(kinds), True), (sorted(_LOG_TYPES - set(kinds)), False))
    return {"clusterLogging": [{"types": types, "enabled": enabled} for types, enabled in parts if types]}


def _config_changes(old: dict[str, Any], new: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What UpdateClusterConfig is told, call by call."""
    if old.get("accessConfig") != new.get("accessConfig"):
        yield {"accessConfig": {"authenticationMode": new["accessConfig"]["authenticationMode"]}}
    if old.get("enabledClusterLogTypes") != new.get("enabledClusterLogTypes"):
        yield {"logging": _logging(new.get("enabledClusterLogTypes") or [])}
    if old.get("upgradePolicy") != new.get("upgradePolicy"):
        yield {"upgradePolicy": new["upgradePolicy"]}
    if old.get("deletionProtection") != new.get("deletionProtection"):
        yield {"deletionProtection": bool(new.get("deletionProtection"))}
    before, after = old["vpcConfig"], new["vpcConfig"]
    if _endpoint(before) != _endpoint(after):
        defaults = {"endpointPrivateAccess": False, "endpointPublicAccess": True}
        yield {"resourcesVpcConfig": {**defaults, **_endpoint(after)}}
    for name in ("subnetIds", "securityGroupIds"):
        if set(before.get(name) or ()) != set(after.get(name) or ()):
            yield {"resourcesVpcConfig": {name: sorted(after.get(name) or ())}}


KINDS: tuple[Kind, ...] = (ClusterKind(),)
