from tests.settings.example import REMOVED
from tests.settings.rules.case import Case

CASES = [
    Case("tag-reserved", "of-aws", {"tags": {"aws:x": "1"}}, 'tags["aws:x"]', near={"tags": {"awsx": "1"}}),
    Case("tag-reserved", "owner", {"tags": {"owner": "b"}}, 'tags["owner"]', near={"tags": {"cost": "b"}}),
    Case(
        "tag-characters", "value", {"tags": {"team": "a\0b"}}, 'tags["team"]', near={"tags": {"team": "Bücher + Söhne"}}
    ),
    Case("tag-characters", "key", {"tags": {"🚀": "b"}}, 'tags["🚀"]', near={"tags": {"rocket 1": "b"}}),
    Case("tag-characters", "owner", {"owner": "ml, ops"}, "owner", near={"owner": "ml/ops@example.com"}),
    Case(
        "budget-missing",
        "none",
        {"budget": REMOVED},
        "budget.monthlyUsd",
        near={"budget": REMOVED, "nodeGroups": {}, "workloads": {}},
        severity="warning",
    ),
    Case(
        "budget-missing",
        "no-price-is-known",
        {"budget": REMOVED, "region": "eu-north-1", "network.create.zones": ["eu-north-1a", "eu-north-1b"]},
        "budget.monthlyUsd",
        near={"region": "eu-north-1", "network.create.zones": ["eu-north-1a", "eu-north-1b"]},
        severity="warning",
    ),
    Case(
        "budget-missing",
        "unknown-price-is-said",
        {"budget": REMOVED, "nodeGroups.gpu.capacityType": "spot"},
        "budget.monthlyUsd",
        near={"nodeGroups.gpu.capacityType": "spot"},
        severity="warning",
    ),
    Case(
        "budget-exceeded",
        "at-the-largest-size",
        {"budget.monthlyUsd": 1000, "nodeGroups.gpu.size.max": 100},
        "budget.monthlyUsd",
        near={"budget.monthlyUsd": 100_000, "nodeGroups.gpu.size.max": 100},
        severity="warning",
    ),
    Case(
        "price-unknown",
        "not-in-the-tables",
        {"nodeGroups.gpu.instanceType": "p5e.48xlarge"},
        "nodeGroups.gpu.instanceType",
        near={"nodeGroups.gpu.instanceType": "p5.48xlarge"},
        severity="warning",
    ),
]
