"""Rights in AWS for the pods of a service account, by EKS Pod Identity."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, NotRequired, TypedDict, TypeVar

import pulumi
import pulumi_aws as aws

from eks_accelerators.components.base import Component
from eks_accelerators.components.roles import pod_role

Inputs = TypeVar("Inputs")


@dataclass(frozen=True, slots=True)
class ClusterRef:
    """The cluster that a release belongs to, and the role of its nodes. Names in AWS begin with ``role_prefix``: who deploys
    a stack may make those of its name alone.
    """

    name: pulumi.Input[str]
    region: str
    tags: dict[str, str] = field(default_factory=dict)
    role_prefix: str = ""
    node_role_arn: pulumi.Input[str] | None = None


class AccessArgs(TypedDict):
    """Whose pods have a right, and in which cluster."""

    cluster_name: pulumi.Input[str]
    """Name of the cluster."""
    namespace: NotRequired[str]
    """Namespace of the service account."""
    service_account: NotRequired[str]
    """Name of the service account."""
    tags: NotRequired[dict[str, str]]
    """Tags on every resource."""


@dataclass(frozen=True, slots=True)
class Wired(Generic[Inputs]):
    """What a release takes, and the cluster in which its pods have rights."""

    inputs: Inputs
    cluster: ClusterRef


def cluster_ref(args: Mapping[str, Any]) -> ClusterRef:
    """The cluster as the arguments of a component name it."""
    return ClusterRef(
        args["cluster_name"], args["region"], args.get("tags", {}), node_role_arn=args.get("node_role_arn")
    )


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
    made = [_policy(component, f"{name}-{key}", role, policy) for key, policy in policies.items()]
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


def single_right(
    component: Component[Any],
    name: str,
    args: AccessArgs,
    *,
    account: tuple[str, str],
    right: tuple[str, pulumi.Input[str]],
) -> pulumi.Output[str]:
    """The ARN of a role that may do one thing: the action on the resource of ``right``. It is that of the service account
    that ``args`` name, else of ``account``: namespace and name.
    """
    namespace, service_account = account
    tags = args.get("tags")
    role, _ = pod_role(component, name, (), "", tags)
    policy = _policy(
        component, name, role, pulumi.Output.from_input(right[1]).apply(lambda arn: _allowed(right[0], arn))
    )
    aws.eks.PodIdentityAssociation(
        name,
        cluster_name=args["cluster_name"],
        namespace=args.get("namespace", namespace),
        service_account=args.get("service_account", service_account),
        role_arn=role.arn,
        tags=tags,
        opts=component.child(depends_on=[policy]),
    )
    return role.arn


def _policy(
    component: Component[Any], name: str, role: aws.iam.Role, policy: pulumi.Input[Mapping[str, Any]]
) -> aws.iam.RolePolicy:
    written = pulumi.Output.from_input(policy).apply(json.dumps)
    return aws.iam.RolePolicy(name, role=role.name, policy=written, opts=component.child())


def _allowed(action: str, arn: str) -> dict[str, Any]:
    return {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": [action], "Resource": [arn]}]}
