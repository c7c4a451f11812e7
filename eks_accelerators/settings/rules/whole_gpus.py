"""What is said where a workload takes whole GPUs and its node group shares them."""

from collections.abc import Iterator

from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.rules.registry import RuleFinding


def shared_where_whole(path: str, group: ResolvedNodeGroup) -> Iterator[RuleFinding]:
    """Finding for the workload at ``path``, which takes whole GPUs, where ``group`` shares its own."""
    if group.sharing.strategy != "exclusive":
        yield RuleFinding(
            f"{path}.nodeGroup",
            f"{group.name} is shared by {group.sharing.strategy}",
            group.name,
            "a node group with whole GPUs",
            "use a node group whose sharing is exclusive",
        )
