"""What a pod of a simulated node sees of its devices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from eks_accelerators.accelerators.instance_types import InstanceType
from eks_accelerators.accelerators.sharing import EFA_DEVICE
from eks_accelerators.simulator.kubernetes.nodes import EFA_INTERFACES_ANNOTATION, LOGICAL_CORE_ANNOTATION
from eks_accelerators.simulator.metrics.cluster import ClusterObjects, Object, type_of, uid
from eks_accelerators.simulator.metrics.devices import Assignments, Device, SimulatedGpu
from eks_accelerators.simulator.metrics.faults import DeviceFaults
from eks_accelerators.simulator.metrics.signs import Signs
from eks_accelerators.simulator.metrics.sources.dcgm import devices_on
from eks_accelerators.verification.cluster import labels_of, phase_of

Printed = tuple[str, int]
"""What a program prints, and its exit status."""

JOB_LABEL = "batch.kubernetes.io/job-name"
INDEX_ANNOTATION = "batch.kubernetes.io/job-completion-index"


class NoSuchPodError(KeyError):
    """The pod is not there, or on no node with accelerators."""


@dataclass(frozen=True)
class SimulatedMachine:
    """A node with accelerators, as one ``pod`` on it sees it: ``visible`` are the GPUs and instances that it was given.

    ``signs`` are those of faults that have struck. Of a GPU, the first of the node is the one that is struck.
    ``nodes`` are those of the pods of its Job, and ``signs_of_job`` those of the faults there.
    """

    kind: InstanceType
    node: Object
    pod: Object
    devices: tuple[Device, ...]
    visible: tuple[Device, ...]
    signs: tuple[Signs, ...] = ()
    nodes: int = 1
    signs_of_job: tuple[Signs, ...] = ()

    @property
    def present(self) -> tuple[Device, ...]:
        """What it sees of the devices that are there: not of a GPU that has gone."""
        return tuple(each for each in self.visible if not (self.has_lost and each.gpu.index == 0))

    @property
    def gpus(self) -> tuple[SimulatedGpu, ...]:
        """The GPUs of these devices, each once."""
        return tuple(dict.fromkeys(device.gpu for device in self.present))

    @cached_property
    def has_lost(self) -> bool:
        """Whether the first GPU of the node has gone."""
        return any(each.gone or 79 in each.xids for each in self.signs)

    @property
    def loses_visible(self) -> bool:
        """Whether a GPU has gone that it was given."""
        return self.has_lost and any(each.gpu.index == 0 for each in self.visible)

    @property
    def link_speed(self) -> float:
        """The part of their speed that links have."""
        return min((each.link_speed for each in self.signs), default=1.0)

    @property
    def network_speed(self) -> float:
        """The part of its speed that data has between the nodes of its Job, the slowest of them."""
        return min((min(each.network_speed, each.link_speed) for each in self.signs_of_job), default=1.0)

    @property
    def takes_tcp(self) -> bool:
        """Whether NCCL finds no EFA on this node."""
        return any(each.without_efa for each in self.signs)

    @property
    def volume_speed(self) -> float:
        """The part of their speed that volumes have."""
        return min((each.volume_speed for each in self.signs), default=1.0)

    @property
    def index_in_job(self) -> int:
        """Its number in an Indexed Job; 0 in others."""
        return int((self.pod["metadata"].get("annotations") or {}).get(INDEX_ANNOTATION, "0"))

    @property
    def logical_core_size(self) -> int | None:
        """Physical NeuronCores of a logical one, where the user data of the node says it."""
        size = (self.node["metadata"].get("annotations") or {}).get(LOGICAL_CORE_ANNOTATION)
        return int(size) if size else None

    @property
    def efa_interfaces(self) -> int:
        """How many EFA interfaces the instance has."""
        return int((self.node["metadata"].get("annotations") or {}).get(EFA_INTERFACES_ANNOTATION, "0"))

    @property
    def own_efa_interfaces(self) -> int:
        """How many of them the pod has."""
        requests = (self.pod["spec"]["containers"][0].get("resources") or {}).get("requests") or {}
        return min(self.efa_interfaces, int(requests.get(EFA_DEVICE, 0)))


def machine_of(pod: Object, cluster: ClusterObjects, faults: DeviceFaults) -> SimulatedMachine:
    """What ``pod`` sees. Raises `NoSuchPodError`.

    Pods of one Job are taken to have been there at a time, also where they have ended.
    """
    node = cluster.node(pod["spec"].get("nodeName", ""))
    kind = type_of(node) if node is not None else None
    if node is None or kind is None:
        raise NoSuchPodError(pod["metadata"]["name"])
    signs = tuple(struck.signs for struck in faults.on(node))
    devices = devices_on(node, cluster) if kind.has_nvidia_gpu else ()
    if any(each.undivided for each in signs):
        devices = _whole(devices)
    visible = devices if _sees_all(pod) else _given(pod, node, devices, cluster)
    peers = _nodes_of_job(pod, cluster)
    of_job = tuple(struck.signs for peer in peers for struck in faults.on(peer))
    return SimulatedMachine(kind, node, pod, devices, visible, signs, len(peers), of_job)


def _nodes_of_job(pod: Object, cluster: ClusterObjects) -> list[Object]:
    """The nodes of the pods of its Job, its own where it is of none."""
    job = labels_of(pod).get(JOB_LABEL)
    pods = [each for each in cluster.pods if job and labels_of(each).get(JOB_LABEL) == job] or [pod]
    names = dict.fromkeys(str(each["spec"].get("nodeName", "")) for each in pods)
    return [node for name in names if (node := cluster.node(name)) is not None]


def _whole(devices: Sequence[Device]) -> tuple[Device, ...]:
    """The GPUs of these devices, undivided."""
    gpus = dict.fromkeys(device.gpu for device in devices)
    return tuple(Device(gpu, gpu.memory_mib) for gpu in gpus)


def _sees_all(pod: Object) -> bool:
    """Whether its container is privileged and asks NVIDIA's runtime for all devices."""
    container: Mapping[str, object] = pod["spec"]["containers"][0]
    security = container.get("securityContext") or {}
    environment = {each["name"]: each.get("value") for each in container.get("env") or []}  # type: ignore[attr-defined]
    privileged = isinstance(security, Mapping) and bool(security.get("privileged"))
    return privileged and environment.get("NVIDIA_VISIBLE_DEVICES") == "all"


