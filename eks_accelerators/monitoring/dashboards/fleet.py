"""All accelerators of a cluster: how many are free, allocated, busy and broken, of which type and in which zone."""

from eks_accelerators.monitoring.alerts import ALERTS
from eks_accelerators.monitoring.alerts.concerns import ACCELERATORS, NOT_CLAIMED, NVIDIA
from eks_accelerators.monitoring.alerts.phrases import ACCELERATORS as RESOURCES
from eks_accelerators.monitoring.alerts.phrases import HOLDING_NOW, WAITING
from eks_accelerators.monitoring.dashboards.node_pools import NODE_POOLS
from eks_accelerators.monitoring.dashboards.plan import DashboardPanel, DashboardPlan, PanelKind, PanelSection, Query
from eks_accelerators.monitoring.dashboards.shared_panels import firing

_ON_NODE = "* on (node) group_left (instance_type, zone) accelerator:node_info"
_BY_PLACE = "by (instance_type, zone)"
_STATES = {
    "free": ("Free", "GPUs that no pod holds any part of."),
    "idle": (
        "Held and idle",
        "GPUs that a pod holds, or a part of, and whose engine ran for less than 2 % of 5 minutes.",
    ),
    "busy": ("Busy", "GPUs whose engine ran for more than 2 % of the last 5 minutes, for whichever pod."),
    "broken": (
        "Broken",
        "GPUs of which a critical alert says, or said within half an hour, that they are of no use. They are in no other state.",
    ),
}
_WHOLE = "A GPU counts once, however many pods share it and into however many instances it is divided."


def _count(state: str) -> DashboardPanel:
    title, means = _STATES[state]
    return DashboardPanel(
        title,
        PanelKind.STAT,
        f"{means} {_WHOLE}",
        (Query(f'sum (accelerator:gpu_state{{state="{state}"}}) or 0 * sum (accelerator:gpu_state)'),),
        width=4,
        height=4,
        concern=NVIDIA,
        warns_at=1 if state == "broken" else None,
        runbook={"broken": "replace-a-gpu-node", "idle": "unused-accelerators"}.get(state, ""),
    )


_GPUS = PanelSection(
    "GPUs",
    (
        DashboardPanel(
            "GPUs",
            PanelKind.STAT,
            f"GPUs that DCGM's exporter measures, and broken ones that it no longer can. {_WHOLE}",
            (Query("sum (accelerator:gpu_state)"),),
            width=4,
            height=4,
            concern=NVIDIA,
        ),
        *map(_count, _STATES),
        DashboardPanel(
            "Nodes",
            PanelKind.STAT,
            "Nodes of accelerator node groups.",
            (Query("sum (accelerator:nodes)"),),
            width=4,
            height=4,
        ),
        DashboardPanel(
            "GPUs by what they do",
            PanelKind.TIME_SERIES,
            f"Every GPU in one of four states. {_WHOLE}",
            (Query("sum by (state) (accelerator:gpu_state)", "{{state}}"),),
            concern=NVIDIA,
            stacked=True,
        ),
        DashboardPanel(
            "By type and zone",
            PanelKind.TABLE,
            f"Nodes, and GPUs by what they do. {_WHOLE} An empty cell is none.",
            (
                Query(f"count {_BY_PLACE} (accelerator:node_info)", "Nodes"),
                *(
                    Query(f'sum {_BY_PLACE} (accelerator:gpu_state{{state="{state}"}} {_ON_NODE})', title)
                    for state, (title, _) in _STATES.items()
                ),
            ),
            columns={"instance_type": "Instance type", "zone": "Zone"},
            concern=NVIDIA,
        ),
    ),
)

_RESOURCES = PanelSection(
    "What pods can ask for",
    (
        DashboardPanel(
            "Offered, asked for and free",
            PanelKind.TABLE,
            "By node group and resource. A share of a GPU counts as one under time-slicing and MPS, an instance as one under "
            "MIG; GPUs that pods claim are no resource and not here. Neuron devices and cores are two names of the same. An empty "
            "cell is none.",
            (
                Query("sum by (node_group, resource) (accelerator:allocatable)", "Offered"),
                Query("sum by (node_group, resource) (accelerator:requested)", "Asked for"),
                Query("sum by (node_group, resource) (accelerator:free)", "Free"),
                Query(
                    f'sum by (node_group, resource) ((max by (node, resource) (kube_node_status_capacity{{resource=~"{RESOURCES}"}})'
                    f' - max by (node, resource) (kube_node_status_allocatable{{resource=~"{RESOURCES}"}}))'
                    " * on (node) group_left (node_group) accelerator:node_info)",
                    "Lost",
                ),
            ),
            columns={"node_group": "Node group", "resource": "Resource"},
            concern=NOT_CLAIMED,
            runbook="replace-a-gpu-node",
        ),
        DashboardPanel(
            "Free, by node group",
            PanelKind.TIME_SERIES,
            "What the next pods can get without a new node, in shares and instances where GPUs are shared or divided. "
            "That many are free does not mean that one node has as many.",
            (Query("accelerator:free", "{{node_group}}: {{resource}}"),),
            concern=NOT_CLAIMED,
        ),
        DashboardPanel(
            "Pods that find no node",
            PanelKind.TIME_SERIES,
            "Pods that ask for accelerators, or claim them, and that the scheduler places nowhere. Pods that Kueue holds "
            "back are gated, and not here.",
            (
                Query(
                    f"count by (namespace) ({WAITING}) or 0 * count by (namespace) (kube_pod_start_time)",
                    "{{namespace}}",
                ),
            ),
            runbook="no-capacity",
        ),
        DashboardPanel(
            "Pods that hold an accelerator",
            PanelKind.TIME_SERIES,
            "Pods on a node that ask for an accelerator, a share or an instance, or that have a claim.",
            (Query(f"count by (namespace) ({HOLDING_NOW})", "{{namespace}}"),),
        ),
    ),
)

PLAN = DashboardPlan(
    "fleet",
    "Accelerators: fleet",
    "Free, allocated, busy and broken accelerators of the cluster.",
    ACCELERATORS,
    (_GPUS, _RESOURCES, NODE_POOLS, PanelSection("Trouble", (firing(ALERTS),))),
)
