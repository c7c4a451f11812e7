"""EKS Pod Identity: roles that pods take by their service account."""

from typing import Any

from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.providers.aws import tags
from eks_accelerators.simulator.providers.calls import Calls
from eks_accelerators.simulator.providers.kind import Created, Kind
from eks_accelerators.simulator.providers.resource_facts import ONE_CALL, Permissions, ResourceFacts

CHAPTER = Chapter(
    __doc__,
    source=(
        "pulumi-aws 7.51, documentation of its resources; terraform-provider-aws "
        "`internal/service/eks/pod_identity_association.go`: its ID is that of the association; EKS API (botocore "
        "1.44.5); read 2026-11-22."
    ),
)


class PodIdentityAssociationKind(Kind):
    """`aws.eks.PodIdentityAssociation`, whose ID is EKS's own."""

    token = "aws:eks/podIdentityAssociation:PodIdentityAssociation"
    properties = frozenset({"clusterName", "namespace", "roleArn", "serviceAccount", "tags"})
    changeable = frozenset({"roleArn", "tags"})
    calls = frozenset(
        {
            "eks.create_pod_identity_association",
            "eks.delete_pod_identity_association",
            "eks.describe_pod_identity_association",
            "eks.tag_resource",
            "eks.untag_resource",
            "eks.update_pod_identity_association",
        }
    )
    facts = ResourceFacts(
        called="access",
        replacing=("clusterName", "namespace", "serviceAccount"),
        scope="in-cluster",
        permissions=(Permissions("roles", ("iam:GetRole",)),),
        durations=ONE_CALL,
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        given = {key: inputs[key] for key in self.properties if key in inputs}
        made = aws.call("eks", "create_pod_identity_association", **given)["association"]
        return Created(
            made["associationId"], {"associationArn": made["associationArn"], "associationId": made["associationId"]}
        )

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        found = aws.call("eks", "describe_pod_identity_association", **_association(identifier, state))["association"]
        return {"roleArn": found["roleArn"], "tags": found["tags"]}

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        association = _association(identifier, new)
        if old["roleArn"] != new["roleArn"]:
            aws.call("eks", "update_pod_identity_association", **association, roleArn=new["roleArn"])
        found = aws.call("eks", "describe_pod_identity_association", **association)["association"]
        tags.retag_by_mapping(aws, "eks", found["associationArn"], old, new)
        return {}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("eks", "delete_pod_identity_association", **_association(identifier, state))


def _association(identifier: str, properties: dict[str, Any]) -> dict[str, str]:
    return {"clusterName": properties["clusterName"], "associationId": identifier}


KINDS: tuple[Kind, ...] = (PodIdentityAssociationKind(),)
