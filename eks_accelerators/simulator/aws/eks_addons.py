"""Managed add-ons of a cluster."""

import hashlib
from typing import Any

from eks_accelerators.accelerators import addon_versions
from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.eks_records import NO_CLUSTER, cluster_of
from eks_accelerators.simulator.aws.errors import AwsError
from eks_accelerators.simulator.aws.model import ACCOUNT_ID, ClusterRecord
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.aws.refusals import ApiRefusal
from eks_accelerators.simulator.chapters import Chapter

operation = operations_of(
    Chapter(__doc__, source="EKS API (botocore 1.44.5) and EKS user guide `eks-add-ons`, read 2026-11-20.")
)

UNKNOWN_DEFAULT = "simulated-default"
"""Stands for the version that EKS would choose, where it is not known which."""

WITH_DEPLOYMENTS = frozenset({"coredns", "metrics-server", "aws-ebs-csi-driver"})
"""Add-ons with pods that need an untainted node."""

ADDON_EXISTS = ApiRefusal("ResourceInUseException", "Addon already exists.")
NO_ADDON = ApiRefusal("ResourceNotFoundException", "No addon: {name} found in cluster: {cluster}")
NO_ROLE = ApiRefusal("InvalidParameterException", "Role {arn} does not exist")


@operation("eks", "create_addon", refusals=(NO_CLUSTER, ADDON_EXISTS, NO_ROLE))
def create_addon(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """An add-on; the roles of its pod identities must exist."""
    cluster, name = cluster_of(account, parameters["clusterName"]), parameters["addonName"]
    if name in cluster.addons:
        raise ADDON_EXISTS()
    _check_identities(account, parameters)
    digest = hashlib.sha256(f"{parameters['clusterName']}/{name}".encode()).hexdigest()
    cluster.addons[name] = {
        "addonName": name,
        "clusterName": parameters["clusterName"],
        "addonVersion": parameters.get("addonVersion")
        or addon_versions.default(name, cluster.described["version"])
        or UNKNOWN_DEFAULT,
        "addonArn": (
            f"arn:aws:eks:{account.state.region}:{ACCOUNT_ID}:addon/{parameters['clusterName']}/{name}/"
            f"{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}"
        ),
        "configurationValues": parameters.get("configurationValues"),
        "podIdentityAssociations": parameters.get("podIdentityAssociations", []),
        "tags": parameters.get("tags", {}),
    }
    return {"addon": _described(cluster, name)}


@operation("eks", "describe_addon", refusals=(NO_CLUSTER, NO_ADDON))
def describe_addon(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """The add-on, with its status as the nodes are now."""
    return {"addon": _described(_cluster_with(account, parameters), parameters["addonName"])}


@operation("eks", "update_addon", refusals=(NO_CLUSTER, NO_ROLE, NO_ADDON))
def update_addon(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Give an add-on another version, configuration or identity, at once."""
    addon = _cluster_with(account, parameters).addons[parameters["addonName"]]
    _check_identities(account, parameters)
    for key in ("addonVersion", "configurationValues", "podIdentityAssociations"):
        if key in parameters:
            addon[key] = parameters[key]
    return {"update": {"status": "Successful"}}


@operation("eks", "delete_addon", refusals=(NO_CLUSTER, NO_ADDON))
def delete_addon(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """The add-on goes, with its pods."""
    cluster = _cluster_with(account, parameters)
    return {"addon": cluster.addons.pop(parameters["addonName"])}


def has_untainted_node(cluster: ClusterRecord) -> bool:
    """Whether a pod without tolerations has a node to run on."""
    return any(group.scaling.instances and not group.described["taints"] for group in cluster.node_groups.values())


def _described(cluster: ClusterRecord, name: str) -> dict[str, Any]:
    waits = name in WITH_DEPLOYMENTS and not has_untainted_node(cluster)
    issues = [
        {"code": "InsufficientNumberOfReplicas", "message": "The add-on is unhealthy because it has no running replica"}
    ]
    return {
        **cluster.addons[name],
        "status": "DEGRADED" if waits else "ACTIVE",
        "health": {"issues": issues if waits else []},
    }


def _cluster_with(account: Backend, parameters: dict[str, Any]) -> ClusterRecord:
    cluster, name = cluster_of(account, parameters["clusterName"]), parameters["addonName"]
    if name not in cluster.addons:
        raise NO_ADDON(name=name, cluster=parameters["clusterName"])
    return cluster


def _check_identities(account: Backend, parameters: dict[str, Any]) -> None:
    for identity in parameters.get("podIdentityAssociations", []):
        arn = identity["roleArn"]
        try:
            account.moto("iam", "get_role", {"RoleName": arn.rpartition("/")[2]})
        except AwsError:
            raise NO_ROLE(arn=arn) from None
