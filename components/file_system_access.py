"""The security group of a file system: the ports on which nodes reach it, and nothing else."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_aws as aws

from eks_accelerators.components.base import Component, named
from eks_accelerators.components.wiring import SubnetArgs


@dataclass(frozen=True, slots=True)
class NodesAround:
    """The nodes that reach a file system: their subnets, and the security group that all of them have."""

    vpc_id: pulumi.Input[str]
    subnets: Sequence[SubnetArgs]
    cluster_security_group_id: pulumi.Input[str]
    tags: dict[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Ports:
    """A range of TCP ports, or everything (`protocol` -1)."""

    first: int | None
    last: int | None
    protocol: str = "tcp"


EVERYTHING = Ports(None, None, "-1")


def subnet_of_each_zone(nodes: NodesAround) -> dict[str, pulumi.Input[str]]:
    """ID of a subnet by its zone: a file system takes one mount target in each."""
    return {subnet["zone"]: subnet["id"] for subnet in nodes.subnets}


def file_system_group(
    component: Component[Any],
    name: str,
    nodes: NodesAround,
    ports: Sequence[Ports],
    *,
    among_itself: bool = False,
    is_kept: bool = False,
) -> aws.ec2.SecurityGroup:
    """Nodes reach the file system at ``ports``; its servers each other too where ``among_itself``, and they answer.

    A group that ``is_kept`` outlives the stack, without its rules: what a file system that stays has in use cannot be deleted.
    """
    tags = nodes.tags
    group = aws.ec2.SecurityGroup(
        f"{name}-storage",
        description="Nodes reach a file system",
        vpc_id=nodes.vpc_id,
        tags=named(tags, f"{name}-storage"),
        opts=component.child(retain_on_delete=is_kept or None),
    )
    sources: dict[str, pulumi.Input[str]] = {"nodes": nodes.cluster_security_group_id}
    if among_itself:
        sources["itself"] = group.id
    for source, reached in sources.items():
        for way in ports:
            suffix = "all" if way.first is None else way.first
            aws.vpc.SecurityGroupIngressRule(
                f"{name}-from-{source}-{suffix}",
                **_rule(group, reached, way, tags),
                description=f"From {source}",
                opts=component.child(),
            )
            if among_itself:
                aws.vpc.SecurityGroupEgressRule(
                    f"{name}-to-{source}-{suffix}",
                    **_rule(group, reached, way, tags),
                    description=f"To {source}",
                    opts=component.child(),
                )
    return group


def _rule(
    group: aws.ec2.SecurityGroup, other: pulumi.Input[str], way: Ports, tags: dict[str, str] | None
) -> dict[str, Any]:
    ports = {} if way.first is None else {"from_port": way.first, "to_port": way.last}
    return {
        "security_group_id": group.id,
        "referenced_security_group_id": other,
        "ip_protocol": way.protocol,
        "tags": tags,
        **ports,
    }
