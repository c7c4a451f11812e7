"""Everything that one stack file says."""

from decimal import Decimal
from typing import Annotated

from pydantic import Field, StringConstraints

from eks_accelerators.settings.model.base import Model, Name
from eks_accelerators.settings.model.capacity_blocks import CapacityBlockSettings
from eks_accelerators.settings.model.cluster import ClusterSettings
from eks_accelerators.settings.model.instance_types import DescribedInstanceType, InstanceTypeName
from eks_accelerators.settings.model.monitoring import Monitoring
from eks_accelerators.settings.model.network import NetworkSettings
from eks_accelerators.settings.model.node_autoscaling import ClusterAutoscalerSettings, KarpenterSettings
from eks_accelerators.settings.model.node_groups import AcceleratorNodeGroupSettings, SystemNodeGroupSettings
from eks_accelerators.settings.model.nvidia import Nvidia
from eks_accelerators.settings.model.plugins import Plugins
from eks_accelerators.settings.model.secrets import SecretsSettings
from eks_accelerators.settings.model.storage import StorageSettings
from eks_accelerators.settings.model.workloads import Workloads

TagValue = Annotated[str, StringConstraints(max_length=256)]


class Budget(Model):
    """What the stack may cost."""

    monthly_usd: Annotated[Decimal, Field(gt=0)]
    """Limit in USD for a month of 730 hours with every group at its largest size."""


class Settings(Model):
    """All settings of one environment: what its stack file says."""

    region: Annotated[str, StringConstraints(pattern=r"^[a-z]{2}(-[a-z]+)+-\d$")]
    """AWS region; in the stack file it is `aws:region`."""
    owner: Annotated[str, StringConstraints(min_length=1, max_length=256)]
    """Team that answers for the stack; becomes the tag `owner`."""
    tags: dict[str, TagValue] = {}
    """Tags on every resource."""
    budget: Budget | None = None
    """What the stack may cost."""
    network: NetworkSettings
    """The network: `create` one, or use an `existing` VPC."""
    cluster: ClusterSettings = Field(default_factory=ClusterSettings)
    """The EKS control plane."""
    system_node_group: SystemNodeGroupSettings = SystemNodeGroupSettings()
    """Nodes without accelerators."""
    instance_types: dict[InstanceTypeName, DescribedInstanceType] = {}
    """Accelerated instance types that the package lacks, by name; `accel facts add` asks AWS for them instead."""
    node_groups: dict[Name, AcceleratorNodeGroupSettings] = {}
    """Accelerator node groups by name."""
    capacity_blocks: dict[Name, CapacityBlockSettings] = {}
    """Capacity Blocks by name."""
    nvidia: Nvidia = Nvidia()
    """What serves NVIDIA GPUs."""
    plugins: Plugins = Plugins()
    """Device plugins."""
    monitoring: Monitoring = Monitoring()
    """Metrics of the accelerators, the Prometheus that reads them, alerts and dashboards."""
    cluster_autoscaler: ClusterAutoscalerSettings = ClusterAutoscalerSettings()
    """Cluster Autoscaler, for node groups that have it."""
    karpenter: KarpenterSettings = KarpenterSettings()
    """Karpenter, for node groups that have it."""
    secrets: SecretsSettings = SecretsSettings()
    """What becomes of servers whose secrets change."""
    storage: dict[Name, StorageSettings] = {}
    """Storage by name, which workloads mount as `volumes`."""
    workloads: Workloads = Workloads()
    """Workloads that run on the node groups."""

    @property
    def config_secrets(self) -> tuple[str, ...]:
        """Names of the Pulumi secrets that the settings name."""
        names = [name for _, _, workload in self.workloads.each() for name in workload.config_secrets]
        return tuple(dict.fromkeys((*names, *self.monitoring.config_secrets)))
