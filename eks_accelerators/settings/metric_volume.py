"""How many GiB of metrics a stack has: an estimate, for a volume that is to hold them.

The numbers of series are estimates: what clusters of this kind had, rounded up. Bytes of a sample: Prometheus documentation 3,
`storage` (1 to 2 on average), read 2026-11-22.
"""

from eks_accelerators.accelerators.sharing import shares
from eks_accelerators.settings.resolved_stack import ResolvedStack

SERIES_OF_A_CLUSTER = 40_000
"""Of the API server, CoreDNS, the system's pods and Prometheus itself."""
SERIES_OF_A_NODE = 3_000
"""Of node-exporter, the kubelet with its containers, and kube-state-metrics."""
SERIES_OF_A_DEVICE = 60
"""Of an exporter of accelerators, for each device and once more for each share of it."""

_BYTES_OF_A_SAMPLE = 2
_INTERVAL_SECONDS = 30
_DAY_SECONDS = 86_400


def series(stack: ResolvedStack) -> int:
    """Series of the stack with every node group at its largest size."""
    nodes = stack.settings.system_node_group.size.max
    found = SERIES_OF_A_CLUSTER
    for group in stack.groups.values():
        size = group.settings.size.max
        nodes += size
        of_shares = sum(share.count for share in shares(group.type, group.sharing))
        found += size * SERIES_OF_A_DEVICE * (group.type.accelerator.count + of_shares)
    return found + nodes * SERIES_OF_A_NODE


def metrics_gib(stack: ResolvedStack, days: int) -> float:
    """GiB that Prometheus keeps for metrics of so many ``days``."""
    return series(stack) * days * _DAY_SECONDS / _INTERVAL_SECONDS * _BYTES_OF_A_SAMPLE / 2**30
