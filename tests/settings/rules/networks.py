from tests.settings.example import REMOVED
from tests.settings.rules.case import Case

CREATE = "network.create"
ZONES, SUBNETS = f"{CREATE}.zones", "network.existing.privateSubnets"
SERVICES = ["ec2", "ecr.api", "ecr.dkr", "eks", "eks-auth", "sts", "logs"]


def existing(*zones: str) -> dict[str, object]:
    return {
        "vpcId": "vpc-0123456789abcdef0",
        "privateSubnets": [{"id": f"subnet-0123456789abcde{i:02}", "zone": zone} for i, zone in enumerate(zones)],
    }


THERE = {"existing": existing("us-east-2a", "us-east-2b")}
STACK, AMP = ({"monitoring.prometheus": kind} for kind in ("stack", "amp"))
FOLLOWS = {"workloads.vllm.qwen.autoscaling": {"max": 2}}
POOL = {"nodeGroups.gpu.autoscaler": "karpenter", "nodeGroups.gpu.size": {"max": 2}}
SCALED = {"nodeGroups.gpu.autoscaler": "clusterAutoscaler"}
TOPIC = {
    "monitoring.alerts.enabled": True,
    "monitoring.alerts.receiver": {"sns": {"topicArn": "arn:aws:sns:us-east-2:111122223333:gpu-alerts"}},
}
SLACK = {
    "monitoring.alerts.enabled": True,
    "monitoring.alerts.receiver": {"slack": {"channel": "#gpus", "webhook": {"configSecret": "slackWebhook"}}},
}

