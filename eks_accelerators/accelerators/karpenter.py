"""Karpenter on AWS: what it may do, what it is told of interruptions, and the words of its own kinds.

Source: aws/karpenter-provider-aws 1d92708 (v1.14.1): its CRDs (`pkg/apis/crds`), the policies of its getting-started
page (`cloudformation.yaml`); read 2026-11-22.
"""

from collections.abc import Mapping
from typing import Any

CAPACITY_TYPE, ZONE, INSTANCE_TYPE = (
    "karpenter.sh/capacity-type",
    "topology.kubernetes.io/zone",
    "node.kubernetes.io/instance-type",
)
ZONE_ID = "topology.k8s.aws/zone-id"

NODE_POOL_TAG = "karpenter.sh/nodepool"
"""Tag of every instance that it launches: the name of its NodePool."""

INTERRUPTIONS: Mapping[str, tuple[str, str]] = {
    "health": ("aws.health", "AWS Health Event"),
    "spot": ("aws.ec2", "EC2 Spot Instance Interruption Warning"),
    "rebalance": ("aws.ec2", "EC2 Instance Rebalance Recommendation"),
    "state": ("aws.ec2", "EC2 Instance State-change Notification"),
    "reservation": ("aws.ec2", "EC2 Capacity Reservation Instance Interruption Warning"),
}
"""Events that it wants in its queue, each with source and kind: it drains a node before AWS takes it."""

QUEUE_RETENTION_SECONDS = 300
"""A warning that is older has come true."""

SUBJECTS = ("nodes", "profiles", "cluster", "interruptions", "discovery")
"""What `policies` has a document for."""

_VERSION = "2012-10-17"
_MADE = ("fleet", "instance", "volume", "network-interface", "launch-template", "spot-instances-request")
_USED = ("security-group", "subnet", "capacity-reservation", "placement-group")


def policies(cluster: str, region: str, node_role_arn: str, queue_arn: str) -> dict[str, dict[str, Any]]:
    """What it may do, by subject: the published policies, with the account of ``node_role_arn``."""
    partition, account = node_role_arn.split(":")[1], node_role_arn.split(":")[4]
    cluster_arn = f"arn:{partition}:eks:{region}:{account}:cluster/{cluster}"
    profiles = f"arn:{partition}:iam::{account}:instance-profile/*"
    return {
        "nodes": _document(*_node_statements(cluster, f"arn:{partition}:ec2:{region}")),
        "profiles": _document(
            _statement(
                ["iam:PassRole"],
                node_role_arn,
                {"StringEquals": {"iam:PassedToService": ["ec2.amazonaws.com", "ec2.amazonaws.com.cn"]}},
            ),
            *_profile_statements(cluster, region, profiles),
        ),
        "cluster": _document(_statement(["eks:DescribeCluster"], cluster_arn)),
        "interruptions": _document(
            _statement(["sqs:DeleteMessage", "sqs:GetQueueUrl", "sqs:ReceiveMessage"], queue_arn)
        ),
        "discovery": _document(
            _statement([f"ec2:Describe{what}" for what in _LOOKED_AT], "*", _equals({"aws:RequestedRegion": region})),
            _statement(["ssm:GetParameter"], f"arn:{partition}:ssm:{region}::parameter/aws/service/*"),
            _statement(["pricing:GetProducts"], "*"),
            _statement(["iam:ListInstanceProfiles"], "*"),
            _statement(["iam:GetInstanceProfile"], profiles),
        ),
    }


_LOOKED_AT = (
    *("CapacityReservations", "Images", "Instances", "InstanceStatus", "InstanceTypeOfferings", "InstanceTypes"),
    *("LaunchTemplates", "PlacementGroups", "SecurityGroups", "SpotPriceHistory", "Subnets"),
)


