"""Whose name a GPU's series carry: how DCGM exporter maps them to pods, by its configuration.

Source: NVIDIA/dcgm-exporter d5e5f51 (chart 4.8.2), `internal/pkg/transformation`; what it answers is recorded in
`tests/components/dcgm_exporter/answers.json`, and held against this.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from eks_accelerators.accelerators.device_plugin.nodes import MIG_PREFIX
from eks_accelerators.accelerators.sharing import NVIDIA_GPU
from eks_accelerators.simulator.metrics.cluster import Object, uid
from eks_accelerators.simulator.metrics.devices import Device, Holder

OF_PROCESSES = frozenset({"DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_FB_USED"})
"""What the driver knows of each process."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """``names`` are the resources that it takes for GPUs, beside MIG instances.

    ``virtual``: it knows shares. ``claims``: it asks for ResourceSlices. ``uids``: pods' UIDs are on the series. It
    sees the ``processes`` of pods where it shares the node's process IDs, and asks for pods or claims, which tells the UIDs.
    """

    hostname: str
    names: frozenset[str]
    virtual: bool
    claims: bool
    uids: bool
    processes: bool

    @classmethod
    def of(cls, exporter: Object) -> "Configuration":
        """That of a pod of the exporter."""
        spec = exporter["spec"]
        given = {one["name"]: one.get("value", "") for each in spec["containers"] for one in each.get("env") or []}
        uids = given.get("DCGM_EXPORTER_KUBERNETES_ENABLE_POD_UID") == "true"
        claims = given.get("KUBERNETES_ENABLE_DRA") == "true"
        names = (NVIDIA_GPU, *filter(None, given.get("NVIDIA_RESOURCE_NAMES", "").split(",")))
        return cls(
            hostname=str(spec.get("nodeName", "")),
            names=frozenset(names),
            virtual=given.get("KUBERNETES_VIRTUAL_GPUS") == "true",
            claims=claims,
            uids=uids,
            processes=(uids or claims) and bool(spec.get("hostPID")),
        )

    def knows(self, holder: Holder) -> bool:
        """Whether it can name that pod."""
        if holder.claim is not None:
            return self.claims and not self.virtual
        return holder.resource in self.names or holder.resource.startswith(MIG_PREFIX)


def own_labels(device: Device, hostname: str) -> dict[str, str]:
    """The labels of the device itself. PCI addresses are made up."""
    gpu = device.gpu
    labels = {
        "gpu": str(gpu.index),
        "UUID": gpu.uuid,
        "pci_bus_id": f"00000000:{0x10 + gpu.index:02X}:1C.0",
        "device": f"nvidia{gpu.index}",
        "modelName": gpu.model,
    }
    if device.profile:
        labels |= {"GPU_I_PROFILE": device.profile, "GPU_I_ID": device.instance}
    return labels | {"Hostname": hostname}


def copies(
    name: str, configuration: Configuration, holders: Sequence[Holder]
) -> Iterator[tuple[Mapping[str, str], Holder | None]]:
    """The labels of each series of a device's metric, and the pod whose own figure it has; None for the device's."""
    known = [holder for holder in holders if configuration.knows(holder)]
    if not known:
        yield {}, None
    elif not configuration.virtual:
        # Of several one is left, and the device's figure carries its name.
        yield _of_pod(known[-1], configuration), None
    elif name in OF_PROCESSES:
        yield {}, None
        for holder in known:
            yield _of_pod(holder, configuration), holder
    else:
        for holder in known:
            yield _of_pod(holder, configuration), None


def _of_pod(holder: Holder, configuration: Configuration) -> dict[str, str]:
    metadata = holder.pod["metadata"]
    labels = {"container": holder.container, "namespace": metadata["namespace"], "pod": metadata["name"]}
    if holder.claim is not None:
        claim = holder.claim
        return labels | {
            "dra_claim_name": claim.name,
            "dra_claim_namespace": claim.namespace,
            "dra_driver_name": claim.driver,
            "dra_pool_name": claim.pool,
            "dra_device_name": claim.device,
        }
    if configuration.uids:
        labels["pod_uid"] = uid(holder.pod)
    if holder.share is not None and configuration.virtual:
        labels["vgpu"] = holder.share
    return labels
