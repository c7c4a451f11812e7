"""What the one container of a workload's pod asks for: pure data, no resources."""

from eks_accelerators.accelerators.node_capacity import HUGE_PAGES
from eks_accelerators.settings.model.workload import Workload
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup


def pod_resources(workload: Workload, group: ResolvedNodeGroup) -> dict[str, dict[str, str]]:
    """Requests and limits of the container; without accelerators where those of ``group`` are claimed."""
    wanted = workload.resources
    # Extended resources: request and limit are equal, and whole numbers.
    extended = {} if group.is_claimed else {workload.resource_name or group.resource: str(workload.accelerators)}
    for name, amount in workload.other_devices.items():
        extended[name] = f"{amount}Mi" if name == HUGE_PAGES else str(amount)
    return {
        "requests": {"cpu": wanted.cpu, "memory": f"{wanted.memory_gib}Gi", **extended},
        "limits": {"memory": f"{wanted.memory_limit_gib}Gi", **extended},
    }
