"""What the simulated account holds beside moto: EKS, scaling groups and their instances, Capacity Blocks.

Plain records; what happens to them is in the modules named after the service.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

ACCOUNT_ID = "111122223333"
"""AWS's own example account."""


@dataclass(slots=True)
class InstanceRecord:
    """A running EC2 instance of a scaling group."""

    id: str
    instance_type: str
    subnet_id: str
    zone: str
    zone_id: str
    private_ip: str
    launched: datetime
    reservation_id: str | None = None


@dataclass(slots=True)
class ScheduledAction:
    """A size that a scaling group takes at a time; None leaves a size as it is."""

    name: str
    start: datetime
    """The moment of its next run."""
    recurrence: str | None
    min: int | None
    max: int | None
    desired: int | None
    time_zone: str = "Etc/UTC"


@dataclass(slots=True)
class ScalingActivity:
    """What a scaling group did: one instance launched or terminated, or not to be had."""

    id: str
    start: datetime
    description: str
    cause: str
    failure: str | None = None
    """Why it failed; None where it succeeded."""


@dataclass(slots=True)
class ScalingGroup:
    """The Auto Scaling group that EKS makes for a node group."""

    name: str
    node_group: str
    """Name of the node group."""
    min: int
    max: int
    desired: int
    subnet_ids: list[str]
    instance_types: list[str]
    """Instance types, the preferred one first."""
    capacity_type: str
    reservation_id: str | None
    ami_type: str
    template: dict[str, Any]
    """Data of the launch template's version."""
    instances: list[InstanceRecord] = field(default_factory=list)
    actions: dict[str, ScheduledAction] = field(default_factory=dict)
    tags: dict[str, dict[str, Any]] = field(default_factory=dict)
    launched: int = 0
    activities: list[ScalingActivity] = field(default_factory=list)
    """In the order in which they began."""
    failure: str | None = None
    """Why the last launch failed; None while every wanted instance runs."""
    invalid: str | None = None
    """Why nothing can ever be launched."""


@dataclass(slots=True)
class FleetInstance:
    """An instance that a fleet launched, which is in no scaling group."""

    instance: InstanceRecord
    capacity_type: str
    image_id: str
    template: dict[str, Any]
    """Data of the launch template's version."""
    tags: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class NodeGroupRecord:
    """A managed node group, as DescribeNodegroup answers it, and its scaling group."""

    described: dict[str, Any]
    scaling: ScalingGroup


@dataclass(slots=True)
class ClusterRecord:
    """An EKS cluster, as DescribeCluster answers it, and what belongs to it."""

    described: dict[str, Any]
    node_groups: dict[str, NodeGroupRecord] = field(default_factory=dict)
    addons: dict[str, dict[str, Any]] = field(default_factory=dict)
    access_entries: dict[str, dict[str, Any]] = field(default_factory=dict)
    policies: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    """Associated access policies by principal and policy ARN."""
    pod_identities: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Pod Identity associations by ID."""


@dataclass(slots=True)
class CapacityBlockRecord:
    """A Capacity Block that was bought. Its state follows from the clock, unless one is given."""

    id: str
    instance_type: str
    instance_count: int
    zone: str
    zone_id: str
    start: datetime
    end: datetime
    state: str | None = None
    tags: dict[str, str] = field(default_factory=dict)
    offering_id: str | None = None
    extensions: list[dict[str, Any]] = field(default_factory=list)
    """As DescribeCapacityBlockExtensionHistory answers them."""


@dataclass(slots=True)
class OfferingRecord:
    """An offering of a Capacity Block, with its fee as AWS writes it."""

    id: str
    instance_type: str
    instance_count: int
    zone: str
    start: datetime
    duration_hours: int
    upfront_fee_usd: str


@dataclass(slots=True)
class State:
    """Everything of ours in the account."""

    now: datetime
    region: str
    clusters: dict[str, ClusterRecord] = field(default_factory=dict)
    blocks: dict[str, CapacityBlockRecord] = field(default_factory=dict)
    offerings: dict[str, OfferingRecord] = field(default_factory=dict)
    market: bool = False
    """Whether blocks that nobody wrote down are on sale too."""
    placement_groups: dict[str, dict[str, Any]] = field(default_factory=dict)
    quotas: dict[str, int] = field(default_factory=dict)
    """vCPUs by quota code; a code that is not here is not limited."""
    contexts: list[str] = field(default_factory=list)
    """Contexts of a kubeconfig that lead to the cluster, which somebody else made."""
    scrapers: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Scrapers of Amazon Managed Service for Prometheus by ID."""
    alert_managers: dict[str, str] = field(default_factory=dict)
    """Alertmanager definitions by workspace."""
    metric_retention_days: dict[str, int] = field(default_factory=dict)
    """How long metrics are kept, by workspace, where somebody said so."""
    lustre: dict[str, dict[str, Any]] = field(default_factory=dict)
    """File systems of FSx for Lustre by ID."""
    s3_files: dict[str, dict[str, Any]] = field(default_factory=dict)
    """File systems of S3 Files by ID."""
    s3_files_targets: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Mount targets of S3 Files by ID."""
    file_systems_made: int = 0
    """How many there ever were, mount targets of S3 Files included."""
    without_capacity: list[tuple[str, str | None]] = field(default_factory=list)
    """Instance types, each with a zone or None for all, of which EC2 has none to give on demand."""
    fleet: list[FleetInstance] = field(default_factory=list)
    """What fleets launched and still runs."""
    fleet_launched: int = 0
    happened: list[tuple[datetime, str]] = field(default_factory=list)
    """What time brought: scheduled actions, starts and ends of Capacity Blocks, launches that failed."""

    def scaling_groups(self) -> list[ScalingGroup]:
        """Every scaling group of every cluster."""
        return [group.scaling for cluster in self.clusters.values() for group in cluster.node_groups.values()]

    def running(self) -> list[tuple[str, InstanceRecord]]:
        """Every running instance that is ours, each with how it was bought: ON_DEMAND, SPOT or CAPACITY_BLOCK."""
        grouped = [(group.capacity_type, each) for group in self.scaling_groups() for each in group.instances]
        return [*grouped, *((each.capacity_type, each.instance) for each in self.fleet)]
