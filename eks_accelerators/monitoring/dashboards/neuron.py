"""Neuron devices: Trainium and Inferentia. Their series exist while a runtime runs, and name no pod."""

from eks_accelerators.accelerators.sharing import NEURON_DEVICE
from eks_accelerators.monitoring.alerts.concerns import NEURON
from eks_accelerators.monitoring.alerts.phrases import NEURON_PRESENT
from eks_accelerators.monitoring.dashboards.plan import (
    BYTES,
    PER_SECOND,
    RATIO,
    SECONDS,
    WINDOW,
    DashboardPanel,
    DashboardPlan,
    PanelKind,
    PanelSection,
    Query,
    Variable,
)
from eks_accelerators.monitoring.dashboards.shared_panels import firing, names_of
from eks_accelerators.monitoring.metrics import resource_label

_HERE = 'node=~"$node"'
_DEVICES = f'resource="{resource_label(NEURON_DEVICE)}"'
_OF_GROUPS = f"and on (node_group) accelerator:allocatable{{{_DEVICES}}}"
_WHILE = "There is a series while a runtime runs: what is not drawn is not used."
_UNSHARED = "Neuron devices are not shared: a core belongs to one process."


def _panel(
    title: str, means: str, query: Query, unit: str, *, most: float | None = None, runbook: str = ""
) -> DashboardPanel:
    return DashboardPanel(
        title, PanelKind.TIME_SERIES, means, (query,), unit, concern=NEURON, most=most, runbook=runbook
    )


def _stat(title: str, means: str, expression: str, unit: str = "none") -> DashboardPanel:
    return DashboardPanel(title, PanelKind.STAT, means, (Query(expression),), unit, width=6, height=4, concern=NEURON)


_CORES = PanelSection(
    "Cores",
    (
        _stat("Devices", "Neuron devices that nodes offer.", f"sum (accelerator:allocatable{{{_DEVICES}}})"),
        _stat(
            "Allocated",
            f"Share of the devices that pods have asked for, as devices or as cores. {_UNSHARED}",
            f"avg (accelerator:allocated_ratio {_OF_GROUPS})",
            RATIO,
        ),
        _stat(
            "Cores with a runtime",
            f"NeuronCores of which there is a measurement. {_WHILE}",
            f"count (neuroncore_utilization_ratio{{{_HERE}}})",
        ),
        _stat(
            "Their use",
            f"On average over those cores. {_WHILE}",
            f"avg (neuroncore_utilization_ratio{{{_HERE}}})",
            RATIO,
        ),
        _panel(
            "Use, by node",
            f"Share of time in which NeuronCores worked, on average over those with a runtime. {_WHILE} {_UNSHARED}",
            Query(f"avg by (node) (neuroncore_utilization_ratio{{{_HERE}}})", "{{node}}"),
            RATIO,
            most=1,
            runbook="unused-accelerators",
        ),
        _panel(
            "Use, by core",
            f"Of every NeuronCore of the chosen nodes; its number is that of the node. {_WHILE}",
            Query(
                f"max by (node, neuroncore) (neuroncore_utilization_ratio{{{_HERE}}})", "{{node}} core {{neuroncore}}"
            ),
            RATIO,
            most=1,
            runbook="unused-accelerators",
        ),
    ),
)

_RUNTIMES = PanelSection(
    "Runtimes",
    (
        _panel(
            "Memory",
            "Of all runtimes of a node, on the host and on the devices. No pod is named: `runtime_tag` is the process, or "
            "`NEURON_PROCESS_TAG` of its environment.",
            Query(
                f"sum by (node, memory_location) (neuron_runtime_memory_used_bytes{{{_HERE}}})",
                "{{node}} {{memory_location}}",
            ),
            BYTES,
        ),
        _panel(
            "Latency of executions",
            "Of the slowest runtime of a node, by percentile.",
            Query(
                f'max by (node, percentile) (execution_latency_seconds{{{_HERE}, percentile=~"p50|p99"}})',
                "{{node}} {{percentile}}",
            ),
            SECONDS,
        ),
        _panel(
            "Executions",
            "A second, by how they ended. A series begins anew with each runtime.",
            Query(f"sum by (status_type) (rate(execution_status_total{{{_HERE}}}[{WINDOW}]))", "{{status_type}}"),
            PER_SECOND,
        ),
        _panel(
            "Errors of executions",
            "Since the runtimes began, by kind: the first error is no increase, since its series may be born with it.",
            Query(f"sum by (node, error_type) (execution_errors_total{{{_HERE}}})", "{{node}} {{error_type}}"),
            "none",
            runbook="neuron-devices",
        ),
        _panel(
            "Memory errors",
            "By device and kind. Whether the value is a sum is open: anything above 0 that was not corrected is a fault.",
            Query(
                f"max by (node, neuron_device_index, event_type) (hardware_ecc_events_total{{{_HERE}}})",
                "{{node}} device {{neuron_device_index}} {{event_type}}",
            ),
            "none",
            runbook="neuron-devices",
        ),
        firing(names_of("neuron", "missing"), concern=NEURON),
    ),
)

PLAN = DashboardPlan(
    "neuron",
    "Accelerators: Neuron",
    "NeuronCores, their memory, latency and errors.",
    NEURON,
    (_CORES, _RUNTIMES),
    (Variable("node", "Node", f'kube_node_labels{{{NEURON_PRESENT}="true"}}', "node"),),
)
