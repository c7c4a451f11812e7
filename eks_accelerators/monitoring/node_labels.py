"""The labels of nodes that rules and dashboards ask for: kube-state-metrics shows none unless it is told which."""

from eks_accelerators.accelerators import scheduling

NODE_LABELS = (
    scheduling.NVIDIA.label_key,
    scheduling.NEURON.label_key,
    scheduling.NODE_GROUP_LABEL,
    scheduling.DRA_LABEL,
    "node.kubernetes.io/instance-type",
    "topology.kubernetes.io/zone",
)
"""By their keys on a node."""

ALLOWED = f"nodes=[{','.join(NODE_LABELS)}]"
"""The same as kube-state-metrics takes them: an entry of `metricLabelsAllowlist`."""
