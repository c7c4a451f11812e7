"""Rights in AWS for the pods of a service account, by EKS Pod Identity."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import pulumi
import pulumi_aws as aws

from eks_accelerators.components.base import Component
from eks_accelerators.components.roles import pod_role

Inputs = TypeVar("Inputs")


@dataclass(frozen=True, slots=True)
class ClusterRef:
    """The cluster that a release belongs to. Names of roles begin with ``role_prefix``: who deploys a stack may make those
    of its name alone.
    """

    name: pulumi.Input[str]
    region: str
    tags: dict[str, str] = field(default_factory=dict)
    role_prefix: str = ""


@dataclass(frozen=True, slots=True)
class Wired(Generic[Inputs]):
    """What a release takes, and the cluster in which its pods have rights."""

    inputs: Inputs
    cluster: ClusterRef


def cluster_ref(args: Mapping[str, Any]) -> ClusterRef:
    """The cluster as the arguments of a component name it."""
    return ClusterRef(args["cluster_name"], args["region"], args.get("tags", {}))


def pod_identity(
    component: Component[Any],
    name: str,
    cluster: ClusterRef,
    *,
    namespace: str,
    service_account: str,
    policies: Mapping[str, pulumi.Input[Mapping[str, Any]]],
) -> list[pulumi.Resource]:
    """The role of a service account with ``policies`` by name. Pods get its credentials where all that is returned is there
    before they start.
    """
    name = f"{cluster.role_prefix}{name}"
    role, _ = pod_role(component, name, (), "", cluster.tags)
    made: list[pulumi.Resource] = [
        aws.iam.RolePolicy(
            f"{name}-{key}",
            role=role.name,
            policy=pulumi.Output.from_input(policy).apply(json.dumps),
            opts=component.child(),
        )
        for key, policy in policies.items()
    ]
    association = aws.eks.PodIdentityAssociation(
        name,
        cluster_name=cluster.name,
        namespace=namespace,
        service_account=service_account,
        role_arn=role.arn,
        tags=cluster.tags,
        opts=component.child(),
    )
    return [*made, association]
