"""Where the pods of a server keep what they download and compile: pure data, no resources."""

from dataclasses import dataclass
from typing import Any

from eks_accelerators.components.workload_volumes import storage_volume


@dataclass(frozen=True, slots=True)
class Cache:
    """The cache of a server in its pods, where it is mounted at ``path``: on the ``storage`` of that name in the ``directory``, on the
    volume of ``claim``, or else in a directory that goes with the pod. ``name`` is the volume's in the pod, of a storage its own.
    """

    name: str
    path: str
    claim: str | None = None
    storage: str | None = None
    directory: str | None = None

    @property
    def volume(self) -> dict[str, Any]:
        """An entry of the pod's `volumes`, in Kubernetes' own shape."""
        if self.storage:
            return storage_volume(self.storage, read_only=False)
        source = {"persistentVolumeClaim": {"claimName": self.claim}} if self.claim else {"emptyDir": {}}
        return {"name": self.name, **source}

    @property
    def mount(self) -> dict[str, Any]:
        """An entry of the container's `volumeMounts`. The kubelet makes the directory."""
        if self.storage:
            return {"name": self.volume["name"], "mountPath": self.path, "subPath": self.directory}
        return {"name": self.name, "mountPath": self.path}
