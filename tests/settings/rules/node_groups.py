from tests.settings.example import TAINT
from tests.settings.rules.case import Case
from tests.settings.rules.instance_types import described

GROUP = "nodeGroups.gpu"
SIZE, ZONES, LABELS, TAINTS = f"{GROUP}.size", f"{GROUP}.zones", f"{GROUP}.labels", f"{GROUP}.taints"

CASES = [
    Case(
        "size-order",
        "desired-above-max",
        {SIZE: {"min": 0, "desired": 3, "max": 2}},
        SIZE,
        near={SIZE: {"min": 2, "desired": 2, "max": 2}},
    ),
    Case(
        "size-order",
        "min-above-desired",
        {"systemNodeGroup.size": {"min": 2, "desired": 1, "max": 3}},
        "systemNodeGroup.size",
        near={"systemNodeGroup.size": {"min": 1, "desired": 1, "max": 3}},
    ),
    Case("size-order", "nothing", {SIZE: {"max": 0}}, SIZE, near={SIZE: {"max": 1}}),
    Case(
        "system-group-empty",
        "no-node",
        {"systemNodeGroup.size": {"max": 3}},
        "systemNodeGroup.size.desired",
        near={"systemNodeGroup.size": {"desired": 1, "max": 3}},
    ),
    Case(
        "zone-not-in-network",
        "other-zone",
        {ZONES: ["us-east-2a", "us-east-2c"]},
        f"{ZONES}[1]",
        near={ZONES: ["us-east-2b"]},
    ),
    Case("zone-not-in-network", "empty", {ZONES: []}, ZONES, near={}),
    Case(
        "type-not-in-zone",
        "region",
        {"nodeGroups.gpu.instanceType": "p6-b300.48xlarge"},
        "nodeGroups.gpu.instanceType",
        near={"nodeGroups.gpu.instanceType": "p6-b200.48xlarge"},
        severity="warning",
    ),
    Case(
        "type-not-in-zone",
        "regions-unknown",
        {"nodeGroups.gpu.instanceType": "p7.48xlarge", **described(onDemandUsdPerHour={})},
        "nodeGroups.gpu.instanceType",
        near={"nodeGroups.gpu.instanceType": "p5.48xlarge"},
        severity="warning",
    ),
    Case(
        "type-not-in-zone",
        "zone",
        {
            "nodeGroups.gpu.instanceType": "trn1n.32xlarge",
            "network.create.zones": ["use2-az1", "use2-az3"],
            ZONES: ["use2-az1"],
        },
        f"{ZONES}[0]",
        near={
            "nodeGroups.gpu.instanceType": "trn1n.32xlarge",
            "network.create.zones": ["use2-az1", "use2-az3"],
            ZONES: ["use2-az3"],
        },
        severity="warning",
    ),
    Case(
        "reserved-label",
        "label",
        {LABELS: {"node.kubernetes.io/team": "ml"}},
        f'{LABELS}["node.kubernetes.io/team"]',
        near={LABELS: {"example.com/team": "ml"}},
    ),
    Case(
        "reserved-label",
        "taint",
        {TAINTS: [{"key": "eks.amazonaws.com/team"}]},
        f"{TAINTS}[0].key",
        near={TAINTS: [TAINT]},
    ),
    Case(
        "reserved-label",
        "no-key",
        {LABELS: {"a team": "ml"}},
        f'{LABELS}["a team"]',
        near={LABELS: {"a-team": "ml"}},
    ),
    Case(
        "own-label-changed",
        "label",
        {LABELS: {"nvidia.com/gpu.present": "false"}},
        f'{LABELS}["nvidia.com/gpu.present"]',
        near={LABELS: {"example.com/gpu.present": "false"}},
    ),
    Case(
        "own-label-changed",
        "label-of-the-gpu-operator",
        {LABELS: {"nvidia.com/gpu.deploy.operands": "false"}},
        f'{LABELS}["nvidia.com/gpu.deploy.operands"]',
        near={LABELS: {"nvidia.com/gpu.deploy.dcgm-exporter": "false"}},
    ),
    Case(
        "own-label-changed",
        "taint",
        {TAINTS: [TAINT, {"key": "nvidia.com/gpu"}]},
        f"{TAINTS}[1].key",
        near={TAINTS: [TAINT, {"key": "example.com/gpu"}]},
    ),
    Case(
        "duplicate-taint",
        "same-effect",
        {TAINTS: [TAINT, {**TAINT, "value": "ops"}]},
        f"{TAINTS}[1]",
        near={TAINTS: [TAINT, {**TAINT, "effect": "NoExecute"}]},
    ),
    Case(
        "metadata-hop-limit",
        "two",
        {f"{GROUP}.instanceMetadata.hopLimit": 2},
        f"{GROUP}.instanceMetadata.hopLimit",
        near={f"{GROUP}.instanceMetadata.hopLimit": 1},
        severity="warning",
    ),
    Case(
        "repair-thresholds",
        "unhealthy",
        {
            f"{GROUP}.nodeRepair.maxUnhealthyNodeThresholdCount": 2,
            f"{GROUP}.nodeRepair.maxUnhealthyNodeThresholdPercentage": 20,
        },
        f"{GROUP}.nodeRepair.maxUnhealthyNodeThresholdPercentage",
        near={
            f"{GROUP}.nodeRepair.maxUnhealthyNodeThresholdCount": 2,
            f"{GROUP}.nodeRepair.maxParallelNodesRepairedPercentage": 20,
        },
    ),
    Case(
        "repair-thresholds",
        "update",
        {f"{GROUP}.update.maxUnavailable": 1, f"{GROUP}.update.maxUnavailablePercentage": 10},
        f"{GROUP}.update.maxUnavailablePercentage",
        near={f"{GROUP}.update.maxUnavailablePercentage": 10},
    ),
]
