"""The volumes that the pods of a workload mount by name: pure data, no resources."""

from typing import Any

from eks_accelerators.settings.model.workload import Workload


def volumes_of(workload: Workload) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """`volumes` of the pod and `volumeMounts` of its container, in Kubernetes' own shape.

    A storage is a PersistentVolumeClaim of its name in the workload's namespace, whatever its kind is: pods know nothing of
    drivers, and Pod Security has nothing against it.
    """
    volumes = [
        {"name": _volume(name), "persistentVolumeClaim": {"claimName": name, "readOnly": mount.read_only}}
        for name, mount in workload.volumes.items()
    ]
    mounts = [
        {
            "name": _volume(name),
            "mountPath": mount.mount_path,
            "readOnly": mount.read_only,
            **({"subPath": mount.sub_path} if mount.sub_path else {}),
        }
        for name, mount in workload.volumes.items()
    ]
    return volumes, mounts


def _volume(name: str) -> str:
    """The volume's name in the pod, where others of the workload's own are beside it."""
    return f"storage-{name}"
