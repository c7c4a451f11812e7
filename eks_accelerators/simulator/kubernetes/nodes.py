"""A Node as an EC2 instance of a managed node group shows it, before any device plugin runs.

Sources: `kubectl get node --show-labels` and `describe node` on EKS 1.34 (public write-ups), the Kubernetes reference
of well-known labels, the EKS user guide on managed node groups; read 2026-11-20.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from eks_accelerators.accelerators import ami, node_capacity
from eks_accelerators.simulator.kubernetes import kubelet_resources, objects
from eks_accelerators.simulator.kubernetes.objects import Manifest

INSTANCE_TYPE_LABEL = "node.kubernetes.io/instance-type"

EFA_INTERFACES_ANNOTATION = "eks-accelerators/efa-interfaces"
"""How many EFA interfaces the instance has: hardware, that a Node does not show until the plugin runs."""

AMI_TYPE_ANNOTATION = "eks-accelerators/ami-type"
"""The machine image, which decides on drivers, and whether it runs a device plugin itself."""

MIG_LAYOUT_ANNOTATION = "eks-accelerators/mig-layout"
"""How the instance has divided its GPUs at boot: the file that the user data of an AL2023 node writes."""

LOGICAL_CORE_ANNOTATION = "eks-accelerators/logical-core-size"
"""Physical NeuronCores of a logical one, where the user data of an AL2023 node says it."""

BOTTLEROCKET_SETTINGS_ANNOTATION = "eks-accelerators/bottlerocket-settings"
"""The user data of a Bottlerocket node, as TOML."""

_ARCHITECTURES = {"x86_64": "amd64", "arm64": "arm64"}


@dataclass(frozen=True)
class SimulatedNode:
    """An instance that joined a cluster.

    ``name`` is its private DNS name, such as `ip-10-20-0-12.us-east-2.compute.internal`; ``capacity_type`` is
    ON_DEMAND, SPOT or CAPACITY_BLOCK; ``node_group`` is empty where it is in none; ``kubernetes_version`` a minor version, such as `1.35`, or a whole one;
    ``taints`` have `key`, `value` and `effect` as Kubernetes spells it; ``efa_interfaces`` counts those attached;
    ``root_gib`` is the volume on which images and pods are, and ``raid0_gb`` the local NVMe used in its place, 0
    where it is not; ``mig_layout`` is the layout file of an AL2023 node's user data, empty where it has none, and ``logical_core_size`` what it says of NeuronCores;
    ``bottlerocket_settings`` is the node group's user data with a Bottlerocket image.
    """

    name: str
    instance_id: str
    instance_type: str
    region: str
    zone: str
    zone_id: str
    node_group: str
    capacity_type: str
    ami_type: str
    kubernetes_version: str
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: Sequence[Mapping[str, str]] = ()
    efa_interfaces: int = 0
    root_gib: int = 20
    raid0_gb: int = 0
    mig_layout: str = ""
    logical_core_size: str = ""
    bottlerocket_settings: str = ""


def node_object(node: SimulatedNode) -> Manifest:
    """The Node: labels, taints, capacity and software, without any extended resource and without conditions.

    Raises `node_capacity.UnknownNodeTypeError`.
    """
    machine = node_capacity.machine(node.instance_type)
    storage = kubelet_resources.storage_bytes(node.root_gib, node.raid0_gb)
    pages = _huge_pages(node)
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": objects.metadata(
            node.name, labels=_labels(node, _ARCHITECTURES[machine.architecture]), annotations=_annotations(node)
        ),
        "spec": objects.filled(
            providerID=f"aws:///{node.zone}/{node.instance_id}",
            taints=[objects.filled(**taint) for taint in node.taints],
        ),
        "status": {
            "addresses": _addresses(node.name),
            "capacity": kubelet_resources.capacity(machine, storage, pages),
            "allocatable": kubelet_resources.allocatable(machine, storage, pages),
            "nodeInfo": _node_info(node, _ARCHITECTURES[machine.architecture]),
        },
    }


def bottlerocket_settings(text: str) -> dict[str, Any]:
    """The table `settings` of Bottlerocket user data; empty where there is none."""
    settings: dict[str, Any] = tomllib.loads(text).get("settings", {})
    return settings


def _labels(node: SimulatedNode, architecture: str) -> dict[str, str]:
    well_known = {
        "kubernetes.io/arch": architecture,
        "kubernetes.io/os": "linux",
        "kubernetes.io/hostname": node.name,
        INSTANCE_TYPE_LABEL: node.instance_type,
        "topology.kubernetes.io/region": node.region,
        "topology.kubernetes.io/zone": node.zone,
        "topology.k8s.aws/zone-id": node.zone_id,
    }
    older = {
        "beta.kubernetes.io/arch": architecture,
        "beta.kubernetes.io/os": "linux",
        "beta.kubernetes.io/instance-type": node.instance_type,
        "failure-domain.beta.kubernetes.io/region": node.region,
        "failure-domain.beta.kubernetes.io/zone": node.zone,
    }
    group = {
        "eks.amazonaws.com/nodegroup": node.node_group,
        "eks.amazonaws.com/capacityType": node.capacity_type,
    }
    return {**node.labels, **older, **well_known, **(group if node.node_group else {})}


def _annotations(node: SimulatedNode) -> dict[str, str]:
    return objects.filled(
        **{
            "volumes.kubernetes.io/controller-managed-attach-detach": "true",
            EFA_INTERFACES_ANNOTATION: str(node.efa_interfaces),
            AMI_TYPE_ANNOTATION: node.ami_type,
            MIG_LAYOUT_ANNOTATION: node.mig_layout,
            LOGICAL_CORE_ANNOTATION: node.logical_core_size,
            BOTTLEROCKET_SETTINGS_ANNOTATION: node.bottlerocket_settings,
        }
    )


def _huge_pages(node: SimulatedNode) -> int:
    """On AL2023 the EFA driver takes them at start; on Bottlerocket a kernel setting must ask for them."""
    if ami.is_bottlerocket(node.ami_type):
        kernel = bottlerocket_settings(node.bottlerocket_settings).get("kernel", {})
        return int(kernel.get("sysctl", {}).get("vm.nr_hugepages", 0))
    return node_capacity.HUGE_PAGES_OF_EFA if node.efa_interfaces else 0


def _addresses(name: str) -> list[dict[str, str]]:
    """EC2 names an instance after its address: ip-10-20-0-12.us-east-2.compute.internal is 10.20.0.12."""
    parts = name.partition(".")[0].removeprefix("ip-").split("-")
    by_name = [{"type": "InternalDNS", "address": name}, {"type": "Hostname", "address": name}]
    is_address = len(parts) == 4 and all(part.isdigit() for part in parts)
    return [{"type": "InternalIP", "address": ".".join(parts)}, *by_name] if is_address else by_name


def _node_info(node: SimulatedNode, architecture: str) -> dict[str, str]:
    """Identifiers are the instance's, since a Node must have some; versions say that they are simulated."""
    whole = node.kubernetes_version if node.kubernetes_version.count(".") == 2 else f"{node.kubernetes_version}.0"
    return {
        "architecture": architecture,
        "operatingSystem": "linux",
        "osImage": "Bottlerocket OS (simulated)" if ami.is_bottlerocket(node.ami_type) else "Amazon Linux 2023",
        "kernelVersion": "6.12-simulated",
        "containerRuntimeVersion": "containerd://2.1.5",
        "kubeletVersion": f"v{whole}-eks-simulated",
        "kubeProxyVersion": "",
        "machineID": node.instance_id,
        "systemUUID": node.instance_id,
        "bootID": node.instance_id,
    }
