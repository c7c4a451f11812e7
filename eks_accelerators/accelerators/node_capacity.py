"""What a kubelet has of a machine, and what of it pods may take: processors, memory and pods.

Sources: awslabs/amazon-eks-ami, `nodeadm/internal/kubelet` (`config.go`, `eni_max_pods.go`), the EKS user guide on
`maxPods` of managed node groups, and `kubectl describe node` of a g4dn.xlarge on EKS 1.34 (public, 2025-11-25), which
these formulas reproduce; read 2026-11-20. Bottlerocket reserves by the same formula.
"""

from dataclasses import dataclass
from math import floor

from eks_accelerators.accelerators import instance_types, system_instance_types
from eks_accelerators.accelerators.instance_types import InstanceType

_EVICTION_MIB = 100
_RESERVED_MIB = 255
_RESERVED_MIB_A_POD = 11

_MEMORY_FOR_PAGES = 64
"""The kernel keeps 64 bytes for every page of 4 KiB: one part in 64 of the memory."""

_MEMORY_OUTSIDE_MIB = 342
"""What firmware and kernel keep besides: an estimate, by which a g4dn.xlarge has the memory that a real one showed."""

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

HUGE_PAGES = "hugepages-2Mi"
"""What Kubernetes calls huge pages of 2 MiB."""

HUGE_PAGES_OF_EFA = 5128
"""Huge pages of 2 MiB that the EFA driver takes at start (AL2023 image)."""

HUGE_PAGES_OF_EFA_ON_BOTTLEROCKET = 3000
"""`vm.nr_hugepages` for EFA on Bottlerocket, from the EKS user guide's example."""

_DAEMONS = 16
_DAEMONS_MILLICORES = 350
_DAEMONS_MIB = 400
"""Pods of DaemonSets on an accelerator node, and what they ask for together: an estimate on the safe side of what the
add-ons of EKS and the plugins and exporters of this project ask for by default (network, proxy, EBS, pod identity,
node monitoring, CloudWatch's three, device plugin, feature discovery, metrics, node exporter, EFA). The most there are are 16,
beside the GPU Operator with EFA, by the charts and the manifests of the add-ons; a test counts them."""

_STORAGE_DRIVER = (10, 40)
"""Millicores and MiB that the pod of a CSI driver of FSx, EFS or S3 asks for on each node, where a stack mounts such storage."""


class UnknownNodeTypeError(ValueError):
    """An instance type whose processors and memory are in neither table."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(
            f"the processors and memory of {name!r} are not known: it is neither among the accelerated instance types "
            "nor among the system instance types"
        )


@dataclass(frozen=True, slots=True)
class Headroom:
    """What pods may ask for on one node: millicores, MiB, and how many pods."""

    millicores: int
    memory_mib: int
    pods: int

    def holds(self, millicores: float, memory_mib: int) -> dict[str, int]:
        """How many pods that each ask for so much there is room for: by `cpu`, by `memory` and by `pods`."""
        by_cpu = {"cpu": floor(self.millicores / millicores)} if millicores else {}
        return {**by_cpu, "memory": self.memory_mib // memory_mib, "pods": self.pods}


@dataclass(frozen=True)
class Machine:
    """What a kubelet sees of an instance. ``type_memory_mib`` is that of the type, of which the kernel takes a part.

    ``uncapped_pods`` is what the network interfaces allow: nodeadm reserves memory for as many.
    """

    architecture: str
    vcpus: int
    type_memory_mib: int
    uncapped_pods: int

    @property
    def pods(self) -> int:
        """How many pods the kubelet takes."""
        most = _MOST_PODS_ON_FEW_VCPUS if self.vcpus < _FEW_VCPUS else _MOST_PODS
        return min(self.uncapped_pods, most)

    @property
    def memory_mib(self) -> int:
        """Memory that the kernel has, in MiB."""
        return self.type_memory_mib - self.type_memory_mib // _MEMORY_FOR_PAGES - _MEMORY_OUTSIDE_MIB

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

    def allocatable(self, huge_pages: int = 0) -> Headroom:
        """What all pods together may take: less kube-reserved, the eviction threshold and huge pages of 2 MiB."""
        reserved = _RESERVED_MIB + _RESERVED_MIB_A_POD * self.uncapped_pods + _EVICTION_MIB
        return Headroom(
            self.vcpus * 1000 - self.reserved_cpu_millicores, self.memory_mib - reserved - 2 * huge_pages, self.pods
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


def headroom_for_workloads(kind: InstanceType, *, efa: bool = False, storage_drivers: int = 0) -> Headroom:
    """What is left on a node when the pods of DaemonSets have theirs: an estimate. ``efa`` says that EFA is attached,
    ``storage_drivers`` how many CSI drivers run besides that of EBS.
    """
    whole = machine(kind.name).allocatable(HUGE_PAGES_OF_EFA if efa else 0)
    millicores, memory_mib = (each * storage_drivers for each in _STORAGE_DRIVER)
    return Headroom(
        whole.millicores - _DAEMONS_MILLICORES - millicores,
        whole.memory_mib - _DAEMONS_MIB - memory_mib,
        whole.pods - _DAEMONS - storage_drivers,
    )


def _pods_of(kind: InstanceType) -> int:
    """Only interfaces of card 0 carry pods, so a type with 64 of them on 32 cards has addresses for 2."""
    interfaces, addresses = kind.network.interfaces_per_card, kind.network.ipv4_per_interface
    if interfaces is None or addresses is None:
        return _DEFAULT_PODS
    return _pods(interfaces, addresses)


def _pods(interfaces: int, addresses: int) -> int:
    """Each interface's first address is its own; two pods use the host's network."""
    return interfaces * (addresses - 1) + 2
