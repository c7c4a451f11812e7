"""The shapes that components take: nested TypedDicts, as Pulumi's multi-language packaging reads them.

Keys, allowed values and defaults are those of the stack file's models in `settings.model`, in snake
case; the models judge them.
"""

from typing import NotRequired, TypedDict

import pulumi


class SubnetArgs(TypedDict):
    """A subnet and the zone that it lies in."""

    id: pulumi.Input[str]
    """The subnet's ID."""
    zone: str
    """Its Availability Zone: all subnets by name (`us-east-2a`) or all by ID (`use2-az1`)."""


class SizeArgs(TypedDict):
    """How many nodes."""

    max: int
    """Largest number of nodes."""
    min: NotRequired[int]
    """Smallest number of nodes, 0 by default."""
    desired: NotRequired[int]
    """Number of nodes at creation, 0 by default."""


class AmiArgs(TypedDict):
    """The machine image."""

    type: NotRequired[str]
    """EKS `amiType`; by default chosen by the instance type."""
    release_version: NotRequired[str]
    """Release to pin."""
    image_id: NotRequired[str]
    """A custom AL2023 image; needs `cluster_endpoint` and its companions."""


class DiskArgs(TypedDict):
    """The root volume."""

    size_gib: NotRequired[int]
    """Size in GiB, 200 by default."""
    type: NotRequired[str]
    """`gp3` or `io2`."""
    iops: NotRequired[int]
    """IOPS."""
    throughput_mibps: NotRequired[int]
    """Throughput in MiB/s, gp3 only."""
    encrypted: NotRequired[bool]
    """True by default."""
    kms_key_arn: NotRequired[str]
    """KMS key."""


class NetworkInterfaceArgs(TypedDict):
    """One network interface of a layout of one's own."""

    card: int
    """Network card index."""
    device: int
    """Device index."""
    type: str
    """`interface`, `efa` or `efa-only`."""


class EfaArgs(TypedDict):
    """Elastic Fabric Adapter."""

    enabled: NotRequired[bool]
    """False by default."""
    interfaces: NotRequired[list[NetworkInterfaceArgs]]
    """A layout of one's own."""


class MigArgs(TypedDict):
    """How MIG divides GPUs."""

    strategy: NotRequired[str]
    """`mixed` or `single`."""
    layout: NotRequired[dict[str, int]]
    """Profiles and how many of each, for every GPU alike."""
    layouts: NotRequired[list[dict[str, int]]]
    """A layout for each GPU of a node; an empty one leaves it whole."""


class SharingArgs(TypedDict):
    """How pods share an accelerator."""

    strategy: NotRequired[str]
    """`exclusive`, `timeSlicing`, `mps` or `mig`."""
    replicas: NotRequired[int]
    """How many pods share one GPU."""
    memory_gib: NotRequired[float]
    """Instead of `replicas`: the GiB that each pod wants at least."""
    rename_by_default: NotRequired[bool]
    """Advertise shares as `nvidia.com/gpu.shared`."""
    fail_requests_greater_than_one: NotRequired[bool]
    """Refuse pods that ask for two shares; true by default."""
    allocation_policy: NotRequired[str]
    """`distributed` or `packed`."""
    mig: NotRequired[MigArgs]
    """How the GPUs are divided, with `mig`."""


class TaintArgs(TypedDict):
    """A node taint."""

    key: str
    """Key."""
    value: NotRequired[str]
    """Value."""
    effect: NotRequired[str]
    """`NoSchedule`, `NoExecute` or `PreferNoSchedule`."""


class TolerationArgs(TypedDict):
    """A pod's toleration, as Kubernetes spells it."""

    key: NotRequired[str]
    """Taint key."""
    operator: NotRequired[str]
    """`Exists` or `Equal`."""
    value: NotRequired[str]
    """Taint value."""
    effect: NotRequired[str]
    """Taint effect."""


