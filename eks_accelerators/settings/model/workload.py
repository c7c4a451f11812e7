"""What every kind of workload has in common."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from eks_accelerators.accelerators.instance_type import Manufacturer
from eks_accelerators.accelerators.node_capacity import HUGE_PAGES
from eks_accelerators.accelerators.sharing import EFA_DEVICE
from eks_accelerators.settings.model.base import Model, Name
from eks_accelerators.settings.model.language_model import WrittenModel
from eks_accelerators.settings.model.node_groups import TolerationSettings
from eks_accelerators.settings.model.secrets import HUGGING_FACE, BroughtSecret, SecretSource
from eks_accelerators.settings.model.storage import StorageClassName, SubPath, VolumeMount
from eks_accelerators.settings.model.streamed_weights import S3Weights

Positive = Annotated[int, Field(ge=1, le=10**15)]
Namespace = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$")]

EBS_STORAGE_CLASSES = ("gp2", "gp3")
"""Storage classes of EBS, of which every cluster here has both: `gp3` is the stack's, and the default one; `gp2` EKS brings (EKS
user guide `kubernetes-versions-extended`, read 2026-11-21). Their volumes serve one node."""


_HUGE_PAGES_OF_EFA_MIB = 5120
"""Huge pages of a pod with EFA, unless it says how many."""


def devices_of_efa(interfaces: int, huge_pages_mib: int | None) -> dict[str, int]:
    """What a pod with so many EFA interfaces asks for, by resource; huge pages in MiB, None for as many as are usual."""
    if huge_pages_mib is None:
        huge_pages_mib = _HUGE_PAGES_OF_EFA_MIB if interfaces else 0
    asked = {EFA_DEVICE: interfaces, HUGE_PAGES: huge_pages_mib}
    return {name: amount for name, amount in asked.items() if amount}


class CacheVolume(Model):
    """Where weights and what is compiled are kept between pods: on a storage, or on a volume of its own."""

    storage: Name | None = None
    """Name under `storage` of what keeps it, for pods on any node; of a component by itself, of a PersistentVolumeClaim that is
    there."""
    sub_path: SubPath | None = None
    """Directory of the storage, relative; by default one that is called as the workload. Those who name one directory share it."""
    size_gib: Positive | None = None
    """Size in GiB of a volume of its own, which a storage class makes."""
    storage_class: StorageClassName | None = None
    """Storage class of a volume of its own; must be ReadWriteMany (EFS, FSx) for more than one replica."""

    @property
    def is_of_one_node(self) -> bool:
        """Whether pods of one node alone can mount it, as far as its class is known."""
        return self.storage is None and self.storage_class in (None, *EBS_STORAGE_CLASSES)


@dataclass(frozen=True, slots=True)
class StorageUse:
    """A storage that a workload mounts: the path of its ``setting`` below the workload, and how it is mounted; a cache as the kind of
    workload has it, and always to write.
    """

    setting: str
    storage: str
    mount: VolumeMount | None = None

    @property
    def is_read_only(self) -> bool:
        """Whether pods cannot write there."""
        return self.mount is not None and self.mount.read_only


class Resources(Model):
    """CPU and memory of one pod, as Kubernetes writes quantities."""

    cpu: Annotated[str, StringConstraints(pattern=r"^\d+m?$")] = "1"
    """CPU request."""
    memory_gib: Positive = 6
    """Memory request in GiB."""
    memory_limit_gib: Positive = 10
    """Memory limit in GiB."""


class Workload(Model):
    """What every kind of workload has in common: pods with accelerators on the nodes of one group."""

    COUNT: ClassVar[str] = "nodeGroup"
    """Key of the setting that says how many pods there are, or of the one that limits them."""
    ACCELERATORS: ClassVar[str] = "tensorParallelSize"
    """Key of the setting that says how many accelerators one pod asks for."""
    TOGETHER: ClassVar[bool] = False
    """Whether all its pods are on one node."""
    APART: ClassVar[bool] = False
    """Whether no two of its pods are on one node."""
    CACHE_PATH: ClassVar[str | None] = None
    """Directory of the container where its cache is mounted; None where it keeps none."""
    RUNS_AS: ClassVar[int | None] = None
    """Number of its container's user; None for root, to whom the directories of a volume belong that the kubelet makes."""
    MADE_FOR: ClassVar[Manufacturer | None] = "NVIDIA"
    """Whose accelerators its image is made for; None where it follows from the node group."""

    node_group: Name
    """Accelerator node group that it runs on."""
    namespace: Namespace
    """Namespace, created; workloads may share one."""
    resource_name: str | None = None
    """Resource that pods ask for; by default the one that the node group advertises."""
    tolerations: tuple[TolerationSettings, ...] | None = None
    """Tolerations of its own; by default those of the node group's taints."""
    image: str | None = None
    """Container image; by default the one pinned in `charts-values/charts.yaml`."""
    image_compressed_gib: Annotated[float, Field(gt=0, le=1000)] | None = None
    """Compressed size of the image, to check the root volume."""
    resources: Resources = Resources()
    """CPU and memory of one pod."""
    volumes: dict[Name, VolumeMount] = {}
    """What it mounts, by name under `storage`; of a component by itself, by name of a PersistentVolumeClaim that is there."""

    @property
    def caches(self) -> Mapping[str, CacheVolume]:
        """What it keeps between pods, by key of the setting."""
        found = ((info.alias or field, getattr(self, field)) for field, info in type(self).model_fields.items())
        return {key: value for key, value in found if isinstance(value, CacheVolume)}

    @property
    def storage_uses(self) -> tuple[StorageUse, ...]:
        """Every storage that its pods mount: of `volumes`, and on which a cache lies."""
        volumes = [StorageUse(f"volumes.{name}", name, mount) for name, mount in self.volumes.items()]
        caches = [StorageUse(f"{key}.storage", each.storage) for key, each in self.caches.items() if each.storage]
        return (*volumes, *caches)

    @property
    def pod_count(self) -> int | None:
        """Number of pods; None where it is as many as fit."""
        return 1

    @property
    def pods_per_replica(self) -> int:
        """Pods, each on a node of its own, that are one replica together; `pod_count` and `most_pods` count replicas then."""
        return 1

    @property
    def spans_nodes(self) -> bool:
        """Whether one replica is several pods, each on a node of its own."""
        return self.pods_per_replica > 1

    @property
    def most_pods(self) -> int | None:
        """Largest number of pods that the settings allow; None where it is as many as fit."""
        return self.pod_count

    @property
    def count_setting(self) -> str:
        """Path of the setting that says how many pods there are, below the workload."""
        return self.COUNT

    @property
    def accelerators(self) -> int:
        """Accelerators, or shares, that one pod asks for."""
        return 1

    @property
    def other_devices(self) -> dict[str, int]:
        """Extended resources that one pod asks for besides, and how many; huge pages in MiB."""
        return {}

    @property
    def wanted_gpu_memory_gib(self) -> float | None:
        """GiB that each pod wants of its GPU at least; None where it asks for none."""
        return None

    @property
    def lacks_gpu_memory(self) -> bool:
        """Whether only its user knows what the models of a pod take of a GPU, and `gpuMemoryGib` does not say it."""
        return False

    @property
    def served_model(self) -> str | None:
        """The language model that its pods serve, by name; None where they serve none."""
        written = self.language_model
        return written.model.model if written else None

    @property
    def language_model(self) -> WrittenModel | None:
        """The language model that its pods serve; None where they serve none."""
        return None

    @property
    def keeps_weights_on_node(self) -> bool:
        """Whether each pod downloads its model to the disk of its node: nothing else keeps the weights, and they are not streamed."""
        written = self.language_model
        return bool(written and written.is_downloaded and not self.caches and self.streamed_weights is None)

    @property
    def streamed_weights(self) -> S3Weights | None:
        """Weights in S3 that its pods read by its service account, which is called as the workload; None where there are none."""
        return None

    @property
    def token_source(self) -> SecretSource | None:
        """Where the token for gated models comes from; None where it has none."""
        return None

    @property
    def synced_secrets(self) -> Mapping[str, BroughtSecret]:
        """Secrets of AWS Secrets Manager that its pods read, by what follows the workload's name in that of the Secret."""
        token = self.token_source
        return {HUGGING_FACE: BroughtSecret(token.secrets_manager)} if token and token.secrets_manager else {}

    @property
    def needs_releases(self) -> tuple[str, ...]:
        """Names of the releases without which its objects are of no kind."""
        return ()

    @property
    def config_secrets(self) -> tuple[str, ...]:
        """Names of the Pulumi secrets that it reads."""
        token = self.token_source
        return (token.config_secret,) if token and token.config_secret else ()
