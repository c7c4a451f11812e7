"""A cluster that is there before the first deployment, for programs that bring their own nodes to one."""

import json
from typing import Any

from eks_accelerators.simulator.aws.account import Account
from eks_accelerators.simulator.aws.world import ExistingCluster

_ADDONS = ("vpc-cni", "kube-proxy", "eks-pod-identity-agent", "coredns")
_POLICIES = ("AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryPullOnly", "AmazonEKS_CNI_Policy")


def make_cluster(aws: Account, wanted: ExistingCluster) -> None:
    """VPC with a public and a private subnet in each zone, control plane, add-ons and two system nodes."""
    vpc = aws.call("ec2", "create_vpc", CidrBlock="10.200.0.0/16")["Vpc"]["VpcId"]
    private: list[str] = []
    public: list[str] = []
    for index, zone in enumerate(wanted.zones):
        for kind, listed in (("private", private), ("public", public)):
            block = f"10.200.{32 * index + (16 if kind == 'public' else 0)}.0/20"
            made = aws.call("ec2", "create_subnet", VpcId=vpc, CidrBlock=block, AvailabilityZone=zone)["Subnet"]
            listed.append(made["SubnetId"])
    for subnet in public:
        aws.call("ec2", "modify_subnet_attribute", SubnetId=subnet, MapPublicIpOnLaunch={"Value": True})
    aws.call(
        "eks",
        "create_cluster",
        name=wanted.name,
        version=wanted.kubernetes_version,
        roleArn=_role(aws, f"{wanted.name}-cluster", "eks.amazonaws.com", ("AmazonEKSClusterPolicy",)),
        resourcesVpcConfig={"subnetIds": [*private, *public]},
        accessConfig={"authenticationMode": "API"},
        bootstrapSelfManagedAddons=False,
    )
    for addon in _ADDONS:
        aws.call("eks", "create_addon", clusterName=wanted.name, addonName=addon)
    aws.call(
        "eks",
        "create_nodegroup",
        clusterName=wanted.name,
        nodegroupName="system",
        nodeRole=_role(aws, f"{wanted.name}-node", "ec2.amazonaws.com", _POLICIES),
        subnets=private,
        instanceTypes=[wanted.system_instance_type],
        amiType="AL2023_x86_64_STANDARD",
        scalingConfig={"minSize": 2, "desiredSize": 2, "maxSize": 3},
    )


def _role(aws: Account, name: str, service: str, policies: tuple[str, ...]) -> str:
    statement: dict[str, Any] = {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    arn: str = aws.call("iam", "create_role", RoleName=name, AssumeRolePolicyDocument=document)["Role"]["Arn"]
    for policy in policies:
        aws.call("iam", "attach_role_policy", RoleName=name, PolicyArn=f"arn:aws:iam::aws:policy/{policy}")
    return arn
