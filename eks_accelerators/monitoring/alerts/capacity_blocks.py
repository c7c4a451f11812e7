"""Capacity Blocks that end.

When a block ends is known when rules are deployed, and stands in a recording rule. An extension moves it: it counts from
the next deployment on.
"""

from eks_accelerators.monitoring.alerts.alert import Alert, AlertSeverity
from eks_accelerators.monitoring.alerts.concerns import CAPACITY_BLOCKS

END = "accelerator:capacity_block_end_timestamp_seconds"
_LEFT = f"{END} - time()"
_WHEN = "In {{ $value | humanizeDuration }}. EKS drains its nodes 40 minutes before, EC2 ends them 30 minutes before."
_ASKED_FOR = "sum by (node_group) (accelerator:requested) > 0"
_CLAIMED = "max by (node_group) (accelerator:allocated_ratio) > 0"
"""GPUs that pods claim are no resource that they ask for."""

ALERTS = (
    Alert(
        "CapacityBlockEnding",
        f"({_LEFT} < 6 * 3600) > 0",
        AlertSeverity.WARNING,
        "capacity-block-ends",
        CAPACITY_BLOCKS,
        "The Capacity Block {{ $labels.capacity_block }} of {{ $labels.node_group }} ends",
        _WHEN,
    ),
    Alert(
        "CapacityBlockEndingInUse",
        f"(({_LEFT} < 90 * 60) > 0) and on (node_group) ({_ASKED_FOR} or {_CLAIMED})",
        AlertSeverity.CRITICAL,
        "capacity-block-ends",
        CAPACITY_BLOCKS,
        "The Capacity Block {{ $labels.capacity_block }} of {{ $labels.node_group }} ends under running pods",
        _WHEN,
    ),
)
