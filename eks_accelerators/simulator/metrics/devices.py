"""The GPUs and MIG instances of a node, and which pods hold which of them.

Claimed GPUs are allocated by the scheduler, and its claims say which. What kubelets give of a device plugin's resource is
in no object of the API: here the first free device is taken, of shared ones that which fewest have, as NVIDIA's plugin
prefers (NVIDIA/k8s-device-plugin v0.20.0, `internal/rm/allocate.go`), and a pod keeps what it has.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from eks_accelerators.accelerators import device_plugin, gpus, mig
from eks_accelerators.accelerators.device_plugin.nodes import MIG_PREFIX
from eks_accelerators.accelerators.sharing import NVIDIA_GPU
from eks_accelerators.simulator.kubernetes import resource_slices
from eks_accelerators.simulator.kubernetes.charts.dra_driver import DRIVER
from eks_accelerators.simulator.metrics.cluster import Object, uid

_SHARED = ".shared"
"""What a shared resource's name ends in where it is called otherwise than whole ones."""


@dataclass(frozen=True, slots=True)
class SimulatedGpu:
    """One GPU. ``uuid`` is made of the node's name, as in its ResourceSlice; ``memory_mib`` is what the driver says, which DCGM asks,
    and 0 where nobody says it.
    """

    node: str
    index: int
    uuid: str
    model: str
    name: str
    memory_mib: int
    linked: bool
    """Whether NVLinks connect it to others of the node."""


@dataclass(frozen=True, slots=True)
class Device:
    """A GPU, or a MIG instance of one: then ``profile`` and ``instance`` say which."""

    gpu: SimulatedGpu
    memory_mib: int
    profile: str = ""
    instance: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from others of the node."""
        return self.gpu.uuid, self.instance


@dataclass(frozen=True, slots=True)
class Claim:
    """Of which claim a pod has a device."""

    name: str
    namespace: str
    pool: str
    device: str
    driver: str = DRIVER


@dataclass(frozen=True, slots=True)
class Holder:
    """A container that has a device, or a share of it: then ``share`` is its number. ``resource`` is empty of a claim."""

    pod: Object
    container: str
    resource: str = ""
    share: str | None = None
    claim: Claim | None = None


Held = Mapping[tuple[str, str], Sequence[Holder]]
"""Who has a device, by its key."""


def devices_of(node: str, hardware: device_plugin.Node) -> tuple[Device, ...]:
    """Every GPU that is not divided, and every instance of those that are."""
    kind = hardware.instance_type
    memory = gpus.driver_memory_mib(kind.accelerator.name, kind.accelerator.memory_mib) or 0
    divided = mig.gpu_of(kind)
    found: list[Device] = []
    published = resource_slices.devices_of(kind, node)
    for index, (layout, slice_of) in enumerate(zip(hardware.layouts, published, strict=True)):
        attributes = slice_of["attributes"]
        linked = gpus.are_linked(kind.accelerator.name, kind.accelerator.count)
        gpu = SimulatedGpu(
            node,
            index,
            attributes["uuid"]["string"],
            attributes["productName"]["string"],
            kind.accelerator.name,
            memory,
            linked,
        )
        if layout is None or divided is None:
            found.append(Device(gpu, memory))
            continue
        placed = mig.place(divided, layout) or ()
        found += [
            Device(gpu, mig.instance_memory_mib(divided, each.profile, memory), each.profile, str(number))
            for number, each in enumerate(placed, 1)
        ]
    return tuple(found)


class Assignments:
    """Who has which device, from round to round."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str, str, str], list[tuple[tuple[str, str], str | None]]] = {}
        """Devices and shares by node, pod, container and resource."""

    def of(
        self,
        node: Object,
        devices: Sequence[Device],
        pods: Sequence[Object],
        claims: Sequence[Object],
        avoid: frozenset[tuple[str, str]] = frozenset(),
    ) -> Held:
        """Who has the node's ``devices``: ``pods`` are those on it. Nothing new is taken from those to ``avoid``."""
        held: dict[tuple[str, str], list[Holder]] = {device.key: [] for device in devices}
        name = node["metadata"]["name"]
        asked = list(_asked(pods))
        there = {(name, uid(pod), container, resource) for pod, container, resource, _ in asked}
        self._kept = {key: kept for key, kept in self._kept.items() if key[0] != name or key in there}
        taken: Counter[tuple[str, str, str]] = Counter(
            (key[3], *device) for key, kept in self._kept.items() if key[0] == name for device, _ in kept
        )
        for pod, container, resource, count in asked:
            key = (name, uid(pod), container, resource)
            if key not in self._kept:
                self._kept[key] = _take(node, resource, count, devices, taken, self._shares(name, resource), avoid)
            for device, share in self._kept[key]:
                if device in held:
                    held[device].append(Holder(pod, container, resource, share))
        for claimed, holder in _claimed(node, devices, pods, claims):
            held[claimed.key].append(holder)
        return held

    def _shares(self, node: str, resource: str) -> set[tuple[tuple[str, str], str | None]]:
        return {
            each for key, kept in self._kept.items() if (key[0], key[3]) == (node, resource) for each in kept if each[1]
        }


