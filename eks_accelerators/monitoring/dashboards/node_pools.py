"""Nodes of Karpenter, by NodePool: how many there are, how many are on their way, what the limits leave.

Source: kubernetes-sigs/karpenter v1.14, `pkg/controllers/nodepool/counter`: what a pool has is counted from the launch of each node
on, and the nodes themselves are a resource of it, `nodes`; read 2026-11-23.
"""

from eks_accelerators.monitoring.alerts.concerns import POOLS
from eks_accelerators.monitoring.alerts.phrases import grown_while_watched
from eks_accelerators.monitoring.alerts.scaling import NEVER_CAME
from eks_accelerators.monitoring.dashboards.plan import RATIO, DashboardPanel, PanelKind, PanelSection, Query

_BY_RESOURCE = "by (nodepool, resource_type)"
_USAGE = f"max {_BY_RESOURCE} (karpenter_nodepools_usage)"
_LIMIT = f"max {_BY_RESOURCE} (karpenter_nodepools_limit)"
_LAUNCHED = 'max by (nodepool) (karpenter_nodepools_usage{resource_type="nodes"})'
# A node group of Karpenter and its NodePool have one name.
_REGISTERED = 'max by (nodepool) (label_join(accelerator:nodes, "nodepool", "", "node_group"))'

NODE_POOLS = PanelSection(
    "Nodes of Karpenter",
    (
        DashboardPanel(
            "Nodes by NodePool",
            PanelKind.TABLE,
            "Nodes that Karpenter has launched, and those of them that are no node of the cluster yet: for some minutes while a "
            "node starts, and until Karpenter gives it up where it never comes.",
            (
                Query(_LAUNCHED, "Launched"),
                Query(
                    f"max by (nodepool) (clamp_min({_LAUNCHED} - ({_REGISTERED} or 0 * {_LAUNCHED}), 0))",
                    "Not registered",
                ),
            ),
            columns={"nodepool": "NodePool"},
            concern=POOLS,
            runbook="no-capacity",
        ),
        DashboardPanel(
            "Limits of NodePools",
            PanelKind.TABLE,
            "What the nodes of a pool have, launched ones included, of what it may have at most: accelerators, whether a pod "
            "uses them or not. A full pool launches no node.",
            (
                Query(f"max {_BY_RESOURCE} ({_USAGE} and {_LIMIT})", "Has"),
                Query(_LIMIT, "At most"),
                Query(f"max {_BY_RESOURCE} ({_USAGE} / ({_LIMIT} > 0))", "Part of it"),
            ),
            columns={"nodepool": "NodePool", "resource_type": "Resource"},
            units={"Part of it": RATIO},
            concern=POOLS,
            runbook="no-capacity",
        ),
        DashboardPanel(
            "Nodes that never came",
            PanelKind.TIME_SERIES,
            "Nodes of the last 30 minutes that Karpenter gave up before they were there, and why. The next attempt may be of "
            "another type, or on demand.",
            (Query(grown_while_watched(NEVER_CAME, "30m", "nodepool, reason"), "{{nodepool}}: {{reason}}"),),
            width=24,
            concern=POOLS,
            runbook="no-capacity",
        ),
    ),
)
