"""Pod Identity associations of a cluster: which role the pods of a service account take."""

import hashlib
from typing import Any

from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.eks_records import NO_CLUSTER, cluster_of
from eks_accelerators.simulator.aws.errors import AwsError
from eks_accelerators.simulator.aws.model import ACCOUNT_ID
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.aws.refusals import ApiRefusal
from eks_accelerators.simulator.chapters import Chapter

operation = operations_of(
    Chapter(__doc__, source="EKS API (botocore 1.44.5) and EKS user guide `pod-id-association`, read 2026-11-22.")
)

ASSOCIATED = ApiRefusal("ResourceInUseException", "Association already exists: {association}")
NO_ASSOCIATION = ApiRefusal("ResourceNotFoundException", "No association found with id: {association}")
NO_ROLE = ApiRefusal("InvalidParameterException", "Role provided in the request does not exist.")


@operation("eks", "create_pod_identity_association", refusals=(NO_CLUSTER, NO_ROLE, ASSOCIATED))
def create_pod_identity_association(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """A role for one service account, which has one at a time."""
    name, account_name = parameters["clusterName"], (parameters["namespace"], parameters["serviceAccount"])
    associations = cluster_of(account, name).pod_identities
    _check_role(account, parameters["roleArn"])
    for known in associations.values():
        if (known["namespace"], known["serviceAccount"]) == account_name:
            raise ASSOCIATED(association=known["associationId"])
    digest = hashlib.sha256(f"{name}/{account_name}/{account.state.now}".encode()).hexdigest()
    identifier = f"a-{digest[:17]}"
    association = {
        "clusterName": name,
        "namespace": account_name[0],
        "serviceAccount": account_name[1],
        "roleArn": parameters["roleArn"],
        "associationArn": f"arn:aws:eks:{account.state.region}:{ACCOUNT_ID}:podidentityassociation/{name}/{identifier}",
        "associationId": identifier,
        "tags": parameters.get("tags", {}),
    }
    associations[identifier] = association
    return {"association": association}


@operation("eks", "describe_pod_identity_association", refusals=(NO_CLUSTER, NO_ASSOCIATION))
def describe_pod_identity_association(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """The association of that ID."""
    return {"association": _found(account, parameters)}


@operation("eks", "update_pod_identity_association", refusals=(NO_CLUSTER, NO_ASSOCIATION, NO_ROLE))
def update_pod_identity_association(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Another role for the service account; everything else is fixed."""
    association = _found(account, parameters)
    if "roleArn" in parameters:
        _check_role(account, parameters["roleArn"])
        association["roleArn"] = parameters["roleArn"]
    return {"association": association}


@operation("eks", "delete_pod_identity_association", refusals=(NO_CLUSTER, NO_ASSOCIATION))
def delete_pod_identity_association(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """The pods of the service account take no role any more."""
    association = _found(account, parameters)
    del cluster_of(account, parameters["clusterName"]).pod_identities[parameters["associationId"]]
    return {"association": association}


def _found(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    associations, identifier = (
        cluster_of(account, parameters["clusterName"]).pod_identities,
        parameters["associationId"],
    )
    if identifier not in associations:
        raise NO_ASSOCIATION(association=identifier)
    return associations[identifier]


def _check_role(account: Backend, arn: str) -> None:
    try:
        account.moto("iam", "get_role", {"RoleName": arn.rpartition("/")[2]})
    except AwsError:
        raise NO_ROLE() from None