def _given(pod: Object, node: Object, devices: Sequence[Device], cluster: ClusterObjects) -> tuple[Device, ...]:
    """The devices that the kubelet gave to the pod, beside those of the other pods."""
    here = list(cluster.pods_by_node.get(node["metadata"]["name"], ()))
    job = labels_of(pod).get(JOB_LABEL)
    known = {uid(each) for each in here}
    here += [
        each
        for each in cluster.pods
        if uid(each) not in known
        and (uid(each) == uid(pod) or (job and labels_of(each).get(JOB_LABEL) == job))
        and each["spec"].get("nodeName") == node["metadata"]["name"]
    ]
    if pod["spec"].get("resourceClaims") and phase_of(pod) in ("Succeeded", "Failed"):
        # Its claim has gone with its end: it had GPUs that nobody has now.
        return _were_free(pod, node, devices, here, cluster)
    held = Assignments().of(node, devices, here, cluster.claims)
    return tuple(
        device for device in devices if any(uid(holder.pod) == uid(pod) for holder in held.get(device.key, ()))
    )


def _were_free(
    pod: Object, node: Object, devices: Sequence[Device], here: Sequence[Object], cluster: ClusterObjects
) -> tuple[Device, ...]:
    held = Assignments().of(node, devices, [each for each in here if uid(each) != uid(pod)], cluster.claims)
    free = [device for device in devices if not held.get(device.key)]
    return tuple(free[:1])
