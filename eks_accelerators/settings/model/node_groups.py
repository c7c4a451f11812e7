"""Node groups: the untainted system group, and the accelerator groups."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from eks_accelerators.accelerators.efa import InterfaceType
from eks_accelerators.settings.model.base import UTC_TIME, Model, Name
from eks_accelerators.settings.model.node_autoscaling import KarpenterPoolSettings, NodeAutoscaler

Count = Annotated[int, Field(ge=0)]
MOST_NODES = 100_000
"""Nodes of a cluster on EKS. Source: AWS, Under the hood: Amazon EKS ultra scale clusters, 2025-07-16."""
NodeCount = Annotated[int, Field(ge=0, le=MOST_NODES)]
Percentage = Annotated[int, Field(ge=1, le=100)]
LabelValue = Annotated[str, StringConstraints(pattern=r"^([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$")]


class Size(Model):
    """How many nodes. After creation the autoscaler owns the desired number."""

    min: NodeCount = 0
    """Smallest number of nodes."""
    desired: NodeCount = 0
    """Number of nodes at creation; later changes are ignored, so that they do not fight the autoscaler."""
    max: NodeCount
    """Largest number of nodes."""


class CapacityType(StrEnum):
    """How nodes are bought."""

    ON_DEMAND = "onDemand"
    SPOT = "spot"
    CAPACITY_BLOCK = "capacityBlock"


class Ami(Model):
    """The machine image. By default the one that the instance type needs."""

    type: str | None = None
    """EKS `amiType`; by default chosen by the instance type."""
    release_version: Annotated[str, StringConstraints(pattern=r"^[0-9][0-9A-Za-z.-]+$")] | None = None
    """Release to pin, such as `1.35.1-20261012`; by default the newest at creation."""
    image_id: Annotated[str, StringConstraints(pattern=r"^ami-[0-9a-f]{8,17}$")] | None = None
    """A custom AL2023 image; excludes `type` and `releaseVersion`."""


class VolumeType(StrEnum):
    """EBS volume types fit for a root volume."""

    GP3 = "gp3"
    IO2 = "io2"


class Disk(Model):
    """The volume that holds images and pods' scratch space, unless `localNvme` takes that over."""

    size_gib: Annotated[int, Field(ge=1, le=65536)] = 200
    """Size in GiB."""
    type: VolumeType = VolumeType.GP3
    """EBS volume type."""
    iops: Annotated[int, Field(ge=100, le=256000)] | None = None
    """IOPS; by default what the type includes (3,000 for gp3)."""
    throughput_mibps: Annotated[int, Field(ge=125, le=2000)] | None = None
    """Throughput in MiB/s, gp3 only; by default 125."""
    encrypted: bool = True
    """Whether the volume is encrypted."""
    kms_key_arn: str | None = None
    """KMS key; by default the account's key for EBS."""


class LocalNvme(StrEnum):
    """What is done with the disks inside the instance."""

    UNUSED = "unused"
    RAID0 = "raid0"


class NetworkInterface(Model):
    """One network interface, for a layout of one's own."""

    card: Count
    """Network card index."""
    device: Count
    """Device index on the card."""
    type: InterfaceType
    """`interface` (ENA), `efa` (both) or `efa-only`."""


class Efa(Model):
    """Elastic Fabric Adapter."""

    enabled: bool = False
    """Attach an EFA interface to every network card that takes one."""
    interfaces: tuple[NetworkInterface, ...] | None = None
    """A layout of one's own; by default the one that AWS documents for the type."""


class SharingStrategy(StrEnum):
    """How pods share an accelerator."""

    EXCLUSIVE = "exclusive"
    TIME_SLICING = "timeSlicing"
    MPS = "mps"
    MIG = "mig"


class AllocationPolicy(StrEnum):
    """Which GPU of a node gets the next share."""

    DISTRIBUTED = "distributed"
    PACKED = "packed"


class MigStrategy(StrEnum):
    """What MIG instances are called."""

    SINGLE = "single"
    MIXED = "mixed"


InstanceCount = Annotated[int, Field(ge=1)]
GpuMemoryGib = Annotated[float, Field(ge=0.1, le=1024)]
"""A pod's memory of a GPU. A CUDA context alone takes more than the least of it."""


class MigSettings(Model):
    """Multi-Instance GPU: instances with memory and compute of their own."""

    strategy: MigStrategy = MigStrategy.MIXED
    """`mixed` names instances by profile (`nvidia.com/mig-3g.40gb`); `single` calls them `nvidia.com/gpu`, and they are alike."""
    layout: dict[str, InstanceCount] | None = None
    """Profiles and how many of each, for every GPU alike, such as `{3g.40gb: 1, 1g.10gb: 4}`; excludes `layouts`."""
    layouts: tuple[dict[str, InstanceCount], ...] | None = None
    """A layout for each GPU of a node, in order; `{}` leaves a GPU whole."""


