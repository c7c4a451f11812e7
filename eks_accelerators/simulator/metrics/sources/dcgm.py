"""DCGM exporter's page: one for each of its pods, with the GPUs of that node.

Which metrics: those of the list that the pod mounts. Which labels: `dcgm_labels`. Which figures: `dcgm_fields`.
Source: NVIDIA/dcgm-exporter d5e5f51 (chart 4.8.2), `internal/pkg/collector`, `internal/pkg/rendermetrics`; read 2026-11-22.
"""

import re
from collections.abc import Iterator, Sequence

from eks_accelerators.monitoring.metrics import Exporter, metrics
from eks_accelerators.simulator.kubernetes.advertisement import gpus_on
from eks_accelerators.simulator.kubernetes.roles import DCGM_EXPORTER, ROLE_LABEL
from eks_accelerators.simulator.metrics.cluster import ClusterObjects, Object, is_running, type_of
from eks_accelerators.simulator.metrics.devices import Device, Held, Holder, devices_of
from eks_accelerators.simulator.metrics.exposition import Sample, Target
from eks_accelerators.simulator.metrics.signs import Struck
from eks_accelerators.simulator.metrics.sources.dcgm_fields import Figure, Reading, figures
from eks_accelerators.simulator.metrics.sources.dcgm_labels import Configuration, copies, own_labels
from eks_accelerators.simulator.metrics.world import ScrapedWorld
from eks_accelerators.verification.cluster import labels_of

_PORT = 9400
_FIELD = re.compile(r"^\s*(DCGM_\w+)\s*,", re.M)
_CATALOGUE = frozenset(name for name, metric in metrics().items() if metric.exporter is Exporter.DCGM)
_HEALTH = "DCGM_EXP_GPU_HEALTH_STATUS"
"""DCGM checks whole GPUs: of a divided one there is no series of an instance. Source: `internal/pkg/collector/gpu_health_collector.go`."""


def scrape(world: ScrapedWorld) -> Iterator[tuple[Target, Sequence[Sample]]]:
    """A page for each pod that runs on a node whose driver sees GPUs."""
    for pod in world.cluster.pods:
        if labels_of(pod).get(ROLE_LABEL) != DCGM_EXPORTER or not is_running(pod):
            continue
        node = world.cluster.node(pod["spec"].get("nodeName", ""))
        if node is not None and (devices := devices_on(node, world.cluster)):
            target = world.target(Exporter.DCGM, pod, _PORT, "node")
            yield target, tuple(_samples(world, node, pod, devices))


def devices_on(node: Object, cluster: ClusterObjects) -> tuple[Device, ...]:
    """The GPUs and instances of a node; none where no driver sees any."""
    if type_of(node) is None:
        return ()
    name = node["metadata"]["name"]
    hardware = gpus_on(node, cluster.pods_by_node.get(name, ()), cluster.config_maps_by_name)
    return devices_of(name, hardware) if hardware else ()


def _samples(world: ScrapedWorld, node: Object, exporter: Object, devices: Sequence[Device]) -> Iterator[Sample]:
    struck = world.faults.on(node)
    configured = Configuration.of(exporter)
    held = _held(world, node, devices, struck)
    wanted = _wanted(exporter, world.cluster)
    divided = dict[tuple[str, ...], Sample]()
    for device in devices:
        of_gpu = struck if device.gpu.index == 0 else ()
        if any(each.signs.gone for each in of_gpu):
            continue
        holders = held[device.key]
        reading = Reading(world, device, holders, of_gpu)
        labels = own_labels(device, configured.hostname)
        for figure in figures(reading):
            if figure.name not in wanted:
                continue
            if device.profile and figure.name == _HEALTH:
                whole = own_labels(Device(device.gpu, device.gpu.memory_mib), configured.hostname)
                sample = Sample(figure.name, {**whole, **figure.labels}, figure.value)
                divided[device.gpu.uuid, figure.labels["health_watch"]] = sample
                continue
            for copy, holder in copies(figure.name, configured, holders):
                value = figure.value if holder is None else _of_pod(figure, holder, configured)
                yield Sample(figure.name, {**labels, **figure.labels, **copy}, value)
    yield from divided.values()


def _of_pod(figure: Figure, holder: Holder, configured: Configuration) -> float:
    """A pod's own figure: 0 where the exporter cannot tell whose a process is."""
    return figure.of_pod(holder) if figure.of_pod and configured.processes else 0


def _held(world: ScrapedWorld, node: Object, devices: Sequence[Device], struck: Sequence[Struck]) -> Held:
    """Who has what. A GPU that is not handed out, the first, is given to nobody new."""
    out = any(not each.signs.handed_out for each in struck)
    avoid = frozenset(device.key for device in devices if out and device.gpu.index == 0)
    pods = world.cluster.pods_by_node.get(node["metadata"]["name"], ())
    return world.assignments.of(node, devices, pods, world.cluster.claims, avoid)


def _wanted(exporter: Object, cluster: ClusterObjects) -> frozenset[str]:
    """The metrics of its list that are known; all of the catalogue where its list is in no ConfigMap."""
    for volume in exporter["spec"].get("volumes") or []:
        name = (volume.get("configMap") or {}).get("name", "")
        found = cluster.config_maps_by_name.get((exporter["metadata"]["namespace"], name))
        listed = {field for text in ((found or {}).get("data") or {}).values() for field in _FIELD.findall(text)}
        if listed:
            return frozenset(listed) & _CATALOGUE
    return _CATALOGUE
