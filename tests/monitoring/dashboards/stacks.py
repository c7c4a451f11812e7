"""Dashboards of stacks, and their panels one by one."""

import json
from functools import cache

from eks_accelerators.monitoring.dashboards import PLANS, dashboards_of
from eks_accelerators.monitoring.metrics import Exporter
from tests.monitoring.stacks import EVERYTHING, stack_of

EVERY = frozenset(Exporter)
MIG = {
    "nodeGroups.divided": {
        "instanceType": "p4d.24xlarge",
        "size": {"max": 1},
        "sharing": {
            "strategy": "mig",
            "mig": {"strategy": "mixed", "layout": {"1g.5gb": 2, "2g.10gb": 1, "3g.20gb": 1}},
        },
    },
}
WITH_MIG = {**EVERYTHING, **MIG}
"""A stack that has all that any dashboard can show."""

QUERIES = [
    (f"{plan.name}: {panel.title} {number}", panel, query)
    for plan in PLANS
    for panel in plan.panels
    for number, query in enumerate(panel.queries, 1)
]
VARIABLES = [(plan.name, variable) for plan in PLANS for variable in plan.variables]


@cache
def written(patch_name="everything"):
    """What Grafana reads, by the names of the dashboards, of the stack with everything."""
    stack = stack_of({"everything": WITH_MIG, "one L4": {}}[patch_name])
    return {each.name: json.loads(each.json) for each in dashboards_of(stack, EVERY)}