class SharingSettings(Model):
    """How pods share the group's accelerators."""

    strategy: SharingStrategy = SharingStrategy.EXCLUSIVE
    """`exclusive`, `timeSlicing` (turns on the whole GPU) `mps` (at once, each with its part of the memory) or `mig`."""
    replicas: Annotated[int, Field(ge=1, le=10**6)] | None = None
    """How many pods share one GPU, at least 2; with MPS at most 48. With MIG how many take turns on one instance."""
    memory_gib: GpuMemoryGib | None = None
    """Instead of `replicas`: the GiB that each pod wants at least. As many share a GPU as that allows."""
    rename_by_default: bool | None = None
    """Advertise shares as `nvidia.com/gpu.shared`, so that pods can tell them from whole GPUs."""
    fail_requests_greater_than_one: bool | None = None
    """Refuse a pod that asks for two shares, which would give it no more GPU. True by default."""
    allocation_policy: AllocationPolicy | None = None
    """Spread shares over the GPUs of a node, or fill one GPU first. Spread by default."""
    mig: MigSettings | None = None
    """How the GPUs are divided; with the strategy `mig` only."""


class TaintEffect(StrEnum):
    """Taint effects, as Kubernetes spells them."""

    NO_SCHEDULE = "NoSchedule"
    NO_EXECUTE = "NoExecute"
    PREFER_NO_SCHEDULE = "PreferNoSchedule"


class TaintSettings(Model):
    """A taint besides the one that every accelerator node has."""

    key: str
    """Key, at most 63 characters."""
    value: LabelValue = ""
    """Value, at most 63 characters."""
    effect: TaintEffect = TaintEffect.NO_SCHEDULE
    """What it does to pods without the toleration."""


class TolerationOperator(StrEnum):
    """How a toleration compares."""

    EXISTS = "Exists"
    EQUAL = "Equal"


class TolerationSettings(Model):
    """A pod's toleration, as Kubernetes spells it."""

    key: str | None = None
    """Taint key; none with `Exists` covers every taint."""
    operator: TolerationOperator = TolerationOperator.EQUAL
    """`Equal` compares the value."""
    value: str = ""
    """Taint value, for `Equal`."""
    effect: TaintEffect | None = None
    """Taint effect; none covers every effect."""


class RepairAction(StrEnum):
    """Actions of node auto repair, as EKS names them."""

    REPLACE = "Replace"
    REBOOT = "Reboot"
    NO_ACTION = "NoAction"


class NodeRepairOverride(Model):
    """Another action for one condition; EKS needs all four."""

    node_monitoring_condition: str
    """Condition of the node monitoring agent, such as `AcceleratedHardwareReady`."""
    node_unhealthy_reason: str
    """Reason, such as `NvidiaXID13Error`."""
    min_repair_wait_time_mins: Count
    """Minutes the condition must hold."""
    repair_action: RepairAction
    """What to do."""


class NodeRepair(Model):
    """Node auto repair."""

    enabled: bool = True
    """Whether EKS replaces or reboots nodes whose accelerators fail."""
    max_parallel_nodes_repaired_count: Annotated[int, Field(ge=1)] | None = None
    """Nodes repaired at a time; excludes the percentage."""
    max_parallel_nodes_repaired_percentage: Percentage | None = None
    """Share of nodes repaired at a time; excludes the count."""
    max_unhealthy_node_threshold_count: Annotated[int, Field(ge=1)] | None = None
    """Repair stops above this many unhealthy nodes; excludes the percentage."""
    max_unhealthy_node_threshold_percentage: Percentage | None = None
    """Repair stops above this share of unhealthy nodes; excludes the count."""
    overrides: tuple[NodeRepairOverride, ...] = ()
    """Other actions for single conditions."""


class UpdateStrategy(StrEnum):
    """`default` adds nodes before it drains old ones; `minimal` drains first and needs no extra capacity."""

    DEFAULT = "default"
    MINIMAL = "minimal"


class Update(Model):
    """How nodes are replaced by a new release."""

    strategy: UpdateStrategy | None = None
    """By default `minimal` where capacity is scarce (Capacity Block, reservation), else `default`."""
    max_unavailable: Annotated[int, Field(ge=1, le=100)] | None = None
    """Nodes replaced at a time; excludes the percentage. 1 by default."""
    max_unavailable_percentage: Percentage | None = None
    """Share of nodes replaced at a time; excludes the count."""


class ImagePull(Model):
    """How images are pulled."""

    fast: bool = False
    """Parallel pull and unpack, by SOCI's snapshotter; wants a fast disk. AWS calls it experimental on AL2023 (`FastImagePull`)
    and has it off by default, as here."""


class InstanceMetadata(Model):
    """The instance metadata service; version 2 always."""

    hop_limit: Annotated[int, Field(ge=1, le=64)] = 1
    """1 keeps pods away from the node's role; 2 lets them reach it."""


class PlacementGroupChoice(StrEnum):
    """Whether nodes are placed close together."""

    NONE = "none"
    CLUSTER = "cluster"


