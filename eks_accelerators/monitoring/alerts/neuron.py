"""Alerts about broken Neuron devices."""

from eks_accelerators.monitoring.alerts.alert import Alert, AlertSeverity
from eks_accelerators.monitoring.alerts.concerns import NEURON
from eks_accelerators.monitoring.alerts.phrases import grown

ALERTS = (
    Alert(
        "NeuronExecutionErrors",
        grown('execution_errors_total{error_type=~"hardware|runtime|generic"}', "10m", "node, error_type") + " > 0",
        AlertSeverity.CRITICAL,
        "neuron-devices",
        NEURON,
        "Executions fail on the Neuron devices of {{ $labels.node }}",
        '{{ $value | printf "%.0f" }} of kind {{ $labels.error_type }} within 10 minutes.',
    ),
    Alert(
        "NeuronUncorrectableEcc",
        # Not how much it grows: whether neuron-monitor adds up what is a sum already is open.
        "max by (node, neuron_device_index, event_type)"
        ' (hardware_ecc_events_total{event_type=~"(mem|sram)_ecc_uncorrected"}) > 0',
        AlertSeverity.CRITICAL,
        "neuron-devices",
        NEURON,
        "Neuron device {{ $labels.neuron_device_index }} of {{ $labels.node }} has memory errors",
        "{{ $labels.event_type }}",
    ),
)