def _node_statements(cluster: str, ec2: str) -> list[dict[str, Any]]:
    """Launch, tag and end what carries the tags of the cluster and of a node pool, and nothing else."""
    owned, of_cluster = f"kubernetes.io/cluster/{cluster}", {"aws:RequestTag/eks:eks-cluster-name": cluster}
    asked = {f"aws:RequestTag/{owned}": "owned", **of_cluster}
    asked_pool = {"StringLike": {f"aws:RequestTag/{NODE_POOL_TAG}": "*"}}
    tagged = {
        **_equals({f"aws:ResourceTag/{owned}": "owned"}),
        "StringLike": {f"aws:ResourceTag/{NODE_POOL_TAG}": "*"},
    }
    launch = ["ec2:RunInstances", "ec2:CreateFleet"]
    made = [f"{ec2}:*:{kind}/*" for kind in _MADE]
    creations = {"ec2:CreateAction": ["RunInstances", "CreateFleet", "CreateLaunchTemplate"]}
    retagged = {
        **tagged,
        "StringEqualsIfExists": of_cluster,
        "ForAllValues:StringEquals": {"aws:TagKeys": ["eks:eks-cluster-name", "karpenter.sh/nodeclaim", "Name"]},
    }
    return [
        _statement(launch, [f"{ec2}::image/*", f"{ec2}::snapshot/*", *(f"{ec2}:*:{kind}/*" for kind in _USED)]),
        _statement(launch, f"{ec2}:*:launch-template/*", tagged),
        _statement([*launch, "ec2:CreateLaunchTemplate"], made, {**_equals(asked), **asked_pool}),
        _statement(["ec2:CreateTags"], made, {**_equals({**asked, **creations}), **asked_pool}),
        _statement(["ec2:CreateTags"], f"{ec2}:*:instance/*", retagged),
        _statement(
            ["ec2:TerminateInstances", "ec2:DeleteLaunchTemplate"],
            [f"{ec2}:*:instance/*", f"{ec2}:*:launch-template/*"],
            tagged,
        ),
    ]


def _profile_statements(cluster: str, region: str, profiles: str) -> list[dict[str, Any]]:
    """The instance profile of each node class, which it makes itself."""
    owned, node_class = f"kubernetes.io/cluster/{cluster}", "karpenter.k8s.aws/ec2nodeclass"
    asked = {
        f"aws:RequestTag/{owned}": "owned",
        "aws:RequestTag/eks:eks-cluster-name": cluster,
        "aws:RequestTag/topology.kubernetes.io/region": region,
    }
    there = {f"aws:ResourceTag/{owned}": "owned", "aws:ResourceTag/topology.kubernetes.io/region": region}
    asked_class, of_class = ({f"aws:{whose}Tag/{node_class}": "*"} for whose in ("Request", "Resource"))
    return [
        _statement(["iam:CreateInstanceProfile"], profiles, {**_equals(asked), "StringLike": asked_class}),
        _statement(
            ["iam:TagInstanceProfile"],
            profiles,
            {**_equals({**there, **asked}), "StringLike": {**of_class, **asked_class}},
        ),
        _statement(
            ["iam:AddRoleToInstanceProfile", "iam:RemoveRoleFromInstanceProfile", "iam:DeleteInstanceProfile"],
            profiles,
            {**_equals(there), "StringLike": of_class},
        ),
    ]


def queue_policy(queue_arn: str, rule_arns: list[str]) -> dict[str, Any]:
    """The rules may send, and nobody without TLS may do anything.

    Narrower than the published one, which lets every rule of every account send.
    """
    return _document(
        {
            **_statement(["sqs:SendMessage"], queue_arn, {"ArnEquals": {"aws:SourceArn": rule_arns}}),
            "Principal": {"Service": "events.amazonaws.com"},
        },
        {
            **_statement(["sqs:*"], queue_arn, {"Bool": {"aws:SecureTransport": "false"}}),
            "Effect": "Deny",
            "Principal": "*",
        },
    )


def _document(*statements: Mapping[str, Any]) -> dict[str, Any]:
    return {"Version": _VERSION, "Statement": list(statements)}


def _statement(
    actions: list[str], resource: str | list[str], condition: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    conditions = {"Condition": dict(condition)} if condition else {}
    return {"Effect": "Allow", "Action": actions, "Resource": resource, **conditions}


def _equals(values: Mapping[str, Any]) -> dict[str, Any]:
    return {"StringEquals": dict(values)}
