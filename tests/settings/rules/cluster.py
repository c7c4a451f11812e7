from tests.settings.rules.case import Case

CIDRS = "cluster.endpoint.publicAccessCidrs"
VERSION = "cluster.kubernetesVersion"
ROLE, OTHER_ROLE = "arn:aws:iam::123456789012:role/ml", "arn:aws:iam::123456789012:role/ops"
VIEW = {"principalArn": ROLE, "policy": "AmazonEKSViewPolicy"}
OVERRIDE = {
    "nodeMonitoringCondition": "AcceleratedHardwareReady",
    "nodeUnhealthyReason": "NvidiaXID13Error",
    "minRepairWaitTimeMins": 10,
    "repairAction": "Reboot",
}
REPAIR = "nodeGroups.gpu.nodeRepair.overrides"

CASES = [
    Case(
        "kubernetes-version-ended",
        "below-the-table",
        {VERSION: "1.23"},
        VERSION,
        near={VERSION: "1.32"},
    ),
    Case(
        "kubernetes-version-support",
        "ends-soon",
        {VERSION: "1.34"},
        VERSION,
        near={VERSION: "1.35"},
        severity="warning",
    ),
    Case(
        "kubernetes-version-support",
        "ended-and-paid-for",
        {VERSION: "1.33", "cluster.supportType": "extended"},
        VERSION,
        near={VERSION: "1.35", "cluster.supportType": "extended"},
        severity="warning",
    ),
    Case(
        "kubernetes-version-support",
        "dates-unknown",
        {VERSION: "1.36"},
        VERSION,
        near={VERSION: "1.35"},
        severity="warning",
    ),
    Case(
        "control-plane-zones",
        "one-zone",
        {"network.create.zones": ["us-east-2a"]},
        "network.create.zones",
        near={"network.create.zones": ["us-east-2a", "us-east-2c"]},
    ),
    Case(
        "endpoint-unreachable",
        "closed",
        {"cluster.endpoint.privateAccess": False},
        "cluster.endpoint",
        near={"cluster.endpoint.privateAccess": False, CIDRS: ["12.34.56.0/24"]},
    ),
    Case(
        "endpoint-open-to-world",
        "all-of-ipv4",
        {CIDRS: ["12.34.56.0/24", "0.0.0.0/0"]},
        f"{CIDRS}[1]",
        near={CIDRS: ["12.34.56.0/24", "0.0.0.0/1"]},
        severity="warning",
    ),
    Case(
        "endpoint-cidr-invalid",
        "host-bits",
        {CIDRS: ["12.34.56.78/24"]},
        f"{CIDRS}[0]",
        near={CIDRS: ["12.34.56.78/32"]},
    ),
    Case(
        "endpoint-cidr-invalid",
        "host-bits-of-ipv6",
        {CIDRS: ["2600:1f00::1/24"]},
        f"{CIDRS}[0]",
        near={CIDRS: ["2600:1f00::/24"]},
    ),
    Case(
        "endpoint-cidr-invalid",
        "more-bits-than-there-are",
        {CIDRS: ["12.34.56.0/33"]},
        f"{CIDRS}[0]",
        near={CIDRS: ["12.34.56.0/32"]},
    ),
    Case(
        "endpoint-example-range",
        "documentation",
        {CIDRS: ["203.0.113.128/25"]},
        f"{CIDRS}[0]",
        near={CIDRS: ["203.0.114.0/24", "2600:1f00::/24"]},
        severity="warning",
    ),
    Case(
        "access-entry-scope",
        "principal-twice",
        {"cluster.accessEntries": {"ml": VIEW, "also-ml": VIEW}},
        "cluster.accessEntries.also-ml.principalArn",
        near={"cluster.accessEntries": {"ml": VIEW, "ops": {**VIEW, "principalArn": OTHER_ROLE}}},
    ),
    Case(
        "access-entry-scope",
        "cluster-admin-of-a-namespace",
        {"cluster.accessEntries.ml": {**VIEW, "policy": "AmazonEKSClusterAdminPolicy", "namespaces": ["llm"]}},
        "cluster.accessEntries.ml.namespaces",
        near={"cluster.accessEntries.ml": {**VIEW, "policy": "AmazonEKSAdminPolicy", "namespaces": ["llm"]}},
    ),
    Case(
        "addon-version-format",
        "no-build",
        {"cluster.addonVersions": {"vpc-cni": "1.21.1"}},
        "cluster.addonVersions.vpc-cni",
        near={"cluster.addonVersions": {"vpc-cni": "v1.21.1-eksbuild.1"}},
    ),
    Case(
        "repair-without-agent",
        "misspelt-condition",
        {REPAIR: [{**OVERRIDE, "nodeMonitoringCondition": "AcceleratedHardwareRaedy"}]},
        f"{REPAIR}[0].nodeMonitoringCondition",
        near={REPAIR: [OVERRIDE]},
        severity="warning",
    ),
]
