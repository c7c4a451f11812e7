"""Whether a stack needs AWS's neuron-monitor, which no chart of its own brings, and what it takes."""

from eks_accelerators.settings.model.monitoring import PrometheusKind
from eks_accelerators.settings.release_inputs import NeuronMonitorInputs
from eks_accelerators.settings.resolved_stack import ResolvedStack
from eks_accelerators.settings.tolerations import for_groups

NEURON_MONITOR = "neuron-monitor"
"""Its name: that of its component in a stack, of its pods and of its namespace."""


def neuron_monitor(stack: ResolvedStack) -> NeuronMonitorInputs | None:
    """What it takes, or None where no node has Neuron devices or nobody reads its metrics."""
    served = [group for group in stack.groups.values() if not group.type.has_nvidia_gpu]
    monitoring = stack.settings.monitoring
    wanted = monitoring.neuron_monitor.enabled and monitoring.prometheus is not PrometheusKind.NONE
    if not (wanted and served):
        return None
    return NeuronMonitorInputs(tolerations=for_groups(served, monitoring.neuron_monitor.tolerations))
