"""What a kubelet reports of a machine: its capacity, and what of it pods may take, as Kubernetes quantities.

Processors, memory and pods are those of `eks_accelerators.accelerators.node_capacity`. Source of the rest: as there.
"""

from eks_accelerators.accelerators.node_capacity import HUGE_PAGES, Machine

_GIB = 1024**3

_RESERVED_STORAGE_BYTES = _GIB
_EVICTION_STORAGE = 0.10000000149011612
"""10 % as the kubelet computes it, in a float of 32 bits."""

_STORAGE_OUTSIDE_BYTES = 77844 * 1024
"""Of a root volume for other partitions and the file system's own use: as a real g4dn.xlarge showed."""


def capacity(machine: Machine, storage_bytes: int, huge_pages: int) -> dict[str, str]:
    """`status.capacity` without extended resources; ``huge_pages`` are of 2 MiB."""
    return {
        "cpu": str(machine.vcpus),
        "memory": f"{machine.memory_mib}Mi",
        "ephemeral-storage": str(storage_bytes),
        "pods": str(machine.pods),
        "hugepages-1Gi": "0",
        HUGE_PAGES: f"{2 * huge_pages}Mi" if huge_pages else "0",
    }


def allocatable(machine: Machine, storage_bytes: int, huge_pages: int) -> dict[str, str]:
    """`status.allocatable`: the capacity less kube-reserved, less the eviction threshold; and less huge pages."""
    room = machine.allocatable(huge_pages)
    storage = storage_bytes - _RESERVED_STORAGE_BYTES - int(storage_bytes * _EVICTION_STORAGE)
    return {
        **capacity(machine, storage_bytes, huge_pages),
        "cpu": f"{room.millicores}m",
        "memory": f"{room.memory_mib}Mi",
        "ephemeral-storage": str(storage),
    }


def storage_bytes(root_gib: int, raid0_gb: int) -> int:
    """The file system of images and pods: RAID 0 over local NVMe where there is one, else the root volume."""
    return raid0_gb * 1000**3 if raid0_gb else root_gib * _GIB - _STORAGE_OUTSIDE_BYTES
