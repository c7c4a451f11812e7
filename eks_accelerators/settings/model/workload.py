"""What every kind of workload has in common."""

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from eks_accelerators.accelerators.instance_type import Manufacturer
from eks_accelerators.accelerators.node_capacity import HUGE_PAGES
from eks_accelerators.accelerators.sharing import EFA_DEVICE
from eks_accelerators.settings.model.base import Model, Name
from eks_accelerators.settings.model.node_groups import TolerationSettings
from eks_accelerators.settings.model.secrets import HUGGING_FACE, SecretsManagerSecret, SecretSource
from eks_accelerators.settings.model.storage import VolumeMount
from eks_accelerators.settings.model.streamed_weights import S3Weights

Positive = Annotated[int, Field(ge=1, le=10**15)]
Namespace = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$")]

EBS_STORAGE_CLASSES = ("gp2", "gp3")
"""Storage classes of EBS, one of which every cluster here has: their volumes serve one node."""


_HUGE_PAGES_OF_EFA_MIB = 5120
"""Huge pages of a pod with EFA, unless it says how many."""


def devices_of_efa(interfaces: int, huge_pages_mib: int | None) -> dict[str, int]:
    """What a pod with so many EFA interfaces asks for, by resource; huge pages in MiB, None for as many as are usual."""
    if huge_pages_mib is None:
        huge_pages_mib = _HUGE_PAGES_OF_EFA_MIB if interfaces else 0
    asked = {EFA_DEVICE: interfaces, HUGE_PAGES: huge_pages_mib}
    return {name: amount for name, amount in asked.items() if amount}


class CacheVolume(Model):
    """A volume that keeps the model's weights between pods."""

    size_gib: Positive
    """Size in GiB."""
    storage_class: str | None = None
    """Storage class; must be ReadWriteMany (EFS, FSx) for more than one replica."""


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
    def pod_count(self) -> int | None:
        """Number of pods; None where it is as many as fit."""
        return 1

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
    def served_model(self) -> str | None:
        """The model that its pods serve; None where they serve none."""
        return None

    @property
    def streamed_weights(self) -> S3Weights | None:
        """Weights in S3 that its pods read by its service account, which is called as the workload; None where there are none."""
        return None

    @property
    def token_source(self) -> SecretSource | None:
        """Where the token for gated models comes from; None where it has none."""
        return None

    @property
    def synced_secrets(self) -> Mapping[str, SecretsManagerSecret]:
        """Secrets of AWS Secrets Manager that its pods read, by what follows the workload's name in that of the Secret."""
        token = self.token_source
        return {HUGGING_FACE: token.secrets_manager} if token and token.secrets_manager else {}

    @property
    def needs_releases(self) -> tuple[str, ...]:
        """Names of the releases without which its objects are of no kind."""
        return ()

    @property
    def config_secrets(self) -> tuple[str, ...]:
        """Names of the Pulumi secrets that it reads."""
        token = self.token_source
        return (token.config_secret,) if token and token.config_secret else ()
