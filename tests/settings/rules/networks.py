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
