from eks_accelerators.settings.rules.networks import NODE_SERVICES
from tests.settings.example import TRAINIUM
from tests.settings.rules.case import Case

M = "monitoring"
EXISTING, STACK, AMP = ({f"{M}.prometheus": kind} for kind in ("existing", "stack", "amp"))
LABELS = {f"{M}.objectLabels": {"release": "prometheus"}}
ADDRESS = {f"{M}.prometheusAddress": "http://prometheus.observability.svc:9090"}
ALERTS, DASHBOARDS = {f"{M}.alerts.enabled": True}, {f"{M}.dashboards": True}
RECEIVER = f"{M}.alerts.receiver"
SNS = {f"{RECEIVER}.sns.topicArn": "arn:aws:sns:us-east-2:111122223333:gpu-alerts"}
ELSEWHERE = {f"{RECEIVER}.sns.topicArn": "arn:aws:sns:eu-west-1:111122223333:gpu-alerts"}
SLACK = {f"{RECEIVER}.slack": {"channel": "#gpus", "webhook": {"configSecret": "slackWebhook"}}}
CRITICAL = {f"{M}.alerts.severities": ["critical"]}
CLOUD_WATCH = {f"{M}.cloudWatch": True}
THEIRS = {**CLOUD_WATCH, f"{M}.cloudWatchExporters": True}
NO_DCGM, NO_NEURON = ({f"{M}.{name}.enabled": False} for name in ("dcgmExporter", "neuronMonitor"))
OPERATOR = {"nvidia.stack": "operator"}
ENDPOINTS = "network.create.interfaceEndpoints"
PRIVATE = {"network.create.natGateways": "none", ENDPOINTS: [*NODE_SERVICES]}
FOLLOWS = {"workloads.vllm.qwen.autoscaling": {"max": 2}}

