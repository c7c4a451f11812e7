"""What the accelerators cost, and what of it is for nothing. List prices of what is bought on demand: others are unknown."""

from eks_accelerators.accelerators import prices
from eks_accelerators.monitoring.alerts.alert import Concern
from eks_accelerators.monitoring.alerts.concerns import ACCELERATORS, NVIDIA, VLLM
from eks_accelerators.monitoring.dashboards.plan import (
    RATIO,
    USD,
    DashboardPanel,
    DashboardPlan,
    PanelKind,
    PanelSection,
    Query,
)
from eks_accelerators.monitoring.dashboards.shared_panels import firing, names_of

_LIST_PRICE = (
    "List price of nodes that are bought on demand, without disks and traffic. What spot costs changes and a Capacity Block is paid "
    "for before: their groups have no price here, and are left out of every sum."
)
_ALLOCATED = (
    "A GPU is allocated as far as pods have asked for it: one of four shares is a quarter, an instance counts by its memory; a GPU that "
    "is claimed is allocated as a whole."
)


def _stat(title: str, means: str, expression: str, concern: Concern = ACCELERATORS, unit: str = USD) -> DashboardPanel:
    return DashboardPanel(title, PanelKind.STAT, means, (Query(expression),), unit, width=4, height=4, concern=concern)


def _by_group(
    title: str, means: str, series: str, concern: Concern = ACCELERATORS, runbook: str = ""
) -> DashboardPanel:
    return DashboardPanel(
        title,
        PanelKind.TIME_SERIES,
        means,
        (Query(series, "{{node_group}}"),),
        USD,
        concern=concern,
        stacked=True,
        runbook=runbook,
    )


_NOW = PanelSection(
    "Now",
    (
        _stat("USD per hour", _LIST_PRICE, "sum (accelerator:usd_per_hour)"),
        _stat(
            "A month at this rate",
            f"{prices.HOURS_PER_MONTH} hours with as many nodes as now. {_LIST_PRICE}",
            f"sum (accelerator:usd_per_hour) * {prices.HOURS_PER_MONTH}",
        ),
        _stat(
            "Not allocated",
            f"USD per hour for what no pod has asked for. {_ALLOCATED}",
            "sum (accelerator:unallocated_usd_per_hour)",
        ),
        _stat(
            "Held and idle",
            "USD per hour for GPUs that pods hold, or a part of, and whose engine ran for less than 2 % of 5 minutes. A shared GPU is idle when all of "
            "its pods are.",
            "sum (accelerator:idle_usd_per_hour)",
            NVIDIA,
        ),
        _stat(
            "A million tokens",
            "What servers generate, idle time included: the list price of their node groups by the tokens of the last hour. Tokens of "
            "all pods that share a GPU are added up. Nothing is shown where none are generated.",
            "accelerator:usd_per_million_tokens",
            VLLM,
        ),
        _stat(
            "Nodes without a price",
            "They cost something, and are in no sum: Capacity Blocks, spot, and types whose price is unknown.",
            "count (accelerator:node_info unless on (node_group, instance_type) accelerator:price_usd_per_hour)"
            " or 0 * sum (accelerator:nodes)",
            unit="none",
        ),
    ),
)

_OVER_TIME = PanelSection(
    "Over time",
    (
        _by_group("USD per hour, by node group", _LIST_PRICE, "accelerator:usd_per_hour"),
        _by_group(
            "Not allocated, by node group",
            f"USD per hour for what no pod has asked for. {_ALLOCATED}",
            "accelerator:unallocated_usd_per_hour",
            runbook="unused-accelerators",
        ),
        _by_group(
            "Held and idle, by node group",
            "USD per hour for GPUs that pods hold and that are idle: a pod that has ended its work, a model that nobody asks. A shared "
            "GPU is idle when all of its pods are.",
            "accelerator:idle_usd_per_hour",
            NVIDIA,
            "unused-accelerators",
        ),
        DashboardPanel(
            "Allocated",
            PanelKind.TIME_SERIES,
            f"Share of each group. {_ALLOCATED}",
            (Query("accelerator:allocated_ratio", "{{node_group}}"),),
            RATIO,
            most=1,
            runbook="unused-accelerators",
        ),
        DashboardPanel(
            "A million tokens",
            PanelKind.TIME_SERIES,
            "It falls as servers get more to do, and rises with each replica that waits for requests.",
            (Query("accelerator:usd_per_million_tokens", "USD"),),
            USD,
            concern=VLLM,
        ),
        DashboardPanel(
            "Node groups, USD per hour",
            PanelKind.TABLE,
            f"Of several types, the dearest is what a node costs. {_LIST_PRICE} {_ALLOCATED}",
            (
                Query("sum by (node_group) (accelerator:nodes)", "Nodes"),
                Query("max by (node_group) (accelerator:price_usd_per_hour)", "A node"),
                Query("sum by (node_group) (accelerator:usd_per_hour)", "All"),
                Query("max by (node_group) (accelerator:allocated_ratio)", "Allocated"),
                Query("sum by (node_group) (accelerator:unallocated_usd_per_hour)", "Not allocated"),
            ),
            columns={"node_group": "Node group"},
            units={
                "A node": USD,
                "All": USD,
                "Allocated": RATIO,
                "Not allocated": USD,
            },
            runbook="unused-accelerators",
        ),
        firing(names_of("unused")),
    ),
)

PLAN = DashboardPlan(
    "cost",
    "Accelerators: cost",
    "USD per hour, for a million tokens, and for nothing.",
    ACCELERATORS,
    (_NOW, _OVER_TIME),
    shows="now-24h",
)
