"""A volume of a storage for the pods of one namespace: a PersistentVolume, and the claim that it is for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NotRequired, TypedDict

import pulumi
import pulumi_kubernetes as k8s

from eks_accelerators.components.base import Component
from eks_accelerators.components.charts import name_of


class StorageVolumeArgs(TypedDict):
    """What is mounted, and where it is claimed."""

    namespace: pulumi.Input[str]
    """Namespace of the claim, there already."""
    claim: NotRequired[str]
    """Name of the claim; by default the component's."""
    driver: NotRequired[str]
    """CSI driver, such as `fsx.csi.aws.com`; excludes `hostPath`."""
    volume_handle: NotRequired[pulumi.Input[str]]
    """What the driver calls the volume; by default the name of the PersistentVolume."""
    volume_attributes: NotRequired[dict[str, pulumi.Input[str]]]
    """What else the driver needs to know."""
    host_path: NotRequired[str]
    """Directory of each node, in place of a driver."""
    capacity_gib: NotRequired[int]
    """Size in GiB, which Kubernetes wants to have and does not look at; 1 by default."""
    mount_options: NotRequired[list[str]]
    """Options of the mount."""


@dataclass(frozen=True, slots=True)
class VolumeInputs:
    """What is mounted (`csi` or `hostPath` of a PersistentVolume), and where it is claimed. The claim is called ``claim``."""

    claim: str
    namespace: pulumi.Input[str]
    driver: str | None = None
    volume_handle: pulumi.Input[str] | None = None
    volume_attributes: Mapping[str, pulumi.Input[str]] = field(default_factory=dict)
    host_path: str | None = None
    capacity_gib: int = 1
    mount_options: tuple[str, ...] = ()


class StorageVolume(Component[VolumeInputs]):
    """A PersistentVolume without a class, and the one claim that it is for. What it names is not deleted with it
    (`Retain`).

    Needs the driver in the cluster before pods mount it.

    Providers: Kubernetes.

    Alone: A volume of whatever is there: a file system, a bucket, a directory of each node.
    """

    claim_name: pulumi.Output[str]
    """Name of the claim, which pods mount."""

    def __init__(self, name: str, args: StorageVolumeArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        if ("driver" in args) == ("host_path" in args):
            raise ValueError(f"{name}: a volume has a driver or a host_path")
        given: dict[str, Any] = {**args, "claim": args.get("claim", name)}
        given["mount_options"] = tuple(args.get("mount_options", ()))
        self._create(name, VolumeInputs(**given), opts)

    def _create(self, name: str, inputs: VolumeInputs, opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        size = {"storage": f"{inputs.capacity_gib}Gi"}
        spec: Any = {
            "capacity": size,
            "access_modes": ["ReadWriteMany"],
            "volume_mode": "Filesystem",
            "persistent_volume_reclaim_policy": "Retain",
            **({"mount_options": list(inputs.mount_options)} if inputs.mount_options else {}),
            # No other claim can take it.
            "claim_ref": {"namespace": inputs.namespace, "name": inputs.claim},
            **_source(name, inputs),
        }
        volume = k8s.core.v1.PersistentVolume(name, metadata={"name": name}, spec=spec, opts=self.child())
        asked: Any = {
            "access_modes": ["ReadWriteMany"],
            "storage_class_name": "",  # the default class would make another volume
            "volume_name": name_of(volume),
            "resources": {"requests": size},
        }
        claim = k8s.core.v1.PersistentVolumeClaim(
            name,
            metadata={"name": inputs.claim, "namespace": inputs.namespace},
            spec=asked,
            opts=self.child(),
        )
        self.claim_name = name_of(claim)
        self.register_outputs({"claim_name": self.claim_name})


def _source(name: str, inputs: VolumeInputs) -> dict[str, Any]:
    if inputs.host_path:
        return {"host_path": {"path": inputs.host_path, "type": "DirectoryOrCreate"}}
    return {
        "csi": {
            "driver": inputs.driver,
            "volume_handle": inputs.volume_handle or name,
            **({"volume_attributes": dict(inputs.volume_attributes)} if inputs.volume_attributes else {}),
        }
    }
