"""neuron-monitor's page: hardware counters always, everything else while something runs on the devices.

Source: aws-neuron/aws-neuron-sdk 81ce03a (SDK 2.32.0) and public copies of `neuron-monitor-prometheus.py`; read
2026-11-22. A runtime's tag is what `NEURON_PROCESS_TAG` says, else its process ID, which here is a number made of the
pod's UID. How long an execution takes, and how many there are, is made up.
"""

import zlib
from collections.abc import Iterator, Mapping, Sequence

from eks_accelerators.accelerators.instance_types import InstanceType
from eks_accelerators.accelerators.model_memory import GIB, usable_gib
from eks_accelerators.accelerators.sharing import NEURON_CORE, NEURON_DEVICE
from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.simulator.kubernetes.nodes import INSTANCE_TYPE_LABEL
from eks_accelerators.simulator.kubernetes.volumes import ZONE_LABEL
from eks_accelerators.simulator.metrics import load
from eks_accelerators.simulator.metrics.cluster import Object, is_running, type_of, uid
from eks_accelerators.simulator.metrics.devices import Holder
from eks_accelerators.simulator.metrics.exposition import Sample, Target
from eks_accelerators.simulator.metrics.signs import Struck
from eks_accelerators.simulator.metrics.world import ScrapedWorld
from eks_accelerators.verification.cluster import labels_of

APP = "neuron-monitor"
_PORT = 8000
_ERRORS = ("generic", "numeric", "transient", "model", "runtime", "hardware")
_STATUSES = (
    "completed",
    "completed_with_err",
    "completed_with_num_err",
    "timed_out",
    "incorrect_input",
    "failed_to_queue",
)
_ECC = ("mem_ecc_corrected", "mem_ecc_uncorrected", "sram_ecc_corrected", "sram_ecc_uncorrected")
_PERCENTILES = {"p0": 0.5, "p1": 0.6, "p25": 0.9, "p50": 1.0, "p75": 1.1, "p99": 1.5, "p100": 2.0}
_EXECUTIONS = 20.0
"""A second, at full load; its latency follows."""
_HOST_BYTES = 4 * GIB


def scrape(world: ScrapedWorld) -> Iterator[tuple[Target, Sequence[Sample]]]:
    """One page for each of its pods on a node with Neuron devices."""
    for pod in world.cluster.running(APP):
        node = world.cluster.node(pod["spec"].get("nodeName", ""))
        kind = type_of(node) if node is not None else None
        if node is not None and kind is not None and kind.neuron is not None:
            target = world.target(Exporter.NEURON_MONITOR, pod, _PORT, "node")
            yield target, tuple(_Node(node, kind, world).samples())


class _Node:
    """The devices of one node, and what runs on them."""

    def __init__(self, node: Object, kind: InstanceType, world: ScrapedWorld) -> None:
        assert kind.neuron is not None
        self._name = str(node["metadata"]["name"])
        self._kind, self._neuron, self._world = kind, kind.neuron, world
        self._struck: Sequence[Struck] = world.faults.on(node)
        labels = labels_of(node)
        zone = labels.get(ZONE_LABEL, "")
        self._own = {
            "instance_name": "",
            "instance_id": str(node["spec"].get("providerID", "")).rpartition("/")[2],
            "instance_type": labels.get(INSTANCE_TYPE_LABEL, ""),
            "availability_zone": zone,
            "region": labels.get("topology.kubernetes.io/region", zone[:-1]),
            "subnet_id": "",
        }

    def samples(self) -> Iterator[Sample]:
        """Everything on the page."""
        for device in range(self._neuron.device_count):
            for event in _ECC:
                # A fault is of the first device.
                seen = sum(each.signs.neuron_ecc.get(event, 0) for each in self._struck) if device == 0 else 0
                labels = {"event_type": event, "neuron_device_index": str(device)}
                yield Sample("hardware_ecc_events_total", {**self._own, **labels}, seen)
        core = 0
        for pod in self._world.cluster.pods_by_node.get(self._name, ()):
            for container in pod["spec"]["containers"]:
                cores = self._cores(container)
                if cores and is_running(pod):
                    yield from self._of_runtime(pod, container, range(core, core + cores))
                core += cores

    def _cores(self, container: Object) -> int:
        requests = (container.get("resources") or {}).get("requests") or {}
        devices = int(requests.get(NEURON_DEVICE, 0))
        return devices * self._neuron.cores_per_device + int(requests.get(NEURON_CORE, 0))

    def _of_runtime(self, pod: Object, container: Object, cores: range) -> Iterator[Sample]:
        own = {**self._own, "runtime_tag": _tag(pod, container)}
        busy = load.busy(Holder(pod, container["name"]), self._world.servers)
        for core in cores:
            yield Sample("neuroncore_utilization_ratio", {**own, "neuroncore": str(core)}, busy)
        share = len(cores) / (self._neuron.cores_per_device * self._neuron.device_count)
        memory = usable_gib(self._kind.accelerator.memory_mib or 0) * GIB * self._neuron.device_count * share
        for location, used in (("host", float(_HOST_BYTES)), ("neuron_device", memory)):
            yield Sample("neuron_runtime_memory_used_bytes", {**own, "memory_location": location}, used)
        for percentile, times in _PERCENTILES.items():
            yield Sample("execution_latency_seconds", {**own, "percentile": percentile}, times / _EXECUTIONS)
        yield from self._executions(own, uid(pod), busy)

    def _executions(self, own: Mapping[str, str], pod: str, busy: float) -> Iterator[Sample]:
        failing = 0.0
        for kind in _ERRORS:
            rate = sum(each.signs.execution_errors.get(kind, 0.0) for each in self._struck)
            failing += rate
            yield Sample("execution_errors_total", {**own, "error_type": kind}, self._grown(pod, kind, rate))
        for status in _STATUSES:
            rate = {"completed": busy * _EXECUTIONS, "completed_with_err": failing}.get(status, 0.0)
            yield Sample("execution_status_total", {**own, "status_type": status}, self._grown(pod, status, rate))

    def _grown(self, pod: str, what: str, rate: float) -> float:
        return self._world.meters.grown((APP, pod, what), rate, self._world.now)


def _tag(pod: Object, container: Object) -> str:
    for entry in container.get("env") or []:
        if entry["name"] == "NEURON_PROCESS_TAG" and "value" in entry:
            return str(entry["value"])
    return str(zlib.crc32(uid(pod).encode()) % 4_000_000 + 100)