def _asked(pods: Iterable[Object]) -> Iterator[tuple[Object, str, str, int]]:
    """What containers ask for of NVIDIA's devices: pod, container, resource and how many."""
    for pod in pods:
        for container in pod["spec"]["containers"]:
            requests = (container.get("resources") or {}).get("requests") or {}
            for resource in sorted(requests):
                if _is_gpu(resource) and int(requests[resource]):
                    yield pod, container["name"], resource, int(requests[resource])


def _is_gpu(resource: str) -> bool:
    return resource.removesuffix(_SHARED) == NVIDIA_GPU or resource.startswith(MIG_PREFIX)


def _take(
    node: Object,
    resource: str,
    count: int,
    devices: Sequence[Device],
    taken: "Counter[tuple[str, str, str]]",
    shares: set[tuple[tuple[str, str], str | None]],
    avoid: frozenset[tuple[str, str]],
) -> list[tuple[tuple[str, str], str | None]]:
    """Devices for a container that is new, each with the number of the share where it is shared."""
    candidates = _candidates(resource, devices)
    if not candidates:
        return []
    capacity = int(((node.get("status") or {}).get("capacity") or {}).get(resource, 0))
    replicas = max(1, capacity // len(candidates))
    found: list[tuple[tuple[str, str], str | None]] = []
    for _ in range(count):
        free = [each for each in candidates if each.key not in avoid and taken[resource, *each.key] < replicas]
        if not free:
            break
        key = min(free, key=lambda each: taken[resource, *each.key]).key
        share = next((str(n) for n in range(replicas) if (key, str(n)) not in shares), None) if replicas > 1 else None
        taken[resource, *key] += 1
        shares.add((key, share))
        found.append((key, share))
    return found


def _candidates(resource: str, devices: Sequence[Device]) -> list[Device]:
    """The devices that a resource stands for: under MIG's strategy `single` instances are called GPUs."""
    name = resource.removesuffix(_SHARED)
    if name == NVIDIA_GPU:
        return [each for each in devices if not each.profile] or list(devices)
    return [each for each in devices if each.profile and mig.resource_of(each.profile) == name]


def _claimed(
    node: Object, devices: Sequence[Device], pods: Sequence[Object], claims: Sequence[Object]
) -> Iterator[tuple[Device, Holder]]:
    """Devices that claims of the node's pods have. The name of a device ends in its index."""
    by_uid = {uid(pod): pod for pod in pods}
    whole = {f"gpu-{each.gpu.index}": each for each in devices if not each.profile}
    for claim in claims:
        status, metadata = claim.get("status") or {}, claim["metadata"]
        results = ((status.get("allocation") or {}).get("devices") or {}).get("results") or []
        users = [by_uid[each["uid"]] for each in status.get("reservedFor") or [] if each["uid"] in by_uid]
        for result in results:
            if result["driver"] != DRIVER or result["pool"] != node["metadata"]["name"]:
                continue
            of_claim = Claim(metadata["name"], metadata["namespace"], result["pool"], result["device"])
            for pod in users:
                if result["device"] in whole:
                    container = _user_of(pod, metadata["name"])
                    yield whole[result["device"]], Holder(pod, container, claim=of_claim)


def _user_of(pod: Object, claim: str) -> str:
    """The first container that uses the claim."""
    made = {each["name"]: each.get("resourceClaimName") for each in (pod["status"].get("resourceClaimStatuses") or [])}
    names = {
        each["name"]
        for each in pod["spec"].get("resourceClaims") or []
        if claim in (each.get("resourceClaimName"), made.get(each["name"]))
    }
    for container in pod["spec"]["containers"]:
        used = {each["name"] for each in (container.get("resources") or {}).get("claims") or []}
        if used & names:
            return str(container["name"])
    return str(pod["spec"]["containers"][0]["name"])
