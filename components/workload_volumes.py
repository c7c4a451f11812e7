"""The volumes that the pods of a workload mount by name: pure data, no resources."""

from typing import Any

from eks_accelerators.settings.model.workload import Workload


def volumes_of(workload: Workload) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """`volumes` of the pod and `volumeMounts` of its container, in Kubernetes' own shape.

    A storage is a PersistentVolumeClaim of its name in the workload's namespace, whatever its kind is: pods know nothing of
    drivers, and Pod Security has nothing against it. A cache has a volume of its own: where it lies on a storage that is mounted too,
    that is the one, as a kubelet before Kubernetes 1.35 starts no pod with two volumes of one claim.
    """
    cached = {cache.storage for cache in workload.caches.values()}
    volumes = [
        storage_volume(name, read_only=mount.read_only)
        for name, mount in workload.volumes.items()
        if name not in cached
    ]
    mounts = [
        {
            "name": _name(name),
            "mountPath": mount.mount_path,
            **_read_only(mount.read_only),
            **({"subPath": mount.sub_path} if mount.sub_path else {}),
        }
        for name, mount in workload.volumes.items()
    ]
    return volumes, mounts


def storage_volume(storage: str, *, read_only: bool) -> dict[str, Any]:
    """The pod's volume of a storage: a claim that is called as it is."""
    return {"name": _name(storage), "persistentVolumeClaim": {"claimName": storage, **_read_only(read_only)}}


def _read_only(wanted: bool) -> dict[str, bool]:
    """Only where it is: the API server leaves `false` out, and a refresh would find another object than was written."""
    return {"readOnly": True} if wanted else {}


def _name(storage: str) -> str:
    """The volume's name in the pod, where others of the workload's own are beside it."""
    return f"storage-{storage}"
