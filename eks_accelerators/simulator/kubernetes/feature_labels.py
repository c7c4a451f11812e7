"""The labels that discovery puts on a node: Node Feature Discovery (NFD), and GPU Feature Discovery through it.

Sources: NVIDIA/k8s-device-plugin v0.20.0 (`internal/lm/resource.go`, `internal/lm/nvml.go`,
`docs/gpu-feature-discovery/README.md`) and NFD's documentation of PCI features, read 2026-11-20. Labels of processor,
kernel and driver are left out. Product names are those of NVIDIA's library where a public log showed one; see
`_PRODUCTS`.
"""

import re
from collections import Counter

from eks_accelerators.accelerators import gpus, mig
from eks_accelerators.accelerators.device_plugin import Node
from eks_accelerators.accelerators.instance_types import InstanceType
from eks_accelerators.accelerators.sharing import NVIDIA_GPU
from eks_accelerators.simulator.kubernetes.charts.mps_control_daemon import CAPABLE_LABEL
from eks_accelerators.simulator.kubernetes.plugin_configuration import PluginConfiguration

_NVIDIA_PCI_VENDOR = "10de"
_AMAZON_PCI_VENDOR = "1d0f"
"""The network card of every EC2 instance."""

_PRODUCTS = {
    "T4": "Tesla-T4",
    "A10G": "NVIDIA-A10G",
    "L4": "NVIDIA-L4",
    "L40S": "NVIDIA-L40S",
    "H100": "NVIDIA-H100-80GB-HBM3",
    "H200": "NVIDIA-H200",
    "B200": "NVIDIA-B200",
    "B300": "NVIDIA-B300",  # not seen
    "GB200": "NVIDIA-GB200",
    "RTX PRO 4500": "NVIDIA-RTX-PRO-4500-Blackwell-Server-Edition",  # not seen
    "RTX PRO Server 6000": "NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition",
}
_A100_GIB = {40960: "40GB", 81920: "80GB"}
_FAMILIES = {"7.5": "turing", "8.0": "ampere", "8.6": "ampere", "8.9": "ada-lovelace", "9.0": "hopper"}


_OF_GFD = re.compile(
    r"nvidia\.com/(gpu\.(count|product|replicas|sharing-strategy|machine|memory|compute\.major|compute\.minor|family)"
    r"|mig\.(capable|strategy)|mps\.capable|mig-.+\.(count|product|replicas|sharing-strategy))"
)


def is_discovered(key: str) -> bool:
    """Whether the label of that name is one that discovery writes."""
    return key.startswith("feature.node.kubernetes.io/") or _OF_GFD.fullmatch(key) is not None


def from_nfd(kind: InstanceType | None) -> dict[str, str]:
    """What the NFD worker finds with NVIDIA's configuration of it: the vendors of network and display cards.

    ``kind`` is None for a type without accelerators.
    """
    vendors = [_AMAZON_PCI_VENDOR]
    if kind is not None and kind.has_nvidia_gpu:
        vendors.append(_NVIDIA_PCI_VENDOR)
    return {f"feature.node.kubernetes.io/pci-{vendor}.present": "true" for vendor in sorted(vendors)}


def from_gfd(hardware: Node, configuration: PluginConfiguration) -> dict[str, str]:
    """What GPU Feature Discovery says of the GPUs under ``configuration``.

    The number is that of GPUs, whatever the shares; the product ends in -SHARED unless shares have another name. MIG
    instances are described as the GPUs under `single`, and beside them under `mixed`.
    """
    kind = hardware.instance_type
    capability = compute_capability(kind)
    shared = configuration.replicas > 1
    labels = {
        f"{NVIDIA_GPU}.count": str(kind.accelerator.count),
        f"{NVIDIA_GPU}.product": product(kind) + ("-SHARED" if shared and not configuration.renamed else ""),
        f"{NVIDIA_GPU}.replicas": str(configuration.replicas),
        f"{NVIDIA_GPU}.sharing-strategy": configuration.strategy,
        f"{NVIDIA_GPU}.machine": kind.name,
        "nvidia.com/mig.capable": str(kind.mig_capable).lower(),
        CAPABLE_LABEL: str(configuration.strategy == "mps" and not hardware.in_mig_mode).lower(),
    }
    # It asks NVIDIA's library, which says what the driver says (`internal/lm/resource.go`).
    memory = gpus.driver_memory_mib(kind.accelerator.name, kind.accelerator.memory_mib)
    if memory is not None:
        labels[f"{NVIDIA_GPU}.memory"] = str(memory)
    if capability is not None:
        major, minor = capability.split(".")
        labels[f"{NVIDIA_GPU}.compute.major"], labels[f"{NVIDIA_GPU}.compute.minor"] = major, minor
        labels[f"{NVIDIA_GPU}.family"] = _FAMILIES.get(capability, "blackwell")
    if hardware.in_mig_mode and configuration.mig_strategy != "none":
        labels |= {"nvidia.com/mig.strategy": configuration.mig_strategy, **_of_instances(hardware, configuration)}
    return labels


def _of_instances(hardware: Node, configuration: PluginConfiguration) -> dict[str, str]:
    """Labels of MIG instances (`internal/lm/mig-strategy.go`); of what they have only count, product and sharing."""
    counted = Counter[str]()
    for layout in hardware.layouts:
        counted.update(layout or {})
    if configuration.mig_strategy == "single":
        profiles = list(counted)
        if len(profiles) != 1 or hardware.in_mig_mode < len(hardware.layouts):
            return {
                f"{NVIDIA_GPU}.product": f"{product(hardware.instance_type)}-MIG-INVALID",
                f"{NVIDIA_GPU}.count": "0",
            }
        suffix = "-SHARED" if configuration.replicas > 1 and not configuration.renamed else ""
        return {
            f"{NVIDIA_GPU}.product": f"{product(hardware.instance_type)}-MIG-{profiles[0].replace('+', '.')}{suffix}",
            f"{NVIDIA_GPU}.count": str(counted.total()),
        }
    section = configuration.loaded.section
    replicas = {one.name: one.replicas for one in section.resources} if section else {}
    labels: dict[str, str] = {}
    for profile, count in sorted(counted.items()):
        name = mig.resource_of(profile)
        shares = replicas.get(name, 1)
        suffix = "-SHARED" if shares > 1 and section and not section.rename_by_default else ""
        labels |= {
            f"{name}.count": str(count),
            f"{name}.product": f"{product(hardware.instance_type)}-MIG-{profile.replace('+', '.')}{suffix}",
            f"{name}.replicas": str(shares),
            f"{name}.sharing-strategy": configuration.loaded.strategy if shares > 1 else "none",
        }
    return labels


def product(kind: InstanceType) -> str:
    """The name of the GPU as NVIDIA's library gives it, with dashes; made of the GPU's name where nobody has seen it."""
    name, memory = kind.accelerator.name, kind.accelerator.memory_mib
    if name == "A100" and memory in _A100_GIB:
        return f"NVIDIA-A100-SXM4-{_A100_GIB[memory]}"
    return _PRODUCTS.get(name, f"NVIDIA-{name.replace(' ', '-')}")


def compute_capability(kind: InstanceType) -> str | None:
    """The CUDA compute capability of the GPU, such as `8.9`; None where unknown."""
    return gpus.compute_capability(kind.accelerator.name)