CASES = [
    Case("prometheus-twice", "stack", {**STACK, **ADDRESS}, f"{M}.prometheusAddress", near={**EXISTING, **ADDRESS}),
    Case("prometheus-twice", "none", ADDRESS, f"{M}.prometheusAddress", near=STACK),
    Case(
        "monitoring-unused",
        "labels",
        LABELS,
        f"{M}.objectLabels",
        near={**LABELS, **EXISTING},
        severity="warning",
    ),
    Case(
        "monitoring-unused",
        "labels-of-a-stack",
        {**LABELS, **STACK},
        f"{M}.objectLabels",
        near=STACK,
        severity="warning",
    ),
    Case(
        "monitoring-unused",
        "volume",
        {**AMP, f"{M}.storage.sizeGib": 100},
        f"{M}.storage",
        near={**STACK, f"{M}.storage.sizeGib": 100},
        severity="warning",
    ),
    Case(
        "monitoring-unused",
        "retention",
        {**EXISTING, f"{M}.retentionDays": 30},
        f"{M}.retentionDays",
        near={**AMP, f"{M}.retentionDays": 30},
        severity="warning",
    ),
    Case(
        "object-labels",
        "not-a-key",
        {**EXISTING, f'{M}.objectLabels["re lease"]': "prometheus"},
        f'{M}.objectLabels["re lease"]',
        near={**EXISTING, f'{M}.objectLabels["example.com/release"]': "prometheus"},
    ),
    Case(
        "alert-receiver",
        "topic-of-another-partition",
        {**STACK, **ALERTS, f"{RECEIVER}.sns.topicArn": "arn:aws-cn:sns:cn-north-1:111122223333:gpu-alerts"},
        f"{RECEIVER}.sns.topicArn",
        near={**STACK, **ALERTS, **ELSEWHERE},
    ),
    Case("alerts-without-prometheus", "alerts", ALERTS, f"{M}.alerts.enabled", near={**ALERTS, **AMP}),
    Case("alerts-without-prometheus", "dashboards", DASHBOARDS, f"{M}.dashboards", near={**DASHBOARDS, **STACK}),
    Case(
        "dashboards-without-grafana",
        "amp",
        {**AMP, **DASHBOARDS},
        f"{M}.dashboards",
        near={**EXISTING, **DASHBOARDS},
    ),
    Case("alert-receiver", "both", {**STACK, **ALERTS, **SNS, **SLACK}, RECEIVER, near={**STACK, **ALERTS, **SLACK}),
    Case("alert-receiver", "neither", {**STACK, **ALERTS, RECEIVER: {}}, RECEIVER, near={**STACK, **ALERTS, **SNS}),
    Case("alert-receiver", "no-alerts", {**STACK, **SNS}, RECEIVER, near={**STACK, **ALERTS, **SNS}),
    Case("alert-receiver", "existing", {**EXISTING, **ALERTS, **SNS}, RECEIVER, near={**EXISTING, **ALERTS}),
    Case(
        "alert-receiver", "amp-to-slack", {**AMP, **ALERTS, **SLACK}, f"{RECEIVER}.slack", near={**AMP, **ALERTS, **SNS}
    ),
    Case(
        "alert-receiver",
        "topic-of-another-region",
        {**AMP, **ALERTS, **ELSEWHERE},
        f"{RECEIVER}.sns.topicArn",
        near={**STACK, **ALERTS, **ELSEWHERE},
    ),
    *(
        Case("alerts-to-nobody", name, {**kind, **ALERTS}, RECEIVER, near=near, severity="warning")
        for name, kind, near in (
            ("stack", STACK, {**STACK, **ALERTS, **SNS}),
            ("amp", AMP, {**AMP, **ALERTS, **SNS}),
            ("critical-ones", {**STACK, **CRITICAL}, {**EXISTING, **ALERTS, **CRITICAL}),
        )
    ),
    *(
        Case("monitoring-no-path", name, {**PRIVATE, **patch}, at, near={**PRIVATE, **patch, **fixed})
        for name, patch, at, fixed in (
            ("to-the-metrics", {**AMP, **FOLLOWS}, ENDPOINTS, {ENDPOINTS: [*NODE_SERVICES, "aps-workspaces"]}),
            ("to-the-topic", {**STACK, **ALERTS, **SNS}, ENDPOINTS, {ENDPOINTS: [*NODE_SERVICES, "sns"]}),
            ("to-slack", {**STACK, **ALERTS, **SLACK}, RECEIVER, {"network.create.natGateways": "single"}),
            ("to-another-region", {**STACK, **ALERTS, **ELSEWHERE}, RECEIVER, {"network.create.natGateways": "single"}),
        )
    ),
    Case("two-exporters", "gpus", THEIRS, f"{M}.cloudWatchExporters", near={**THEIRS, **NO_DCGM}),
    Case(
        "two-exporters",
        "operator",
        {**OPERATOR, **THEIRS},
        f"{M}.cloudWatchExporters",
        near={**OPERATOR, **CLOUD_WATCH},
    ),
    Case(
        "two-exporters",
        "neuron",
        {**TRAINIUM, **STACK, **THEIRS, **NO_DCGM},
        f"{M}.cloudWatchExporters",
        near={**TRAINIUM, **STACK, **THEIRS, **NO_DCGM, **NO_NEURON},
    ),
    Case(
        "exporters-without-cloudwatch",
        "no-add-on",
        {f"{M}.cloudWatchExporters": True, **NO_DCGM},
        f"{M}.cloudWatchExporters",
        near={**THEIRS, **NO_DCGM},
        severity="warning",
    ),
    Case(
        "metrics-beyond-storage",
        "small",
        {**STACK, f"{M}.storage.sizeGib": 2},
        f"{M}.storage.sizeGib",
        near={**STACK, f"{M}.storage.sizeGib": 10},
        severity="warning",
    ),
    Case(
        "metrics-beyond-storage",
        "long",
        {**STACK, f"{M}.retentionDays": 365},
        f"{M}.storage.sizeGib",
        near={**STACK, f"{M}.retentionDays": 30},
        severity="warning",
    ),
    Case(
        "managed-prometheus-region",
        "china",
        {**AMP, "region": "cn-north-1"},
        f"{M}.prometheus",
        near=AMP,
    ),
    Case(
        "managed-prometheus-zones",
        "one",
        {**AMP, "network.create.zones": ["us-east-2a"]},
        "network",
        near={**STACK, "network.create.zones": ["us-east-2a"]},
    ),
]
