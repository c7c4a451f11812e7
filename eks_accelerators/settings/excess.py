"""What one pod of a workload asks for beyond what a node of its group has for it."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import floor

from eks_accelerators.accelerators.node_capacity import HUGE_PAGES, headroom_for_workloads
from eks_accelerators.accelerators.sharing import EFA_DEVICE
from eks_accelerators.settings.fit import cpu_cores
from eks_accelerators.settings.model.workload import Workload
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup


@dataclass(frozen=True, slots=True)
class Excess:
    """One resource, by its name in a pod. ``setting`` is where a workload asks for it, ``asked`` and ``room`` are in words."""

    resource: str
    setting: str
    asked: str
    room: str


def excess_of(workload: Workload, group: ResolvedNodeGroup) -> Iterator[Excess]:
    """Every resource of which one pod asks for more than a node has; of EFA that a node lacks its own rule speaks."""
    yield from _of_the_machine(workload, group)
    offered = group.share_of(workload.resource_name)
    there = {**group.resources, HUGE_PAGES: group.huge_pages_mib, offered.resource: offered.count}
    asked = {offered.resource: workload.accelerators, **workload.other_devices}
    lacks_efa = asked.get(EFA_DEVICE, 0) > there.get(EFA_DEVICE, 0)
    settings = {EFA_DEVICE: "efaInterfaces", HUGE_PAGES: "hugePagesMib"}
    for name, count in asked.items():
        if count > there.get(name, 0) and not (lacks_efa and name in settings):
            unit = f"MiB of {name}" if name == HUGE_PAGES else name
            setting = settings.get(name, workload.ACCELERATORS)
            yield Excess(name, setting, f"{count} {unit}", f"{there.get(name, 0)} {unit}")


def _of_the_machine(workload: Workload, group: ResolvedNodeGroup) -> Iterator[Excess]:
    """CPU and memory, of which a node leaves its pods less than its type has."""
    room = headroom_for_workloads(group.type, efa=group.has_efa, storage_drivers=group.storage_drivers)
    cores, gib = cpu_cores(workload.resources.cpu), workload.resources.memory_gib
    if cores * 1000 > room.millicores:
        left = f"{room.millicores / 1000:g} CPU, what a node of {group.type.vcpus} vCPU leaves to workloads"
        yield Excess("cpu", "resources.cpu", f"{cores:g} CPU", left)
    if gib * 1024 > room.memory_mib:
        has = f"a node of {group.type.memory_mib / 1024:g} GiB"
        left = f"{floor(room.memory_mib / 1024)} GiB, what {has} leaves to workloads"
        yield Excess("memory", "resources.memoryGib", f"{gib} GiB", left)
