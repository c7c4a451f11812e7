"""What kubelets report of the devices of their nodes: what plugins advertise there, and how much of it is healthy."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

from eks_accelerators.simulator.kubernetes import label_pruning, operator_labels, resource_slices
from eks_accelerators.simulator.kubernetes.advertisement import advertised
from eks_accelerators.simulator.kubernetes.api import Api
from eks_accelerators.simulator.kubernetes.parallel import in_parallel
from eks_accelerators.simulator.kubernetes.roles import GPU_OPERATOR, ROLE_LABEL

_Node = dict[str, Any]
_Devices = tuple[resource_slices.Device, ...]
_ConfigMaps = dict[tuple[str, str], dict[str, Any]]


class DeviceHealth(Protocol):
    """Which devices are not handed out for want of health."""

    @property
    def version(self) -> int:
        """A number that is another one after every change."""
        ...

    def found(self, node: Mapping[str, Any], resources: Mapping[str, int]) -> Mapping[str, int]:
        """What plugins find on the node, well or not, where by its settings they would find ``resources``."""
        ...

    def healthy(self, node: Mapping[str, Any], resources: Mapping[str, int]) -> Mapping[str, int]:
        """How many of ``resources``, all that plugins on the node know, they hand out."""
        ...


class AllHealthy:
    """The health of devices where no fault strikes."""

    version = 0

    def found(self, node: Mapping[str, Any], resources: Mapping[str, int]) -> Mapping[str, int]:
        """All that should be there."""
        del node
        return resources

    def healthy(self, node: Mapping[str, Any], resources: Mapping[str, int]) -> Mapping[str, int]:
        """Every device of the node, as none has a fault here."""
        del node
        return resources


class DeviceReports:
    """Keeps capacity, labels and ResourceSlices of nodes as the plugins on them say."""

    def __init__(self) -> None:
        self._written: dict[str, list[str]] = {}
        """What the last report of a node was made from, by node."""
        self.notes: dict[str, tuple[str, ...]] = {}
        """Why a plugin's pod on a node advertises nothing, by node."""
        self.health: DeviceHealth = AllHealthy()
        """Of a simulation with faults it is another one: `judged_by`."""

    @contextmanager
    def judged_by(self, health: DeviceHealth) -> Iterator[None]:
        """Inside, devices are as well as ``health`` says; afterwards as they were before."""
        before, self.health = self.health, health
        try:
            yield
        finally:
            self.health = before

    def forget(self, node: str) -> None:
        """Forget a node that is gone."""
        self._written.pop(node, None)
        self.notes.pop(node, None)

    def clear(self) -> None:
        """Forget all nodes: those of another cluster follow."""
        self._written.clear()
        self.notes.clear()

    def write(self, api: Api, nodes: Mapping[str, _Node]) -> None:
        """Write it on every one of ``nodes``, by name."""
        pods: dict[str, list[dict[str, Any]]] = {name: [] for name in nodes}
        for pod in api.list("v1", "Pod", None, ROLE_LABEL, remembered=True):
            if pod["spec"].get("nodeName") in pods:
                pods[pod["spec"]["nodeName"]].append(pod)
        everywhere = [pod for listed in pods.values() for pod in listed]
        maps = _config_maps(api, everywhere)
        operator = any(_is_operator(pod) for pod in everywhere)
        slices = resource_slices.published(api)

        def report(node: _Node) -> None:
            name = node["metadata"]["name"]
            self._write(api, node, pods[name], maps, slices.get(name), with_operator=operator)

        in_parallel(nodes.values(), report)

    def _write(
        self,
        api: Api,
        node: _Node,
        pods: list[dict[str, Any]],
        maps: _ConfigMaps,
        devices: _Devices | None,
        *,
        with_operator: bool,
    ) -> None:
        """Write what the plugins on the node advertise; what none advertises any more counts 0, as kubelets keep it.

        ``devices`` are those of its ResourceSlice. Where the GPU Operator runs, its labels too.
        """
        name = node["metadata"]["name"]
        basis = sorted(each["metadata"]["resourceVersion"] for each in (node, *pods, *maps.values()))
        basis += [str(with_operator), f"{len(devices or ())} devices", f"health {self.health.version}"]
        if self._written.get(name) == basis:
            return
        found = advertised(node, pods, maps)
        self.notes[name] = found.notes
        if status := _changed_status(node, found.resources, self.health):
            api.patch("v1", "Node", name, None, {"status": status}, subresource="status")
        given, written = node["metadata"]["labels"], label_pruning.still_written(node, found.labels)
        labels: dict[str, str | None] = {key: value for key, value in written.items() if given.get(key) != value}
        if with_operator:
            labels |= operator_labels.changes({**given, **written})
        if labels:
            api.patch("v1", "Node", name, None, {"metadata": {"labels": labels}})
        resource_slices.publish(api, node, found.devices, devices)
        self._written[name] = basis


def _changed_status(node: _Node, resources: Mapping[str, int], health: DeviceHealth) -> dict[str, dict[str, str]]:
    """What of capacity and allocatable is to be written. A device that is not well is capacity still."""
    have = node.get("status", {})
    before = dict.fromkeys((key for key in have.get("allocatable", {}) if "/" in key), 0)
    capacity = before | dict(health.found(node, resources))
    wanted = {"capacity": capacity, "allocatable": health.healthy(node, capacity)}
    changed = {
        part: {key: str(count) for key, count in amounts.items() if have.get(part, {}).get(key) != str(count)}
        for part, amounts in wanted.items()
    }
    return {part: amounts for part, amounts in changed.items() if amounts}


def _is_operator(pod: dict[str, Any]) -> bool:
    running = pod["status"].get("phase") == "Running" and "deletionTimestamp" not in pod["metadata"]
    return running and pod["metadata"]["labels"].get(ROLE_LABEL) == GPU_OPERATOR


def _config_maps(api: Api, pods: list[dict[str, Any]]) -> _ConfigMaps:
    wanted = {
        (pod["metadata"]["namespace"], volume["configMap"]["name"])
        for pod in pods
        for volume in pod["spec"].get("volumes", [])
        if "configMap" in volume
    }
    found = {key: api.get("v1", "ConfigMap", key[1], key[0]) for key in sorted(wanted)}
    return {key: obj for key, obj in found.items() if obj is not None}
