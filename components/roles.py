"""IAM roles with AWS managed policies attached, and nothing else."""

import json
from typing import Any

import pulumi
import pulumi_aws as aws

from eks_accelerators.components.arns import managed_policy
from eks_accelerators.components.base import Component

NODE_POLICIES = ("AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryPullOnly")
"""What a node itself needs: to join the cluster and to pull images. Pods have roles of their own."""


def trust_policy(service: str, *actions: str) -> str:
    """The policy document that lets an AWS service take a role."""
    statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": list(actions)}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def node_role(
    component: Component[Any], name: str, partition: str, tags: dict[str, str] | None
) -> tuple[aws.iam.Role, list[pulumi.Resource]]:
    """The role of nodes, and the attachments that must exist before a node starts."""
    return _role(component, name, trust_policy("ec2.amazonaws.com", "sts:AssumeRole"), NODE_POLICIES, partition, tags)


def pod_role(
    component: Component[Any], name: str, policies: tuple[str, ...], partition: str, tags: dict[str, str] | None
) -> tuple[aws.iam.Role, list[pulumi.Resource]]:
    """The role of a Kubernetes service account through EKS Pod Identity."""
    trust = trust_policy("pods.eks.amazonaws.com", "sts:AssumeRole", "sts:TagSession")
    return _role(component, name, trust, policies, partition, tags)


def _role(
    component: Component[Any],
    name: str,
    trust: str,
    policies: tuple[str, ...],
    partition: str,
    tags: dict[str, str] | None,
) -> tuple[aws.iam.Role, list[pulumi.Resource]]:
    role = aws.iam.Role(name, assume_role_policy=trust, tags=tags, opts=component.child())
    attachments: list[pulumi.Resource] = [
        aws.iam.RolePolicyAttachment(
            f"{name}-{policy.rpartition('/')[2]}",
            role=role.name,
            policy_arn=managed_policy(partition, policy),
            opts=component.child(),
        )
        for policy in policies
    ]
    return role, attachments
