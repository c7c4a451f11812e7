"""Every check: what it says where all is well, and what it says of an account where something is not."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from eks_accelerators.capacity.aws_calls.failure import NOT_SIMULATED
from eks_accelerators.capacity.preflight.registry import CHECKS
from tests.capacity.fakes import refusal
from tests.capacity.preflight.world import ZONES, block, one, patched, product, quota, used, versions
from tests.conftest import NOW
from tests.settings.example import RESERVED, Patch

SPOT: Patch = {"nodeGroups.gpu.capacityType": "spot"}
ON_DEMAND_RESERVATION: Patch = {"nodeGroups.gpu.capacityReservationId": "cr-0123456789abcdef1"}
EXISTING: Patch = {
    "network": {
        "existing": {
            "vpcId": "vpc-0123456789abcdef0",
            "privateSubnets": [
                {"id": "subnet-0123456789abcdefa", "zone": "us-east-2a"},
                {"id": "subnet-0123456789abcdefb", "zone": "us-east-2b"},
            ],
        }
    }
}
PURCHASE: Patch = {
    **{key: value for key, value in RESERVED.items() if "reservationId" not in key},
    "capacityBlocks.block.purchase": {
        "offeringId": "cb-0123456789abcdef0",
        "instanceType": "p5.48xlarge",
        "instanceCount": 2,
        "durationHours": 48,
        "start": "2026-12-01T11:30:00Z",
        "maxUpfrontFeeUsd": 9000,
        "confirmation": "Buy cb-0123456789abcdef0 for at most 9000 USD; I know it cannot be cancelled or refunded.",
    },
}
RESERVATIONS = "ec2.describe_capacity_reservations"
DENIED = refusal("UnauthorizedOperation", status=403)


def on_resources(*decisions, missing=()):
    """What IAM decides of one action on several resources."""
    results = [
        {"EvalResourceName": f"arn:{number}", "EvalResourceDecision": decision, "MissingContextValues": list(missing)}
        for number, decision in enumerate(decisions)
    ]
    evaluation = {
        "EvalActionName": "eks:CreateAddon",
        "EvalDecision": "implicitDeny",
        "ResourceSpecificResults": results,
    }
    return {"EvaluationResults": [evaluation]}


def reserved(*found):
    return {RESERVATIONS: {"CapacityReservations": list(found)}}


def odcr(**other):
    return block(
        CapacityReservationId="cr-0123456789abcdef1",
        ReservationType="default",
        InstanceType="g6.2xlarge",
        State="active",
        TotalInstanceCount=2,
        AvailableInstanceCount=1,
        Tags=[],
        **other,
    )


FOLLOWED: Patch = {
    **RESERVED,
    "nodeGroups.gpu.nextCapacityBlocks": ["next"],
    "capacityBlocks.next.reservationId": "cr-0fedcba9876543210",
}


def following(**other):
    """The block that follows the other."""
    begin = NOW + timedelta(days=4)
    return block(
        **{
            "CapacityReservationId": "cr-0fedcba9876543210",
            "StartDate": begin,
            "EndDate": begin + timedelta(days=2),
            **other,
        }
    )


def subnet(letter="a", free=4000, **other):
    return {
        "SubnetId": f"subnet-0123456789abcdef{letter}",
        "VpcId": "vpc-0123456789abcdef0",
        "AvailabilityZone": f"us-east-2{letter}",
        "AvailabilityZoneId": ZONES[f"us-east-2{letter}"],
        "AvailableIpAddressCount": free,
        **other,
    }


def subnets(*found):
    return {"ec2.describe_subnets": {"Subnets": list(found)}}


def routes(*listed, endpoints=()):
    table = {"RouteTableId": "rtb-1", "Associations": [{"Main": True}], "Routes": list(listed)}
    return {
        "ec2.describe_route_tables": {"RouteTables": [table]},
        "ec2.describe_vpc_endpoints": {"VpcEndpoints": list(endpoints)},
    }


def endpoint(service, **other):
    return {
        "ServiceName": f"com.amazonaws.us-east-2.{service}",
        "State": "available",
        "PrivateDnsEnabled": True,
        **other,
    }


ENDPOINTS_OF_NODES = [
    *(endpoint(each) for each in ("ec2", "ecr.api", "ecr.dkr", "eks", "eks-auth", "sts", "logs")),
    endpoint("s3", PrivateDnsEnabled=False, VpcEndpointType="Gateway", RouteTableIds=["rtb-1"]),
]
OF_NODES = routes(endpoints=ENDPOINTS_OF_NODES)
ALERTS: Patch = {
    "monitoring.prometheus": "stack",
    "monitoring.alerts.enabled": True,
    "monitoring.alerts.receiver": {"sns": {"topicArn": "arn:aws:sns:us-east-2:111122223333:gpu-alerts"}},
}
SLACK = {"slack": {"channel": "#gpus", "webhook": {"configSecret": "slackWebhook"}}}
SCALED: Patch = {"nodeGroups.gpu.autoscaler": "clusterAutoscaler"}


def dns(support=True, host_names=True):
    def reply(parameters):
        if parameters["Attribute"] == "enableDnsSupport":
            return {"EnableDnsSupport": {"Value": support}}
        return {"EnableDnsHostnames": {"Value": host_names}}

    return {"ec2.describe_vpc_attribute": reply}


def in_zones(*zone_ids):
    def reply(parameters):
        types = parameters["Filters"][0]["Values"]
        return {
            "InstanceTypeOfferings": [
                {"InstanceType": kind, "Location": zone}
                for kind in types
                for zone in (zone_ids if kind.startswith("g6") else ZONES.values())
            ]
        }

    return {"ec2.describe_instance_type_offerings": reply}


def newest(release):
    def reply(parameters):
        if release is None:
            return {"Parameters": [], "InvalidParameters": parameters["Names"]}
        return {"Parameters": [{"Name": name, "Value": release} for name in parameters["Names"]]}

    return {"ssm.get_parameters": reply}


DEFAULT_QUOTA = {
    "service-quotas.get_service_quota": refusal("NoSuchResourceException"),
    "service-quotas.get_aws_default_service_quota": {"Quota": {"Value": 0.0}},
}
PENDING = {
    "service-quotas.get_service_quota": quota(8),
    "service-quotas.list_requested_service_quota_change_history_by_quota": {
        "RequestedQuotas": [{"DesiredValue": 64.0, "Status": "CASE_OPENED"}]
    },
}
OWN_NODE = {
    "ec2.describe_instances": {"Reservations": [{"Instances": [{"InstanceType": "g6.2xlarge"}]}]},
    "cloudwatch.get_metric_data": used(40),
    "service-quotas.get_service_quota": quota(80),
}


@dataclass
class Case:
    """What a check finds, as `status path: text`, where the account answers ``replies``."""

    code: str
    expected: list[str]
    replies: dict[str, Any] = field(default_factory=dict)
    patch: Patch = field(default_factory=dict)


CASES = [
    Case("caller-identity", ["ok aws:region: you are arn:aws:sts::111122223333:assumed-role/deployer/me"]),
    Case(
        "caller-identity",
        ["unknown aws:region: sts:GetCallerIdentity: ExpiredToken: sign in again"],
        {"sts.get_caller_identity": refusal("ExpiredToken")},
    ),
    Case("region-enabled", ["ok aws:region: us-east-2 is enabled (opt-in-not-required)"]),
    Case(
        "region-enabled",
        ["problem aws:region: us-east-2 is not enabled in this account"],
        {"ec2.describe_regions": {"Regions": [{"RegionName": "us-east-2", "OptInStatus": "not-opted-in"}]}},
    ),
    Case(
        "region-enabled",
        ["problem aws:region: there is no region us-east-2"],
        {"ec2.describe_regions": refusal("InvalidParameterValue")},
    ),
    Case(
        "region-enabled",
        ["unknown aws:region: ec2:DescribeRegions: the caller may not ask this"],
        {"ec2.describe_regions": DENIED},
    ),
    Case(
        "zone-exists",
        ["ok network.create.zones: us-east-2a is use2-az1", "ok network.create.zones: us-east-2b is use2-az2"],
    ),
    Case(
        "zone-exists",
        [
            "warning network.create.zones: us-east-2a (use2-az1) is impaired",
            "problem network.create.zones: this account has no zone us-east-2b",
        ],
        {
            "ec2.describe_availability_zones": {
                "AvailabilityZones": [{"ZoneName": "us-east-2a", "ZoneId": "use2-az1", "State": "impaired"}]
            }
        },
    ),
    Case(
        "kubernetes-version-available",
        ["ok cluster.kubernetesVersion: 1.35: standard support until 2027-12-25, extended support until 2029-01-28"],
    ),
    Case(
        "kubernetes-version-available",
        ["problem cluster.kubernetesVersion: EKS does not offer 1.35"],
        {"eks.describe_cluster_versions": versions(v136="STANDARD_SUPPORT", v135="UNSUPPORTED")},
    ),
    Case(
        "kubernetes-version-available",
        ["warning cluster.kubernetesVersion: 1.35 is in extended support"],
        {"eks.describe_cluster_versions": versions(v136="STANDARD_SUPPORT", v135="EXTENDED_SUPPORT")},
    ),
    Case(
        "kubernetes-version-available",
        ["warning cluster.kubernetesVersion: 1.35 leaves standard support within two months"],
        {
            "eks.describe_cluster_versions": {
                "clusterVersions": [
                    {
                        "clusterVersion": "1.35",
                        "versionStatus": "STANDARD_SUPPORT",
                        "endOfStandardSupportDate": NOW + timedelta(days=59),
                    }
                ]
            }
        },
    ),
    Case(
        "instance-type-offered",
        [
            "ok systemNodeGroup.instanceTypes[0]: m7i.large is in us-east-2a (use2-az1)",
            "ok nodeGroups.gpu.instanceType: g6.2xlarge is in us-east-2a (use2-az1)",
        ],
    ),
    Case(
        "instance-type-offered",
        [
            "ok systemNodeGroup",
            "warning nodeGroups.gpu.zones: g6.2xlarge is not in us-east-2b, only in us-east-2a (use2-az1)",
        ],
        in_zones("use2-az1"),
    ),
    Case(
        "instance-type-offered",
        [
            "ok systemNodeGroup",
            "problem nodeGroups.gpu.zones: g6.2xlarge is in none of us-east-2a, us-east-2b; in us-east-2 it is in us-east-2c",
        ],
        in_zones("use2-az3"),
    ),
    Case(
        "instance-type-offered",
        ["ok systemNodeGroup", "problem nodeGroups.gpu.instanceType: g6.2xlarge is not offered in us-east-2"],
        in_zones(),
    ),
    Case(
        "ami-release-newest",
        [
            "ok systemNodeGroup: AL2023_x86_64_STANDARD: newest release 1.35.2-20261101",
            "ok nodeGroups.gpu.ami: AL2023_x86_64_NVIDIA: newest release 1.35.2-20261101",
        ],
    ),
    Case(
        "ami-release-newest",
        [
            "problem systemNodeGroup: the newest AL2023_x86_64_STANDARD release, 1.35.1-20261003, is known to be bad",
            "problem nodeGroups.gpu.ami: the newest AL2023_x86_64_NVIDIA release, 1.35.1-20261003, is known to be bad",
        ],
        newest("1.35.1-20261003"),
    ),
    Case(
        "ami-release-newest",
        [
            "problem systemNodeGroup: AWS publishes no AL2023_x86_64_STANDARD image for Kubernetes 1.35 in us-east-2",
            "problem nodeGroups.gpu.ami: AWS publishes no AL2023_x86_64_NVIDIA image for Kubernetes 1.35 in us-east-2",
        ],
        newest(None),
    ),
    Case("ami-release-exists", []),
    Case(
        "ami-release-exists",
        ["ok nodeGroups.gpu.ami.releaseVersion: 1.35.1-20261012 is there"],
        {
            "ec2.describe_images": {
                "Images": [{"ImageId": "ami-1", "Name": "amazon-eks-node-al2023-x86_64-nvidia-580-1.35-v20261012"}]
            }
        },
        {"nodeGroups.gpu.ami.releaseVersion": "1.35.1-20261012"},
    ),
    Case(
        "ami-release-exists",
        ["problem nodeGroups.gpu.ami.releaseVersion: there is no image of release 1.35.1-20261012"],
        {
            "ec2.describe_images": {
                "Images": [{"ImageId": "ami-1", "Name": "amazon-eks-node-al2023-x86_64-nvidia-1.34-v20261012"}]
            }
        },
        {"nodeGroups.gpu.ami.releaseVersion": "1.35.1-20261012"},
    ),
    Case("ami-custom-exists", []),
    *[
        Case(
            "ami-custom-exists",
            [expected],
            {"ec2.describe_images": {"Images": found}},
            {"nodeGroups.gpu.ami.imageId": "ami-0123456789abcdef0"},
        )
        for found, expected in [
            (
                [],
                "problem nodeGroups.gpu.ami.imageId: ami-0123456789abcdef0 is not there for this account in us-east-2",
            ),
            (
                [{"ImageId": "ami-0123456789abcdef0", "State": "pending"}],
                "warning nodeGroups.gpu.ami.imageId: ami-0123456789abcdef0 is pending",
            ),
            (
                [{"ImageId": "ami-0123456789abcdef0", "Architecture": "arm64"}],
                "problem nodeGroups.gpu.ami.imageId: ami-0123456789abcdef0 is for arm64, not x86_64",
            ),
            (
                [{"ImageId": "ami-0123456789abcdef0", "Architecture": "x86_64"}],
                "ok nodeGroups.gpu.ami.imageId: ami-0123456789abcdef0 is available",
            ),
        ]
    ],
    Case(
        "quota-on-demand",
        [
            "ok systemNodeGroup.size.max: Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances (L-1216C47A) "
            "allows 10000 vCPUs, 0 used by others; 3 + 4 while updating x m7i.large (2 vCPUs) need 14",
            "ok nodeGroups.gpu.size.max: Running On-Demand G and VT instances (L-DB2E81BA) allows 10000 vCPUs, "
            "0 used by others; 2 + 4 while updating x g6.2xlarge (8 vCPUs) need 48",
        ],
    ),
    Case(
        "quota-on-demand",
        [
            "ok systemNodeGroup",
            "problem nodeGroups.gpu.size.max: Running On-Demand G and VT instances (L-DB2E81BA) allows 47",
        ],
        {"service-quotas.get_service_quota": quota(47)},
    ),
    Case(
        "quota-on-demand",
        ["ok systemNodeGroup", "ok nodeGroups.gpu.size.max"],
        {"service-quotas.get_service_quota": quota(48)},
    ),
    Case(
        "quota-on-demand",
        [
            "problem systemNodeGroup",
            "problem nodeGroups.gpu.size.max: Running On-Demand G and VT instances (L-DB2E81BA) allows 50 vCPUs, 40",
        ],
        {"service-quotas.get_service_quota": quota(50), "cloudwatch.get_metric_data": used(40)},
    ),
    # 40 of 80 are used, 8 of those by a node of this stack.
    Case(
        "quota-on-demand",
        [
            "ok systemNodeGroup",
            "ok nodeGroups.gpu.size.max: Running On-Demand G and VT instances (L-DB2E81BA) allows 80 vCPUs, 32",
        ],
        OWN_NODE,
    ),
    Case(
        "quota-on-demand",
        [
            "problem systemNodeGroup.size.max: Running On-Demand Standard",
            "problem nodeGroups.gpu.size.max: Running On-Demand G and VT instances (L-DB2E81BA) allows 0 vCPUs",
        ],
        DEFAULT_QUOTA,
    ),
    Case(
        "quota-on-demand",
        [
            "problem systemNodeGroup",
            "problem nodeGroups.gpu.size.max: Running On-Demand G and VT instances (L-DB2E81BA) allows 8 vCPUs, 0 used by others; 2 + 4 while updating x g6.2xlarge (8 vCPUs) need 48; an increase to 64 was asked for and is case_opened",
        ],
        PENDING,
    ),
    Case(
        "quota-on-demand",
        [
            "unknown systemNodeGroup.size.max: servicequotas:GetServiceQuota: the caller may not ask this",
            "unknown nodeGroups.gpu.size.max",
        ],
        {"service-quotas.get_service_quota": refusal("AccessDeniedException")},
    ),
    Case(
        "quota-on-demand",
        [
            "unknown systemNodeGroup.size.max: Running On-Demand Standard",
            "unknown nodeGroups.gpu.size.max: Running On-Demand G and VT instances (L-DB2E81BA) allows 10000 vCPUs, and how many are used is not known",
        ],
        {"cloudwatch.get_metric_data": refusal("AccessDenied")},
    ),
    Case(
        "quota-on-demand",
        [
            "unknown systemNodeGroup.size.max",
            "problem nodeGroups.gpu.size.max: Running On-Demand G and VT instances (L-DB2E81BA) allows 20 vCPUs; 2 + 4",
        ],
        {"cloudwatch.get_metric_data": refusal("AccessDenied"), "service-quotas.get_service_quota": quota(20)},
    ),
    Case(
        "quota-on-demand",
        [
            "unknown systemNodeGroup.size.max: the vCPUs of this instance type are not known here",
            "ok nodeGroups.gpu.size.max",
        ],
        {},
        {"systemNodeGroup.instanceTypes": ["m1.small"]},
    ),
    Case("quota-spot", []),
    Case("quota-spot", ["ok nodeGroups.gpu.size.max: All G and VT Spot Instance Requests (L-3819A6DF)"], {}, SPOT),
    Case(
        "quota-spot",
        ["problem nodeGroups.gpu.size.max: All G and VT Spot"],
        {"service-quotas.get_service_quota": quota(1)},
        SPOT,
    ),
    Case(
        "quota-spot",
        ["unknown nodeGroups.gpu.capacityType: no source gives the code of the Spot quota of p6-b200"],
        {},
        {**SPOT, "nodeGroups.gpu.instanceType": "p6-b200.48xlarge", "workloads": {}},
    ),
    Case("quota-capacity-blocks", [], {}, RESERVED),
    Case(
        "quota-capacity-blocks",
        [
            "ok capacityBlocks.block.purchase: Concurrent P5 Capacity Blocks per account (L-DA6814F2) allows 384 vCPUs, 0 used by others; 2 x p5.48xlarge need 384"
        ],
        {"service-quotas.get_service_quota": quota(384), **reserved(block(EndDate=NOW + timedelta(days=3)))},
        PURCHASE,
    ),
    Case(
        "quota-capacity-blocks",
        [
            "problem capacityBlocks.block.purchase: Concurrent P5 Capacity Blocks per account (L-DA6814F2) allows 384 vCPUs, 768 used"
        ],
        {"service-quotas.get_service_quota": quota(384), **reserved(block(EndDate=NOW + timedelta(days=14)))},
        PURCHASE,
    ),
    Case(
        "addon-version-available",
        [
            f"ok cluster.addonVersions.{name}: v1.2.3-eksbuild.1 by default"
            for name in (
                "eks-pod-identity-agent",
                "vpc-cni",
                "kube-proxy",
                "coredns",
                "aws-ebs-csi-driver",
                "eks-node-monitoring-agent",
                "metrics-server",
            )
        ],
    ),
    Case(
        "addon-version-available",
        [
            "ok ",
            "problem cluster.addonVersions.vpc-cni: v1.0.0-eksbuild.1 does not run on Kubernetes 1.35",
            *["ok "] * 5,
        ],
        {"eks.describe_addon_configuration": {"addonName": "vpc-cni", "addonVersion": "v1.0.0-eksbuild.1"}},
        {"cluster.addonVersions": {"vpc-cni": "v1.0.0-eksbuild.1"}},
    ),
    *[
        Case(
            "addon-version-available",
            ["ok ", expected, *["ok "] * 5],
            {"eks.describe_addon_configuration": refusal(code, status=status)},
            {"cluster.addonVersions": {"vpc-cni": "v1.0.0-eksbuild.1"}},
        )
        for code, status, expected in [
            (
                "InvalidParameterException",
                400,
                "problem cluster.addonVersions.vpc-cni: there is no version v1.0.0-eksbuild.1 of it",
            ),
            (
                "AccessDeniedException",
                403,
                "problem cluster.addonVersions.vpc-cni: v1.0.0-eksbuild.1 does not run on Kubernetes 1.35",
            ),
            (
                NOT_SIMULATED,
                400,
                "unknown cluster.addonVersions.vpc-cni: eks:DescribeAddonConfiguration is not simulated",
            ),
        ]
    ],
    # Versions for other Kubernetes versions are no versions for this one, whether or not AWS leaves them out.
    Case(
        "addon-version-available",
        ["problem cluster.addonVersions.eks-pod-identity-agent: no version of it runs on", *["problem "] * 6],
        {
            "eks.describe_addon_versions": {
                "addons": [
                    {
                        "addonName": "any",
                        "addonVersions": [
                            {
                                "addonVersion": "v1.2.3-eksbuild.1",
                                "compatibilities": [{"clusterVersion": "1.34", "defaultVersion": True}],
                            }
                        ],
                    }
                ]
            }
        },
    ),
    Case(
        "addon-version-available",
        [
            "problem cluster.addonVersions.eks-pod-identity-agent: no version of it runs on Kubernetes 1.35",
            *["problem "] * 6,
        ],
        {"eks.describe_addon_versions": {"addons": []}},
    ),
    Case("existing-subnets", []),
    Case(
        "existing-subnets",
        ["ok network.existing.privateSubnets[0]: subnet-0123456789abcdefa is in us-east-2a (use2-az1)", "ok "],
        subnets(subnet("a"), subnet("b")),
        EXISTING,
    ),
    Case(
        "existing-subnets",
        [
            "problem network.existing.privateSubnets[0].zone: subnet-0123456789abcdefa is in us-east-2c (use2-az3), not in us-east-2a",
            "problem network.existing.privateSubnets[1]: there is no subnet subnet-0123456789abcdefb in us-east-2",
        ],
        subnets(subnet("a", AvailabilityZone="us-east-2c", AvailabilityZoneId="use2-az3")),
        EXISTING,
    ),
    Case(
        "existing-subnets",
        [
            "problem network.existing.privateSubnets[0]: subnet-0123456789abcdefa is in vpc-9, not in vpc-0123456789abcdef0",
            "ok ",
        ],
        subnets(subnet("a", VpcId="vpc-9"), subnet("b")),
        EXISTING,
    ),
    Case(
        "existing-subnet-addresses",
        [
            "ok network.existing.privateSubnets[0]: subnet-0123456789abcdefa has 4000 free addresses",
            "ok network.existing.privateSubnets[1]",
        ],
        subnets(subnet("a"), subnet("b")),
        EXISTING,
    ),
    Case(
        "existing-subnet-addresses",
        [
            "warning network.existing.privateSubnets[0]: subnet-0123456789abcdefa has 20 free",
            "problem network.existing.privateSubnets[1]",
        ],
        subnets(subnet("a", free=20), subnet("b", free=8)),
        EXISTING,
    ),
    Case(
        "existing-routes",
        ["ok network.existing.privateSubnets[0]: subnet-0123456789abcdefa has a default route (rtb-1)", "ok "],
        routes({"DestinationCidrBlock": "0.0.0.0/0", "NatGatewayId": "nat-1", "State": "active"}),
        EXISTING,
    ),
    Case(
        "existing-routes",
        [
            "problem network.existing.privateSubnets[0]: the default route of subnet-0123456789abcdefa leads nowhere (rtb-1)",
            "problem ",
        ],
        routes({"DestinationCidrBlock": "0.0.0.0/0", "NatGatewayId": "nat-1", "State": "blackhole"}),
        EXISTING,
    ),
    Case(
        "existing-routes",
        [
            "problem network.existing.privateSubnets[0]: the default route of subnet-0123456789abcdefa is an internet gateway",
            "problem ",
        ],
        routes({"DestinationCidrBlock": "0.0.0.0/0", "GatewayId": "igw-1", "State": "active"}),
        EXISTING,
    ),
    Case(
        "existing-routes",
        [
            "problem network.existing.privateSubnets[0]: subnet-0123456789abcdefa has no default route, and no endpoint of ec2, ",
            "problem ",
        ],
        routes({"DestinationCidrBlock": "10.0.0.0/16", "GatewayId": "local", "State": "active"}),
        EXISTING,
    ),
    Case(
        "existing-routes",
        [
            "ok network.existing.privateSubnets[0]: subnet-0123456789abcdefa reaches what the stack asks through endpoints",
            "ok ",
        ],
        OF_NODES,
        EXISTING,
    ),
    Case(
        "existing-routes",
        [
            "problem network.existing.privateSubnets[0]: subnet-0123456789abcdefa has no default route, and no endpoint of ec2, s3",
            "problem ",
        ],
        routes(
            endpoints=[
                endpoint("ec2", PrivateDnsEnabled=False),
                *(endpoint(each) for each in ("ecr.api", "ecr.dkr", "eks", "eks-auth", "sts", "logs")),
                endpoint("s3", PrivateDnsEnabled=False, VpcEndpointType="Gateway", RouteTableIds=["rtb-2"]),
            ]
        ),
        EXISTING,
    ),
    Case(
        "existing-routes",
        [
            "problem network.existing.privateSubnets[0]: subnet-0123456789abcdefa has no default route, and no endpoint of sns for "
            "Alertmanager; autoscaling for Cluster Autoscaler",
            "problem ",
        ],
        OF_NODES,
        {**EXISTING, **ALERTS, **SCALED},
    ),
    Case(
        "existing-routes",
        [
            "problem network.existing.privateSubnets[0]: subnet-0123456789abcdefa has no default route, and no endpoint of Slack",
            "problem ",
        ],
        OF_NODES,
        {**EXISTING, **ALERTS, "monitoring.alerts.receiver": SLACK},
    ),
    Case(
        "existing-routes",
        ["ok network.existing.privateSubnets[0]: subnet-0123456789abcdefa reaches what the stack asks", "ok "],
        routes(endpoints=[*ENDPOINTS_OF_NODES, endpoint("sns"), endpoint("autoscaling")]),
        {**EXISTING, **ALERTS, **SCALED},
    ),
    Case(
        "existing-vpc-dns",
        ["ok network.existing.vpcId: enableDnsSupport is on", "ok network.existing.vpcId"],
        dns(),
        EXISTING,
    ),
    Case(
        "existing-vpc-dns",
        ["ok ", "problem network.existing.vpcId: enableDnsHostnames is off"],
        dns(host_names=False),
        EXISTING,
    ),
    Case(
        "existing-vpc-dns",
        ["problem network.existing.vpcId: there is no VPC vpc-0123456789abcdef0 in us-east-2"],
        {"ec2.describe_vpc_attribute": refusal("InvalidVpcID.NotFound")},
        EXISTING,
    ),
    *[
        Case(
            "existing-security-groups",
            [expected],
            {"ec2.describe_security_groups": {"SecurityGroups": found}},
            {**EXISTING, "nodeGroups.gpu.securityGroupIds": ["sg-0123456789abcdef0"]},
        )
        for found, expected in [
            ([], "problem nodeGroups.gpu.securityGroupIds[0]: there is no security group sg-0123456789abcdef0"),
            (
                [{"GroupId": "sg-0123456789abcdef0", "VpcId": "vpc-9"}],
                "problem nodeGroups.gpu.securityGroupIds[0]: sg-0123456789abcdef0 is in vpc-9, not in vpc-0123456789abcdef0",
            ),
            (
                [{"GroupId": "sg-0123456789abcdef0", "VpcId": "vpc-0123456789abcdef0"}],
                "ok nodeGroups.gpu.securityGroupIds[0]: sg-0123456789abcdef0 is in vpc-0123456789abcdef0",
            ),
        ]
    ],
    Case("capacity-block-reservation", []),
    *[
        Case("capacity-block-reservation", [expected], reserved(found), RESERVED)
        for found, expected in [
            (
                block(),
                "ok capacityBlocks.block.reservationId: cr-0123456789abcdef0 is scheduled: 4 x p5.48xlarge in us-east-2a (use2-az1)",
            ),
            (block(State="expired"), "problem capacityBlocks.block.reservationId: cr-0123456789abcdef0 is expired"),
            (
                block(State="payment-pending"),
                "problem capacityBlocks.block.reservationId: cr-0123456789abcdef0 is payment-pending",
            ),
            (
                block(ReservationType="default"),
                "problem capacityBlocks.block.reservationId: cr-0123456789abcdef0 is an on-demand reservation",
            ),
            (
                block(InstanceType="p5en.48xlarge"),
                "problem capacityBlocks.block.reservationId: cr-0123456789abcdef0 holds p5en.48xlarge",
            ),
            (
                block(AvailabilityZone="us-east-2c", AvailabilityZoneId="use2-az3"),
                "problem capacityBlocks.block.reservationId: cr-0123456789abcdef0 is in us-east-2c (use2-az3)",
            ),
            (
                block(Tags=[{"Key": "aws:ec2capacityreservation:incrementalRequestedQuantity", "Value": "1"}]),
                "problem capacityBlocks.block.reservationId: size.max 2 exceeds the 1 instance",
            ),
            (
                block(State="active", EndDate=NOW + timedelta(minutes=39)),
                "problem capacityBlocks.block.reservationId: cr-0123456789abcdef0 ends 2026-11-20 12:39 UTC and EKS drains it",
            ),
            (
                block(CapacityReservationId="cr-other"),
                "problem capacityBlocks.block.reservationId: this account has no Capacity Block cr-0123456789abcdef0 in us-east-2",
            ),
        ]
    ],
    Case(
        "capacity-block-reservation",
        ["unknown capacityBlocks: ec2:DescribeCapacityReservations: the caller may not ask this"],
        {RESERVATIONS: DENIED},
        RESERVED,
    ),
    Case(
        "capacity-block-reservation",
        [
            "ok capacityBlocks.block.reservationId: cr-0123456789abcdef0 is expired: 4 x p5.48xlarge in us-east-2a "
            "(use2-az1), 2026-11-22 12:00 to 2026-11-20 12:30 UTC; the next block takes over",
            "ok capacityBlocks.next.reservationId: cr-0fedcba9876543210 is scheduled",
        ],
        reserved(block(State="expired", EndDate=NOW + timedelta(minutes=30)), following()),
        FOLLOWED,
    ),
    Case("capacity-block-rotation-times", [], {}, RESERVED),
    *[
        Case("capacity-block-rotation-times", [expected], reserved(block(), found), FOLLOWED)
        for found, expected in [
            (
                following(),
                "ok nodeGroups.gpu.nextCapacityBlocks[0]: cr-0fedcba9876543210 begins when cr-0123456789abcdef0 ends",
            ),
            (
                following(StartDate=NOW + timedelta(days=5)),
                "ok nodeGroups.gpu.nextCapacityBlocks[0]: cr-0fedcba9876543210 begins 1 day, 0:00:00 after",
            ),
            (
                following(StartDate=NOW + timedelta(days=3)),
                "problem nodeGroups.gpu.nextCapacityBlocks[0]: cr-0fedcba9876543210 begins 2026-11-23 12:00, before",
            ),
            (
                following(AvailabilityZone="us-east-2b", AvailabilityZoneId="use2-az2"),
                "warning nodeGroups.gpu.nextCapacityBlocks[0]: cr-0fedcba9876543210 is in us-east-2b, cr-0123456789abcdef0 in",
            ),
        ]
    ],
    Case("capacity-block-scheduled-scaling", [], {}, RESERVED),
    *[
        Case(
            "capacity-block-scheduled-scaling",
            [expected],
            reserved(block()),
            {**RESERVED, "nodeGroups.gpu.scheduledScaling": [{"name": "down", "startTime": at, "desired": 0}]},
        )
        for at, expected in [
            ("2026-11-24T11:19:00Z", "ok nodeGroups.gpu.scheduledScaling[0].startTime"),
            (
                "2026-11-24T11:21:00Z",
                "problem nodeGroups.gpu.scheduledScaling[0].startTime: down at 2026-11-24 11:21 UTC is inside the last 40 minutes",
            ),
        ]
    ],
    Case("capacity-reservation", []),
    *[
        Case("capacity-reservation", expected, reserved(found), ON_DEMAND_RESERVATION)
        for found, expected in [
            (odcr(), ["ok nodeGroups.gpu.capacityReservationId: cr-0123456789abcdef1 holds 2 x g6.2xlarge, 1 free"]),
            (
                {**odcr(), "TotalInstanceCount": 1},
                [
                    "warning nodeGroups.gpu.capacityReservationId: cr-0123456789abcdef1 holds 1 x g6.2xlarge, 1 free; the group grows to 2"
                ],
            ),
            (
                {**odcr(), "State": "cancelled"},
                ["problem nodeGroups.gpu.capacityReservationId: cr-0123456789abcdef1 is cancelled"],
            ),
            (
                {**odcr(), "InstanceType": "g6.xlarge"},
                ["problem nodeGroups.gpu.capacityReservationId: cr-0123456789abcdef1 holds g6.xlarge"],
            ),
            (
                {
                    **odcr(),
                    "ReservationType": "capacity-block",
                    "AvailabilityZone": "us-east-2c",
                    "AvailabilityZoneId": "use2-az3",
                },
                [
                    "problem nodeGroups.gpu.capacityReservationId: cr-0123456789abcdef1 is a Capacity Block",
                    "problem nodeGroups.gpu.capacityReservationId: cr-0123456789abcdef1 is in us-east-2c",
                ],
            ),
            (
                block(),
                ["problem nodeGroups.gpu.capacityReservationId: this account has no reservation cr-0123456789abcdef1"],
            ),
        ]
    ],
    Case("spot-placement-score", []),
    Case(
        "spot-placement-score",
        ["ok nodeGroups.gpu.capacityType: 2 x g6.2xlarge as Spot in us-east-2: score 9 of 10"],
        {},
        SPOT,
    ),
    Case(
        "spot-placement-score",
        ["warning nodeGroups.gpu.capacityType: 2 x g6.2xlarge as Spot in us-east-2: score 3 of 10"],
        {"ec2.get_spot_placement_scores": {"SpotPlacementScores": [{"Region": "us-east-2", "Score": 3}]}},
        SPOT,
    ),
    Case(
        "spot-placement-score",
        ["unknown nodeGroups.gpu.capacityType: ec2:GetSpotPlacementScores: the caller may not ask"],
        {"ec2.get_spot_placement_scores": DENIED},
        SPOT,
    ),
    Case("launch-permission", ["ok nodeGroups.gpu.instanceType: a launch of g6.2xlarge would be let through"]),
    Case(
        "launch-permission",
        ["unknown nodeGroups.gpu.instanceType: the caller may not launch g6.2xlarge itself"],
        {"ec2.run_instances": DENIED},
    ),
    Case(
        "launch-permission",
        [
            "problem nodeGroups.gpu.instanceType: EC2 would refuse to launch g6.2xlarge: ec2:RunInstances: PendingVerification: wait"
        ],
        {"ec2.run_instances": refusal("PendingVerification", "wait")},
    ),
    Case(
        "launch-permission",
        ["unknown nodeGroups.gpu.instanceType: ec2:RunInstances: AWS throttles"],
        {"ec2.run_instances": refusal("RequestLimitExceeded", status=503)},
    ),
    Case(
        "service-linked-roles",
        [
            "ok cluster: AWSServiceRoleForAmazonEKS is there",
            "ok cluster: AWSServiceRoleForAmazonEKSNodegroup",
            "ok cluster: AWSServiceRoleForAutoScaling",
        ],
    ),
    Case(
        "service-linked-roles",
        ["warning cluster: AWSServiceRoleForAmazonEKS is not there", *["warning "] * 3],
        {"iam.get_role": refusal("NoSuchEntity")},
        SPOT,
    ),
    Case(
        "service-linked-roles",
        ["unknown cluster: iam:GetRole: the caller may not ask this", *["unknown "] * 2],
        {"iam.get_role": refusal("AccessDenied")},
    ),
    Case(
        "deployment-permissions",
        ["ok cluster: arn:aws:iam::111122223333:role/deployer may do all 3 actions of the deployment"],
    ),
    Case(
        "deployment-permissions",
        ["problem cluster: arn:aws:iam::111122223333:role/deployer may not: iam:PassRole"],
        {
            "iam.simulate_principal_policy": {
                "EvaluationResults": [
                    {"EvalActionName": "eks:CreateCluster", "EvalDecision": "allowed"},
                    {"EvalActionName": "iam:PassRole", "EvalDecision": "implicitDeny"},
                ]
            }
        },
    ),
    Case(
        "deployment-permissions",
        ["ok cluster: arn:aws:iam::111122223333:role/deployer may do all 1 actions of the deployment"],
        {"iam.simulate_principal_policy": on_resources("implicitDeny", "allowed")},
    ),
    Case(
        "deployment-permissions",
        ["problem cluster: arn:aws:iam::111122223333:role/deployer may not: eks:CreateAddon"],
        {"iam.simulate_principal_policy": on_resources("implicitDeny", "explicitDeny")},
    ),
    Case(
        "deployment-permissions",
        [
            "unknown cluster: whether arn:aws:iam::111122223333:role/deployer may eks:CreateAddon hangs on aws:PrincipalTag/team"
        ],
        {"iam.simulate_principal_policy": on_resources("implicitDeny", missing=["aws:PrincipalTag/team"])},
    ),
    Case(
        "deployment-permissions",
        ["ok cluster: arn:aws:iam::111122223333:root is the account's root user"],
        {"sts.get_caller_identity": {"Arn": "arn:aws:iam::111122223333:root"}},
    ),
    Case(
        "deployment-permissions",
        ["unknown cluster: iam:SimulatePrincipalPolicy: the caller may not ask"],
        {"iam.simulate_principal_policy": refusal("AccessDenied")},
    ),
    Case(
        "price-current",
        [
            "ok systemNodeGroup.instanceTypes[0]: m7i.large costs 0.1008 USD per hour",
            "ok nodeGroups.gpu.instanceType: g6.2xlarge costs 0.9776 USD per hour, as estimated",
        ],
    ),
    Case(
        "price-current",
        [
            "warning systemNodeGroup",
            "warning nodeGroups.gpu.instanceType: g6.2xlarge costs 1.5 USD per hour; the estimate has 0.9776",
        ],
        {"pricing.get_products": product("1.5000000000")},
    ),
    Case(
        "price-current",
        [
            "unknown systemNodeGroup",
            "unknown nodeGroups.gpu.instanceType: AWS lists no on-demand price of g6.2xlarge in us-east-2",
        ],
        {"pricing.get_products": product(None)},
    ),
    Case(
        "price-current",
        ["unknown systemNodeGroup", "unknown nodeGroups.gpu.instanceType: pricing:GetProducts: the caller may not ask"],
        {"pricing.get_products": refusal("AccessDeniedException")},
    ),
    Case(
        "price-current",
        ["ok systemNodeGroup", "warning nodeGroups.gpu.instanceType: g7.2xlarge costs"],
        {
            "pricing.get_products": lambda asked: product(
                "2.6" if any(each["Value"] == "g7.2xlarge" for each in asked["Filters"]) else "0.1008"
            )
        },
        {
            "nodeGroups.gpu.instanceType": "g7.2xlarge",
            "nodeGroups.gpu.ami.imageId": "ami-0123456789abcdef0",
            "workloads": {},
        },
    ),
    # More of it in test_endpoint.py.
    Case(
        "api-reachable",
        ["ok cluster.endpoint.publicAccessCidrs: the API is open to every address"],
        {},
        {"cluster.endpoint.publicAccessCidrs": ["0.0.0.0/0"]},
    ),
    Case(
        "api-reachable",
        ["warning cluster.endpoint.publicAccessCidrs: nobody comes from 203.0.113.0/24, reserved for examples"],
        {},
        {"cluster.endpoint.publicAccessCidrs": ["203.0.113.0/24"]},
    ),
    Case(
        "api-reachable",
        ["unknown cluster.endpoint.publicAccessCidrs: eks:DescribeCluster: the caller may not ask this"],
        {"eks.describe_cluster": refusal("AccessDeniedException", status=403)},
    ),
    Case("budget-at-current-prices", ["ok budget.monthlyUsd: at its largest size the stack costs about"]),
    Case(
        "budget-at-current-prices",
        ["warning budget.monthlyUsd: at its largest size the stack costs about 730,"],
        {"pricing.get_products": product("200")},
        {"budget.monthlyUsd": 1000},
    ),
    Case(
        "budget-at-current-prices",
        ["unknown budget.monthlyUsd: at its largest size"],
        {"pricing.get_products": refusal("AccessDeniedException")},
    ),
]


@pytest.mark.parametrize("case", [pytest.param(case, id=f"{case.code}-{number}") for number, case in enumerate(CASES)])
def test_a_check_finds(case):
    results = one(case.code, patched(case.patch), case.replies)

    found = [f"{each.status.value} {each.finding.path}: {each.finding.found}" for each in results]
    assert len(found) == len(case.expected), found
    for text, start in zip(found, case.expected, strict=True):
        assert text.startswith(start), found
    for each in results:
        assert each.status == "ok" or each.finding.fix
        assert each.finding.calls or "no source gives" in each.finding.found


def test_every_check_has_cases_that_end_well_and_ill():
    found = {
        code: {expected.partition(" ")[0] for case in CASES if case.code == code for expected in case.expected}
        for code in CHECKS
    }

    assert all("ok" in statuses and statuses - {"ok"} for statuses in found.values()), found
