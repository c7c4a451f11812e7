"""The GPUs of a node as NVIDIA's DRA driver publishes them: one ResourceSlice, for as long as the driver's pod runs there.

Sources: kubernetes-sigs/dra-driver-nvidia-gpu at 0545e9e, `cmd/gpu-kubelet-plugin/deviceinfo.go` (names, attributes and
capacity of a device), Kubernetes `resource.k8s.io/v1`; read 2026-11-21. PCI addresses and NUMA nodes are left out, brand
and versions of driver and CUDA too. On a real node the kubelet removes the slice half a minute after the driver has gone; here at
once.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from eks_accelerators.accelerators import gpus
from eks_accelerators.accelerators.instance_types import InstanceType
from eks_accelerators.simulator.kubernetes import feature_labels
from eks_accelerators.simulator.kubernetes.api import Api
from eks_accelerators.simulator.kubernetes.charts.dra_driver import DRIVER

API_VERSION = "resource.k8s.io/v1"

_MANAGER = "simulated-dra-driver"
_ARCHITECTURES = {
    "7.5": "Turing",
    "8.0": "Ampere",
    "8.6": "Ampere",
    "8.9": "Ada Lovelace",
    "9.0": "Hopper",
    "10.0": "Blackwell",
    "10.3": "Blackwell",
    "12.0": "Blackwell",
}

Device = dict[str, Any]
"""One device of a slice, in Kubernetes' own shape."""


def devices_of(kind: InstanceType, node: str) -> tuple[Device, ...]:
    """Every GPU of the node called ``node``: name, attributes, memory where it is known. UUIDs are made of its name."""
    return tuple(_device(kind, node, minor) for minor in range(kind.accelerator.count))


def _device(kind: InstanceType, node: str, minor: int) -> Device:
    capability = gpus.compute_capability(kind.accelerator.name)
    digits = hashlib.sha256(f"{node}/{minor}".encode()).hexdigest()
    parts = [digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:32]]
    attributes: dict[str, Any] = {
        "type": {"string": "gpu"},
        "uuid": {"string": f"GPU-{'-'.join(parts)}"},
        "productName": {"string": _product_name(kind)},
    }
    if capability:
        attributes["architecture"] = {"string": _ARCHITECTURES[capability]}
        attributes["cudaComputeCapability"] = {"version": f"{capability}.0"}
    memory = gpus.driver_memory_mib(kind.accelerator.name, kind.accelerator.memory_mib)
    capacity = {"capacity": {"memory": {"value": f"{memory}Mi"}}} if memory else {}
    return {"name": f"gpu-{minor}", "attributes": attributes, **capacity}


def _product_name(kind: InstanceType) -> str:
    """As NVIDIA's library gives it; the dashes of an A100 are its own."""
    dashes = 1 if kind.accelerator.name == "A100" else -1
    return feature_labels.product(kind).replace("-", " ", dashes)


def slice_name(node: str) -> str:
    """The name of a node's slice."""
    return f"{node}-{DRIVER}"


def resource_slice(node: Mapping[str, Any], devices: Sequence[Device]) -> dict[str, Any]:
    """The slice of ``node``, which owns it: it goes with the node."""
    metadata = node["metadata"]
    name = metadata["name"]
    owner = {"apiVersion": "v1", "kind": "Node", "name": name, "uid": metadata["uid"], "controller": True}
    return {
        "apiVersion": API_VERSION,
        "kind": "ResourceSlice",
        "metadata": {"name": slice_name(name), "ownerReferences": [owner]},
        "spec": {
            "driver": DRIVER,
            "nodeName": name,
            "pool": {"name": name, "generation": 1, "resourceSliceCount": 1},
            "devices": list(devices),
        },
    }


def published(api: Api) -> dict[str, tuple[Device, ...]]:
    """The devices of every node that has a slice of the driver, by node."""
    return {
        each["spec"]["nodeName"]: tuple(each["spec"].get("devices") or ())
        for each in api.list(API_VERSION, "ResourceSlice")
        if each["spec"]["driver"] == DRIVER and "nodeName" in each["spec"]
    }


def publish(api: Api, node: Mapping[str, Any], devices: Sequence[Device], have: Sequence[Device] | None) -> None:
    """Let the node's slice have ``devices``, or be gone where there are none. ``have`` is what it has, None without one."""
    name = node["metadata"]["name"]
    if devices and [each["name"] for each in have or ()] != [each["name"] for each in devices]:
        api.apply(resource_slice(node, devices), manager=_MANAGER)
    elif have is not None and not devices:
        api.delete(API_VERSION, "ResourceSlice", slice_name(name))
