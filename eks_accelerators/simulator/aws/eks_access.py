"""Access entries of a cluster and the policies associated with them."""

import hashlib
from typing import Any

from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.eks_records import NO_CLUSTER, cluster_of
from eks_accelerators.simulator.aws.model import ACCOUNT_ID
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.aws.refusals import ApiRefusal
from eks_accelerators.simulator.chapters import Chapter

operation = operations_of(Chapter(__doc__, source="EKS API (botocore 1.44.5)."))

POLICIES = frozenset(
    {
        "AmazonEKSAdminPolicy",
        "AmazonEKSAdminViewPolicy",
        "AmazonEKSClusterAdminPolicy",
        "AmazonEKSEditPolicy",
        "AmazonEKSViewPolicy",
    }
)
"""Access policies that people are given. Source: EKS user guide `access-policy-permissions`, read 2026-11-20."""

NO_ENTRIES_IN_MODE = ApiRefusal("InvalidRequestException", "The cluster's authentication mode must be set to API")
ENTRY_EXISTS = ApiRefusal("ResourceInUseException", "The specified access entry resource is already in use.")
NO_POLICY = ApiRefusal("ResourceNotFoundException", "The policy {policy} does not exist")
NO_NAMESPACES = ApiRefusal("InvalidParameterException", "Namespaces are needed for a scope of type namespace")
NOT_ASSOCIATED = ApiRefusal("ResourceNotFoundException", "{policy} is not associated")
NO_PRINCIPAL = ApiRefusal("ResourceNotFoundException", "The specified principalArn could not be found.")


@operation("eks", "create_access_entry", refusals=(NO_CLUSTER, NO_ENTRIES_IN_MODE, ENTRY_EXISTS))
def create_access_entry(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """An entry for one principal; needs a cluster that takes entries."""
    name, principal = parameters["clusterName"], parameters["principalArn"]
    cluster = cluster_of(account, name)
    if cluster.described["accessConfig"]["authenticationMode"] == "CONFIG_MAP":
        raise NO_ENTRIES_IN_MODE()
    if principal in cluster.access_entries:
        raise ENTRY_EXISTS()
    digest = hashlib.sha256(principal.encode()).hexdigest()[:32]
    entry = {
        "clusterName": name,
        "principalArn": principal,
        "accessEntryArn": f"arn:aws:eks:{account.state.region}:{ACCOUNT_ID}:access-entry/{name}/{digest}",
        "kubernetesGroups": parameters.get("kubernetesGroups", []),
        "type": parameters.get("type", "STANDARD"),
        "username": parameters.get("username", principal),
        "tags": parameters.get("tags", {}),
    }
    cluster.access_entries[principal] = entry
    return {"accessEntry": entry}


@operation("eks", "describe_access_entry", refusals=(NO_CLUSTER, NO_PRINCIPAL))
def describe_access_entry(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """The entry of a principal."""
    return {"accessEntry": _entry(account, parameters)}


@operation("eks", "update_access_entry", refusals=(NO_CLUSTER, NO_PRINCIPAL))
def update_access_entry(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Other groups or another name in the cluster for a principal."""
    entry = _entry(account, parameters)
    entry.update({key: parameters[key] for key in ("kubernetesGroups", "username") if key in parameters})
    return {"accessEntry": entry}


@operation("eks", "delete_access_entry", refusals=(NO_CLUSTER, NO_PRINCIPAL))
def delete_access_entry(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """The entry goes with its associations."""
    _entry(account, parameters)
    cluster = cluster_of(account, parameters["clusterName"])
    del cluster.access_entries[parameters["principalArn"]]
    cluster.policies.pop(parameters["principalArn"], None)
    return {}


@operation("eks", "associate_access_policy", refusals=(NO_CLUSTER, NO_POLICY, NO_NAMESPACES, NO_PRINCIPAL))
def associate_access_policy(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Give a principal a policy, for the cluster or for namespaces."""
    _entry(account, parameters)
    policy, scope = parameters["policyArn"], parameters["accessScope"]
    if policy.rpartition("/")[2] not in POLICIES:
        raise NO_POLICY(policy=policy)
    if scope["type"] == "namespace" and not scope.get("namespaces"):
        raise NO_NAMESPACES()
    association = {"policyArn": policy, "accessScope": {"namespaces": [], **scope}}
    associations = cluster_of(account, parameters["clusterName"]).policies
    associations.setdefault(parameters["principalArn"], {})[policy] = association
    return {"associatedAccessPolicy": association}


@operation("eks", "list_associated_access_policies", refusals=(NO_CLUSTER, NO_PRINCIPAL))
def list_associated_access_policies(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """The policies of a principal."""
    _entry(account, parameters)
    found = cluster_of(account, parameters["clusterName"]).policies.get(parameters["principalArn"], {})
    return {"associatedAccessPolicies": list(found.values())}


@operation("eks", "disassociate_access_policy", refusals=(NO_CLUSTER, NOT_ASSOCIATED, NO_PRINCIPAL))
def disassociate_access_policy(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Take a policy from a principal."""
    _entry(account, parameters)
    found = cluster_of(account, parameters["clusterName"]).policies.get(parameters["principalArn"], {})
    if found.pop(parameters["policyArn"], None) is None:
        raise NOT_ASSOCIATED(policy=parameters["policyArn"])
    return {}


def _entry(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    entries = cluster_of(account, parameters["clusterName"]).access_entries
    if parameters["principalArn"] not in entries:
        raise NO_PRINCIPAL()
    return entries[parameters["principalArn"]]