class ServedNodeGroupArgs(TypedDict):
    """The node group that a workload runs on."""

    name: str
    """Its name, as in the label `eks-accelerators/node-group`."""
    instance_type: str
    """EC2 instance type."""
    size: SizeArgs
    """How many nodes."""
    sharing: NotRequired[SharingArgs]
    """How pods share its accelerators."""
    dynamic_resource_allocation: NotRequired[bool]
    """Pods claim its GPUs by Dynamic Resource Allocation; false by default."""
    efa: NotRequired[EfaArgs]
    """Its Elastic Fabric Adapter, for pods that ask for EFA interfaces."""
    taints: NotRequired[list[TaintArgs]]
    """Taints besides the package's own."""
    node_selector: NotRequired[dict[str, str]]
    """Selects its nodes; by default the package's own label."""


class ResourcesArgs(TypedDict):
    """CPU and memory of one pod."""

    cpu: NotRequired[str]
    """CPU request."""
    memory_gib: NotRequired[int]
    """Memory request."""
    memory_limit_gib: NotRequired[int]
    """Memory limit."""


class NodeRepairOverrideArgs(TypedDict):
    """Another repair action for one condition."""

    node_monitoring_condition: str
    """Condition."""
    node_unhealthy_reason: str
    """Reason."""
    min_repair_wait_time_mins: int
    """Minutes."""
    repair_action: str
    """`Replace`, `Reboot` or `NoAction`."""


class NodeRepairArgs(TypedDict):
    """Node auto repair."""

    enabled: NotRequired[bool]
    """True by default."""
    max_parallel_nodes_repaired_count: NotRequired[int]
    """Nodes repaired at a time."""
    max_parallel_nodes_repaired_percentage: NotRequired[int]
    """Share of nodes repaired at a time."""
    max_unhealthy_node_threshold_count: NotRequired[int]
    """Repair stops above this many unhealthy nodes."""
    max_unhealthy_node_threshold_percentage: NotRequired[int]
    """Repair stops above this share of unhealthy nodes."""
    overrides: NotRequired[list[NodeRepairOverrideArgs]]
    """Other actions for single conditions."""


class UpdateArgs(TypedDict):
    """How nodes are replaced by a new release."""

    strategy: NotRequired[str]
    """`default` or `minimal`."""
    max_unavailable: NotRequired[int]
    """Nodes replaced at a time."""
    max_unavailable_percentage: NotRequired[int]
    """Share of nodes replaced at a time."""


class ImagePullArgs(TypedDict):
    """How images are pulled."""

    fast: NotRequired[bool]
    """Parallel pull and unpack."""


class InstanceMetadataArgs(TypedDict):
    """The instance metadata service."""

    hop_limit: NotRequired[int]
    """1 by default."""


class ScheduledScalingArgs(TypedDict):
    """Sizes set at a time of day."""

    name: str
    """Name of the scheduled action."""
    recurrence: NotRequired[str]
    """Cron expression in UTC."""
    start_time: NotRequired[str]
    """One time in UTC."""
    min: NotRequired[int]
    """Smallest number of nodes from then on."""
    desired: NotRequired[int]
    """Number of nodes from then on."""
    max: NotRequired[int]
    """Largest number of nodes from then on."""


class CapacityBlockRef(TypedDict):
    """A Capacity Block that was checked: the outputs of the component `CapacityBlock`."""

    reservation_id: pulumi.Input[str]
    """ID of the reservation."""
    zone: pulumi.Input[str]
    """Name of its Availability Zone."""
    zone_id: pulumi.Input[str]
    """ID of its Availability Zone."""
    start: pulumi.Input[str]
    """Start, RFC 3339 in UTC."""
    state: pulumi.Input[str]
    """`active` or `scheduled`."""


class AccessEntryArgs(TypedDict):
    """One IAM principal and what it may do in the cluster."""

    principal_arn: str
    """IAM role or user."""
    policy: str
    """EKS access policy, such as `AmazonEKSClusterAdminPolicy`."""
    namespaces: NotRequired[list[str]]
    """Namespaces the policy is limited to."""
