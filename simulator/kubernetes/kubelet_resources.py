"""What a kubelet reports of a machine: its capacity, and what of it pods may take.

Sources: awslabs/amazon-eks-ami, `nodeadm/internal/kubelet` (`config.go`, `eni_max_pods.go`), the EKS user guide on
`maxPods` of managed node groups, and `kubectl describe node` of a g4dn.xlarge on EKS 1.34 (public, 2025-11-25), which
these formulas reproduce; read 2026-11-20. Bottlerocket reserves by the same formula. Kubernetes quantities as text.
"""

from dataclasses import dataclass

from accelerators import instance_types, system_instance_types
from accelerators.instance_types import InstanceType

HUGE_PAGES = "hugepages-2Mi"

_MIB = 1024**2
_GIB = 1024**3

_EVICTION_MIB = 100
_RESERVED_MIB = 255
_RESERVED_MIB_A_POD = 11
_RESERVED_STORAGE_BYTES = _GIB
_EVICTION_STORAGE = 0.10000000149011612
"""10 % as the kubelet computes it, in a float of 32 bits."""

_MEMORY_FOR_PAGES = 64
"""The kernel keeps 64 bytes for every page of 4 KiB: one part in 64 of the memory."""

_MEMORY_OUTSIDE_MIB = 342
"""What firmware and kernel keep besides: an estimate, by which a g4dn.xlarge has the memory that a real one showed."""

_STORAGE_OUTSIDE_BYTES = 77844 * 1024
"""Of a root volume for other partitions and the file system's own use: as that machine showed."""

_DEFAULT_PODS = 110
"""The kubelet's, where a type's interfaces are not known."""

_FEW_VCPUS = 30
_MOST_PODS_ON_FEW_VCPUS = 110
_MOST_PODS = 250
"""EKS caps `maxPods` in managed node groups: 110 below 30 vCPUs, 250 from there."""

_SYSTEM_INTERFACES = {"large": (3, 10), "xlarge": (4, 15), "2xlarge": (4, 15), "4xlarge": (8, 30)}
"""Interfaces and addresses of each, by size: of every type in the table of system types, save those below."""

_SYSTEM_ADDRESSES = {
    ("m8i", "large"): 20,
    ("m8i", "xlarge"): 30,
    ("m8i", "2xlarge"): 30,
    ("m8i", "4xlarge"): 50,
    **{(family, "large"): 12 for family in ("t3", "t3a", "t4g")},
}

HUGE_PAGES_OF_EFA = 5128
"""Huge pages of 2 MiB that the EFA driver takes at start (AL2023 image)."""


class UnknownNodeTypeError(ValueError):
    """An instance type whose processors and memory are in neither table."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(
            f"the processors and memory of {name!r} are not known: it is neither among the accelerated instance types "
            "nor among the system instance types"
        )


@dataclass(frozen=True)
class Machine:
    """What a kubelet sees of an instance. ``memory_mib`` is that of the type, of which the kernel takes a part.

    ``uncapped_pods`` is what the network interfaces allow: nodeadm reserves memory for as many.
    """

    architecture: str
    vcpus: int
    memory_mib: int
    uncapped_pods: int

    @property
    def pods(self) -> int:
        """How many pods the kubelet takes."""
        most = _MOST_PODS_ON_FEW_VCPUS if self.vcpus < _FEW_VCPUS else _MOST_PODS
        return min(self.uncapped_pods, most)

    @property
    def reserved_cpu_millicores(self) -> int:
        """6 % of the first core, 1 % of the second, 0.5 % of the next two, 0.25 % of the rest."""
        bounds, shares = (0, 1000, 2000, 4000, max(4000, self.vcpus * 1000)), (600, 100, 50, 25)
        total = self.vcpus * 1000
        return sum(
            (min(total, end) - start) * share // 10000
            for start, end, share in zip(bounds, bounds[1:], shares, strict=False)
            if total > start
        )


def machine(instance_type: str) -> Machine:
    """The machine of ``instance_type``; raises `UnknownNodeTypeError`."""
    accelerated = instance_types.find(instance_type)
    if accelerated:
        return Machine(accelerated.architecture, accelerated.vcpus, accelerated.memory_mib, _pods_of(accelerated))
    system = system_instance_types.find(instance_type)
    if system:
        family, _, size = instance_type.partition(".")
        interfaces, addresses = _SYSTEM_INTERFACES[size]
        addresses = _SYSTEM_ADDRESSES.get((family, size), addresses)
        return Machine(system.architecture, system.vcpus, system.memory_mib, _pods(interfaces, addresses))
    raise UnknownNodeTypeError(instance_type)


def capacity(machine: Machine, storage_bytes: int, huge_pages: int) -> dict[str, str]:
    """`status.capacity` without extended resources; ``huge_pages`` are of 2 MiB."""
    return {
        "cpu": str(machine.vcpus),
        "memory": f"{_memory_mib(machine)}Mi",
        "ephemeral-storage": str(storage_bytes),
        "pods": str(machine.pods),
        "hugepages-1Gi": "0",
        HUGE_PAGES: f"{2 * huge_pages}Mi" if huge_pages else "0",
    }


def allocatable(machine: Machine, storage_bytes: int, huge_pages: int) -> dict[str, str]:
    """`status.allocatable`: the capacity less kube-reserved, less the eviction threshold; and less huge pages."""
    reserved = _RESERVED_MIB + _RESERVED_MIB_A_POD * machine.uncapped_pods + _EVICTION_MIB
    storage = storage_bytes - _RESERVED_STORAGE_BYTES - int(storage_bytes * _EVICTION_STORAGE)
    return {
        **capacity(machine, storage_bytes, huge_pages),
        "cpu": f"{machine.vcpus * 1000 - machine.reserved_cpu_millicores}m",
        "memory": f"{_memory_mib(machine) - reserved - 2 * huge_pages}Mi",
        "ephemeral-storage": str(storage),
    }


def storage_bytes(root_gib: int, raid0_gb: int) -> int:
    """The file system of images and pods: RAID 0 over local NVMe where there is one, else the root volume."""
    return raid0_gb * 1000**3 if raid0_gb else root_gib * _GIB - _STORAGE_OUTSIDE_BYTES


def _memory_mib(machine: Machine) -> int:
    return machine.memory_mib - machine.memory_mib // _MEMORY_FOR_PAGES - _MEMORY_OUTSIDE_MIB


def _pods_of(kind: InstanceType) -> int:
    """Only interfaces of card 0 carry pods, so a type with 64 of them on 32 cards has addresses for 2."""
    interfaces, addresses = kind.network.interfaces_per_card, kind.network.ipv4_per_interface
    if interfaces is None or addresses is None:
        return _DEFAULT_PODS
    return _pods(interfaces, addresses)


def _pods(interfaces: int, addresses: int) -> int:
    """Each interface's first address is its own; two pods use the host's network."""
    return interfaces * (addresses - 1) + 2