class ScheduledScaling(Model):
    """Sizes set at a time of day, such as zero nodes at night."""

    name: str
    """Name of the scheduled action."""
    recurrence: str | None = None
    """Cron expression in UTC; excludes `startTime`."""
    start_time: (
        Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$"), UTC_TIME] | None
    ) = None
    """One time in UTC, in quotes; excludes `recurrence`."""
    min: NodeCount | None = None
    """Smallest number of nodes from then on."""
    desired: NodeCount | None = None
    """Number of nodes from then on."""
    max: NodeCount | None = None
    """Largest number of nodes from then on."""


class AcceleratorNodeGroupSettings(Model):
    """Nodes of one accelerated instance type, tainted and labelled by what they carry."""

    instance_type: str
    """EC2 instance type, such as `g6.2xlarge`."""
    size: Size
    """How many nodes."""
    capacity_type: CapacityType | None = None
    """How nodes are bought; by default `capacityBlock` where one is named, else `onDemand`."""
    capacity_block: Name | None = None
    """Name of the Capacity Block, under `capacityBlocks`."""
    next_capacity_blocks: tuple[Name, ...] = ()
    """Capacity Blocks that take over in this order, each at the first deployment after the one before has drained."""
    capacity_reservation_id: Annotated[str, StringConstraints(pattern=r"^cr-[0-9a-f]{8,17}$")] | None = None
    """On-demand capacity reservation that the nodes launch into."""
    zones: tuple[str, ...] | None = None
    """Zones of the network to use; by default all, and for a Capacity Block its own zone."""
    ami: Ami = Ami()
    """Machine image."""
    disk: Disk = Disk()
    """Root volume."""
    local_nvme: LocalNvme = LocalNvme.UNUSED
    """`raid0` puts images and pods' scratch space on the disks inside the instance."""
    efa: Efa = Efa()
    """Elastic Fabric Adapter."""
    sharing: SharingSettings = SharingSettings()
    """How pods share the accelerators."""
    logical_core_size: Annotated[int, Field(ge=1, le=8)] | None = None
    """Physical NeuronCores of a logical one on Trainium2 and later, AWS's LNC: 2 by default, or 1. Twice as many cores then share
    the memory."""
    dynamic_resource_allocation: bool = False
    """Pods claim GPUs by Dynamic Resource Allocation, and the device plugin stays away. Exclusive NVIDIA GPUs only."""
    labels: dict[str, LabelValue] = {}
    """Labels besides our own."""
    taints: tuple[TaintSettings, ...] = ()
    """Taints besides our own."""
    node_repair: NodeRepair = NodeRepair()
    """Node auto repair."""
    update: Update = Update()
    """How nodes are replaced by a new release."""
    image_pull: ImagePull = ImagePull()
    """How images are pulled."""
    instance_metadata: InstanceMetadata = InstanceMetadata()
    """Instance metadata service."""
    placement_group: PlacementGroupChoice | None = None
    """By default `cluster` for on-demand EFA groups in one zone, else `none`."""
    security_group_ids: tuple[Annotated[str, StringConstraints(pattern=r"^sg-[0-9a-f]{8,17}$")], ...] = ()
    """Security groups besides the cluster's own, which is always attached."""
    scheduled_scaling: tuple[ScheduledScaling, ...] = ()
    """Sizes set at a time of day."""
    autoscaler: NodeAutoscaler = NodeAutoscaler.NONE
    """Who starts nodes for pods that wait, within `size`: `none`, `clusterAutoscaler`, or `karpenter`, which makes the
    nodes itself, without a managed node group. Never on a Capacity Block."""
    spot_fallback: Name | None = None
    """Of a spot group: the on-demand group where its pods run too, whose nodes come where there is no spot capacity."""
    karpenter: KarpenterPoolSettings | None = None
    """What Karpenter does with the nodes; with `autoscaler: karpenter` only."""

    @property
    def bought_as(self) -> CapacityType:
        """How nodes are bought, after defaults."""
        if self.capacity_type:
            return self.capacity_type
        return CapacityType.CAPACITY_BLOCK if self.capacity_block else CapacityType.ON_DEMAND

    @property
    def instance_types(self) -> tuple[str, ...]:
        """The types that its nodes can be of: Karpenter may have several to choose from."""
        return self.instance_type, *(self.karpenter.also_instance_types if self.karpenter else ())

    @property
    def blocks(self) -> tuple[str, ...]:
        """Names of its Capacity Blocks, in the order in which they serve."""
        return (*([self.capacity_block] if self.capacity_block else []), *self.next_capacity_blocks)

    @property
    def has_reserved_capacity(self) -> bool:
        """Whether nodes launch into a Capacity Block or a capacity reservation."""
        return self.bought_as is CapacityType.CAPACITY_BLOCK or self.capacity_reservation_id is not None


class SystemNodeGroupSettings(Model):
    """The untainted group that runs DNS, controllers and everything else without an accelerator."""

    instance_types: Annotated[tuple[str, ...], Field(min_length=1)] = ("m7i.large",)
    """EC2 instance types, the first preferred."""
    size: Size = Size(min=2, desired=2, max=3)
    """How many nodes."""
    disk_size_gib: Annotated[int, Field(ge=20, le=16384)] = 50
    """Root volume in GiB, encrypted gp3."""
