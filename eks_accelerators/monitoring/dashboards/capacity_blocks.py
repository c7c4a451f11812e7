"""Capacity Blocks: how long they last, and what still runs on them. Their ends are those that were known at the deployment."""

from eks_accelerators.monitoring.alerts.capacity_blocks import END
from eks_accelerators.monitoring.alerts.concerns import CAPACITY_BLOCKS
from eks_accelerators.monitoring.dashboards.plan import (
    DATE,
    DURATION,
    NO_UNIT,
    RATIO,
    DashboardPanel,
    DashboardPlan,
    PanelKind,
    PanelSection,
    Query,
)
from eks_accelerators.monitoring.dashboards.shared_panels import firing, names_of

DRAINED_BEFORE = 40 * 60
"""Seconds before the end at which EKS begins to drain the nodes of a managed group.
Source: EKS documentation, Capacity Blocks for managed node groups, read 2026-11-20."""

_OF_BLOCKS = f"and on (node_group) {END}"
_EACH = "by (capacity_block, node_group)"
_LEGEND = "{{capacity_block}}"
_KNOWN = "As it was known at the deployment: an extension counts from the next one on."
_PAID = "A block is paid for before it begins, used or not."


def _of_group(series: str) -> str:
    """A value of a node group, for each of its blocks."""
    return f"max {_EACH} (0 * {END} + on (node_group) group_left () {series})"


def _panel(title: str, means: str, query: Query, *, stacked: bool = False, unit: str = NO_UNIT) -> DashboardPanel:
    return DashboardPanel(
        title,
        PanelKind.TIME_SERIES,
        means,
        (query,),
        unit,
        concern=CAPACITY_BLOCKS,
        stacked=stacked,
        runbook="unused-accelerators",
    )


_LEFT = PanelSection(
    "How long they last",
    (
        DashboardPanel(
            "Until the nodes are drained",
            PanelKind.STAT,
            f"EKS drains the nodes 40 minutes before the block ends: checkpoints have to be written by then. {_KNOWN}",
            (Query(f"({END} - {DRAINED_BEFORE} - time()) > 0", _LEGEND),),
            DURATION,
            height=4,
            concern=CAPACITY_BLOCKS,
            runbook="capacity-block-ends",
        ),
        DashboardPanel(
            "Until the block ends",
            PanelKind.STAT,
            f"EC2 ends the instances 30 minutes before. {_KNOWN}",
            (Query(f"({END} - time()) > 0", _LEGEND),),
            DURATION,
            height=4,
            concern=CAPACITY_BLOCKS,
            runbook="capacity-block-ends",
        ),
        DashboardPanel(
            "Blocks",
            PanelKind.TABLE,
            f"{_PAID} {_KNOWN} Allocated is the share of its accelerators that pods have asked for.",
            (
                Query(f"max {_EACH} ({END}) * 1000", "Ends"),
                Query(f"max {_EACH} ({END} - {DRAINED_BEFORE}) * 1000", "Nodes drained"),
                Query(_of_group("sum by (node_group) (accelerator:nodes)"), "Nodes"),
                Query(_of_group("max by (node_group) (accelerator:allocated_ratio)"), "Allocated"),
            ),
            columns={"capacity_block": "Capacity Block", "node_group": "Node group"},
            units={"Ends": DATE, "Nodes drained": DATE, "Allocated": RATIO},
            width=24,
            height=5,
            concern=CAPACITY_BLOCKS,
            runbook="capacity-block-ends",
        ),
    ),
)

_USE = PanelSection(
    "What they are used for",
    (
        _panel(
            "Nodes",
            f"Of the node groups of blocks. {_PAID}",
            Query(f"accelerator:nodes {_OF_BLOCKS}", "{{node_group}}"),
        ),
        _panel(
            "Allocated",
            f"Share of the accelerators that pods have asked for: one of four shares is a quarter of a GPU. {_PAID}",
            Query(f"accelerator:allocated_ratio {_OF_BLOCKS}", "{{node_group}}"),
            unit=RATIO,
        ),
        _panel(
            "GPUs by what they do",
            "Every GPU of the blocks in one of four states. A GPU counts once, however many pods share it.",
            Query(
                "sum by (state) (accelerator:gpu_state * on (node) group_left (node_group) accelerator:node_info"
                f" {_OF_BLOCKS})",
                "{{state}}",
            ),
            stacked=True,
        ),
        _panel(
            "What pods hold",
            "What pods on the nodes of blocks have asked for. It has to be 0 when the nodes are drained.",
            Query(f"accelerator:requested {_OF_BLOCKS}", "{{node_group}}: {{resource}}"),
        ),
        firing(names_of("capacity-blocks"), concern=CAPACITY_BLOCKS),
    ),
)

PLAN = DashboardPlan(
    "capacity-blocks",
    "Accelerators: Capacity Blocks",
    "How long Capacity Blocks last, and what runs on them.",
    CAPACITY_BLOCKS,
    (_LEFT, _USE),
    shows="now-24h",
)
