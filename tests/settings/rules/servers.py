from tests.settings.rules.case import Case

QWEN, SIZE = "workloads.vllm.qwen", "nodeGroups.gpu.size"
EXPOSURE, CALLERS = f"{QWEN}.exposure", f"{QWEN}.networkPolicy"
FOUR = {"nodeGroups.gpu.sharing": {"strategy": "timeSlicing", "replicas": 4}}
TWO_NODES = {**FOUR, SIZE: {"desired": 2, "max": 2}}

CASES = [
    Case(
        "server-gateway",
        "not-named",
        {EXPOSURE: {"kind": "gateway"}},
        f"{EXPOSURE}.gateway",
        near={EXPOSURE: {"kind": "gateway", "gateway": {"name": "inner", "namespace": "edge"}}},
    ),
    Case(
        "server-gateway",
        "named-for-nothing",
        {EXPOSURE: {"kind": "internalLoadBalancer", "hostNames": ["llm.example.com"]}},
        f"{EXPOSURE}.kind",
        near={EXPOSURE: {"kind": "internalLoadBalancer"}},
    ),
    Case(
        "server-gateway-elsewhere",
        "",
        {EXPOSURE: {"kind": "gateway", "gateway": {"name": "inner"}}},
        f"{EXPOSURE}.kind",
        near={EXPOSURE: {"kind": "clusterIp"}},
        severity="warning",
    ),
    Case("server-callers", "nobody", {CALLERS: {}}, CALLERS, near={CALLERS: {"namespaces": ["web"]}}),
    Case(
        "server-callers",
        "behind-a-load-balancer",
        {EXPOSURE: {"kind": "internalLoadBalancer"}, CALLERS: {"namespaces": ["web"]}},
        f"{CALLERS}.cidrs",
        near={EXPOSURE: {"kind": "internalLoadBalancer"}, CALLERS: {"cidrs": ["10.0.0.0/8"]}},
    ),
    Case(
        "server-callers",
        "a-range-with-more-in-it",
        {CALLERS: {"cidrs": ["10.0.0.0/8", "10.20.0.1/16"]}},
        f"{CALLERS}.cidrs[1]",
        near={CALLERS: {"cidrs": ["10.0.0.0/8", "10.20.0.1/32"]}},
    ),
    Case(
        "server-policy-scraper",
        "managed",
        {"monitoring.prometheus": "amp", CALLERS: {"namespaces": ["web"]}},
        f"{CALLERS}.cidrs",
        near={"monitoring.prometheus": "amp", CALLERS: {"cidrs": ["10.0.0.0/16"]}},
        severity="warning",
    ),
    Case(
        "server-policy-scraper",
        "existing",
        {"monitoring.prometheus": "existing", CALLERS: {"cidrs": ["10.0.0.0/16"]}},
        f"{CALLERS}.namespaces",
        near={"monitoring.prometheus": "existing", CALLERS: {"namespaces": ["monitoring"]}},
        severity="warning",
    ),
    Case(
        "servers-on-one-node",
        "packed",
        {**TWO_NODES, f"{QWEN}.replicas": 4, f"{QWEN}.placement": "pack"},
        f"{QWEN}.placement",
        near={**TWO_NODES, f"{QWEN}.replicas": 5, f"{QWEN}.placement": "pack"},
        severity="warning",
    ),
    Case(
        "servers-on-one-node",
        "there-is-but-one",
        {**TWO_NODES, f"{QWEN}.replicas": 2, f"{QWEN}.placement": "pack"},
        f"{QWEN}.placement",
        near={**FOUR, f"{QWEN}.replicas": 2, f"{QWEN}.placement": "pack"},
        severity="warning",
    ),
    Case(
        "node-without-pods",
        "packed-beside-it",
        {**TWO_NODES, f"{QWEN}.replicas": 4, f"{QWEN}.placement": "pack"},
        f"{SIZE}.desired",
        near={**TWO_NODES, f"{QWEN}.replicas": 4},
        severity="warning",
    ),
    Case(
        "node-without-pods",
        "fewer-servers-than-nodes",
        {**TWO_NODES, f"{QWEN}.replicas": 1},
        f"{SIZE}.desired",
        near={**TWO_NODES, f"{QWEN}.replicas": 2},
        severity="warning",
    ),
]