CASES = [
    Case(
        "region-unknown",
        "misspelt",
        {"region": "us-weast-2", ZONES: ["us-weast-2a", "us-weast-2b"]},
        "region",
        near={},
        severity="warning",
    ),
    Case(
        "network-one-source",
        "both",
        {"network.existing": existing("us-east-2a", "us-east-2b")},
        "network",
        near={"network.existing": existing("us-east-2a", "us-east-2b"), CREATE: REMOVED},
    ),
    Case("network-one-source", "neither", {CREATE: REMOVED}, "network", near={}),
    Case(
        "network-cidr",
        "host-bits",
        {f"{CREATE}.cidr": "10.0.1.0/16"},
        f"{CREATE}.cidr",
        near={f"{CREATE}.cidr": "10.1.0.0/16"},
    ),
    Case(
        "network-cidr",
        "no-address",
        {f"{CREATE}.cidr": "10.0.0.300/16"},
        f"{CREATE}.cidr",
        near={f"{CREATE}.cidr": "10.0.0.0/16"},
    ),
    Case(
        "network-cidr",
        "too-small",
        {f"{CREATE}.cidr": "10.0.0.0/21"},
        f"{CREATE}.cidr",
        near={f"{CREATE}.cidr": "10.0.0.0/20"},
    ),
    Case(
        "zones-of-region",
        "another-region",
        {ZONES: ["us-east-2a", "us-east-1b"]},
        f"{ZONES}[1]",
        near={ZONES: ["use2-az1", "use2-az2"]},
    ),
    Case("zones-of-region", "of-a-region-that-was-meant", {"region": "us-eats-2"}, "region", near={}),
    Case(
        "zones-of-region",
        "names-and-ids",
        {ZONES: ["us-east-2a", "use2-az2"]},
        ZONES,
        near={ZONES: ["us-east-2a", "us-east-2b"]},
    ),
    Case(
        "zones-of-region",
        "twice",
        {ZONES: ["us-east-2a", "us-east-2b", "us-east-2a"]},
        ZONES,
        near={"network": {"existing": existing("us-east-2a", "us-east-2b", "us-east-2a")}},
    ),
    Case(
        "zones-of-region",
        "third-subnet-of-an-existing-network",
        {"network": {"existing": existing("us-east-2a", "us-east-2a", "us-east-1b")}},
        f"{SUBNETS}[2]",
        near={"network": {"existing": existing("us-east-2a", "us-east-2a", "us-east-2b")}},
    ),
    Case(
        "zones-of-region",
        "seven",
        {ZONES: [f"us-east-2{letter}" for letter in "abcdefg"]},
        ZONES,
        near={ZONES: [f"us-east-2{letter}" for letter in "abcdef"]},
    ),
    *(
        Case(
            "zones-of-region",
            name,
            {"region": region, ZONES: [f"{region}a", zone]},
            f"{ZONES}[1]",
            near={"region": region, ZONES: [f"{region}a", f"{region}b"]},
        )
        for name, region, zone in (
            ("local-zone", "us-west-2", "us-west-2-lax-1a"),
            ("local-zone-by-id", "us-west-2", "usw2-lax1-az1"),
            ("wavelength-zone", "us-east-1", "us-east-1-wl1-bos-wlz-1"),
            ("wavelength-zone-by-id", "us-east-1", "use1-wl1-bos-wlz1"),
        )
    ),
    *(
        Case(
            "zone-unknown",
            name,
            {"region": region, ZONES: [there, nowhere]},
            f"{ZONES}[1]",
            near={"region": region, ZONES: [there, another]},
            severity="warning",
        )
        for name, region, there, nowhere, another in (
            ("letter", "us-east-2", "us-east-2a", "us-east-2z", "us-east-2c"),
            ("letter-in-frankfurt", "eu-central-1", "eu-central-1a", "eu-central-1z", "eu-central-1c"),
            ("letter-after-the-last-of-six", "us-east-1", "us-east-1a", "us-east-1g", "us-east-1f"),
            (
                "letter-that-some-accounts-have",
                "ap-northeast-1",
                "ap-northeast-1a",
                "ap-northeast-1e",
                "ap-northeast-1b",
            ),
            ("id", "us-east-2", "use2-az1", "use2-az4", "use2-az3"),
            ("id-that-was-left-out", "ca-central-1", "cac1-az1", "cac1-az3", "cac1-az4"),
        )
    ),
    Case(
        "zone-unknown",
        "third-subnet-of-an-existing-network",
        {"network": {"existing": existing("us-east-2a", "us-east-2b", "us-east-2x")}},
        f"{SUBNETS}[2]",
        near={"network": {"existing": existing("us-east-2a", "us-east-2b", "us-east-2c")}},
        severity="warning",
    ),
    Case(
        "zone-unknown",
        "region-without-a-list",
        {"region": "cn-north-1", ZONES: ["cn-north-1a", "cn-north-1b"]},
        ZONES,
        near={"region": "us-weast-2", ZONES: ["us-weast-2a", "us-weast-2z"]},  # region-unknown says it
        severity="warning",
    ),
    Case(
        "zone-without-control-plane",
        "use1-az3",
        {"region": "us-east-1", ZONES: ["use1-az3", "use1-az4"]},
        f"{ZONES}[0]",
        near={"region": "us-east-1", ZONES: ["use1-az2", "use1-az4"]},
    ),
    Case(
        "no-path-to-services",
        "no-endpoints",
        {f"{CREATE}.natGateways": "none"},
        f"{CREATE}.interfaceEndpoints",
        near={f"{CREATE}.natGateways": "none", f"{CREATE}.interfaceEndpoints": SERVICES},
    ),
    Case(
        "no-path-to-services",
        "no-s3",
        {
            f"{CREATE}.natGateways": "none",
            f"{CREATE}.interfaceEndpoints": SERVICES,
            f"{CREATE}.gatewayEndpoints": ["dynamodb"],
        },
        f"{CREATE}.gatewayEndpoints",
        near={f"{CREATE}.gatewayEndpoints": []},  # a NAT gateway is a path too
    ),
    *(
        Case(
            "network-path-unknown",
            name,
            {"network": THERE, **patch},
            "network.existing",
            near={"network": THERE, **near},
            severity="warning",
        )
        for name, patch, near in (
            ("of-keda-and-karpenter", {**AMP, **FOLLOWS, **POOL}, AMP),
            ("of-alertmanager", {**STACK, **TOPIC, **SCALED}, {**STACK, "monitoring.alerts.enabled": True}),
            ("of-alertmanager-to-slack", {**STACK, **SLACK}, {"monitoring.prometheus": "amp", **TOPIC}),
        )
    ),
    Case(
        "single-nat-gateway",
        "protected-cluster",
        {"cluster.deletionProtection": True},
        f"{CREATE}.natGateways",
        near={"cluster.deletionProtection": True, f"{CREATE}.natGateways": "onePerZone"},
        severity="warning",
    ),
]
