"""What a stack's storage is used for: who claims it in which namespace, and which drivers that needs."""

from collections.abc import Mapping
from dataclasses import dataclass

from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.model.cluster import OF_STORAGE
from eks_accelerators.settings.model.storage import Efs, FsxLustre, S3Bucket, S3Files, Storage

FSX_DRIVER, EFS_DRIVER, S3_DRIVER = (name.value for name in OF_STORAGE)

ADDON_ACCOUNTS: Mapping[str, tuple[str, ...]] = {
    FSX_DRIVER: ("fsx-csi-controller-sa",),
    EFS_DRIVER: ("efs-csi-controller-sa", "efs-csi-node-sa"),
    S3_DRIVER: ("s3-csi-driver-sa",),
}
"""Service accounts in `kube-system` that need rights, by the EKS add-on."""

_DRIVERS: Mapping[type[Storage], str] = {
    FsxLustre: FSX_DRIVER,
    Efs: EFS_DRIVER,
    S3Bucket: S3_DRIVER,
    S3Files: EFS_DRIVER,
}

NODE_DISKS = "/mnt/k8s-disks/0"
"""Where nodeadm mounts the disks inside an instance with `localStorage.strategy: RAID0`, on AL2023 with Karpenter too.
Source: amazon-eks-ami `templates/shared/runtime/bin/setup-local-disks`, read 2026-11-22."""


@dataclass(frozen=True, slots=True)
class ClaimedStorage:
    """A storage that pods of one namespace mount; the claim is called as the storage."""

    name: str
    storage: Storage
    namespace: str


def claims(settings: Settings) -> tuple[ClaimedStorage, ...]:
    """Every storage in each namespace where a workload mounts it; what is of no kind is a rule's finding."""
    places = dict.fromkeys(
        (use.storage, workload.namespace)
        for _, _, workload in settings.workloads.each()
        for use in workload.storage_uses
        if use.storage in settings.storage and any(settings.storage[use.storage].each())
    )
    return tuple(ClaimedStorage(name, settings.storage[name].kind, namespace) for name, namespace in places)


def driver_of(storage: Storage) -> str | None:
    """The EKS add-on that mounts it; None for a directory of each node."""
    return _DRIVERS.get(type(storage))
