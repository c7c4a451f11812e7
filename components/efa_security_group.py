"""The security group of a node group with EFA."""

from typing import Any

import pulumi
import pulumi_aws as aws

from eks_accelerators.components.base import Component, named


def efa_security_group(
    component: Component[Any], name: str, vpc_id: pulumi.Input[str], tags: dict[str, str] | None
) -> aws.ec2.SecurityGroup:
    """All traffic among the nodes of the group: EFA bypasses the kernel, and its rules name no ports."""
    group = aws.ec2.SecurityGroup(
        f"{name}-efa",
        description="EFA traffic among the nodes of one group",
        vpc_id=vpc_id,
        tags=named(tags, f"{name}-efa"),
        opts=component.child(),
    )
    for direction, rule in (("in", aws.vpc.SecurityGroupIngressRule), ("out", aws.vpc.SecurityGroupEgressRule)):
        rule(
            f"{name}-efa-{direction}",
            security_group_id=group.id,
            referenced_security_group_id=group.id,
            ip_protocol="-1",
            description="All traffic to and from the group itself",
            tags=tags,
            opts=component.child(),
        )
    return group
