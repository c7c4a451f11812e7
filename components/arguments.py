"""The arguments that components take, as Pulumi's multi-language packaging reads them.

Written by `python -m eks_accelerators.settings.component_arguments` from `eks_accelerators.settings.model` and `eks_accelerators.components.wiring`: change those.
"""

from typing import NotRequired, TypedDict

import pulumi

from eks_accelerators.components.wiring import CapacityBlockRef, SubnetArgs


class SizeArgs(TypedDict):
    """How many nodes. After creation the autoscaler owns the desired number."""

    min: NotRequired[int]
    """Smallest number of nodes. By default 0."""
    desired: NotRequired[int]
    """Number of nodes at creation; later changes are ignored, so that they do not fight the autoscaler. By default
    0."""
    max: int
    """Largest number of nodes."""


class AmiArgs(TypedDict):
    """The machine image. By default the one that the instance type needs."""

    type: NotRequired[str]
    """EKS `amiType`; by default chosen by the instance type."""
    release_version: NotRequired[str]
    """Release to pin, such as `1.35.1-20261012`; by default the newest at creation."""
    image_id: NotRequired[str]
    """A custom AL2023 image; excludes `type` and `releaseVersion`."""


class DiskArgs(TypedDict):
    """The volume that holds images and pods' scratch space, unless `localNvme` takes that over."""

    size_gib: NotRequired[int]
    """Size in GiB. By default 200."""
    type: NotRequired[str]
    """EBS volume type. `gp3` or `io2`. By default `gp3`."""
    iops: NotRequired[int]
    """IOPS; by default what the type includes (3,000 for gp3)."""
    throughput_mibps: NotRequired[int]
    """Throughput in MiB/s, gp3 only; by default 125."""
    encrypted: NotRequired[bool]
    """Whether the volume is encrypted. By default true."""
    kms_key_arn: NotRequired[str]
    """KMS key; by default the account's key for EBS."""


class NetworkInterfaceArgs(TypedDict):
    """One network interface, for a layout of one's own."""

    card: int
    """Network card index."""
    device: int
    """Device index on the card."""
    type: str
    """`interface` (ENA), `efa` (both) or `efa-only`."""


class EfaArgs(TypedDict):
    """Elastic Fabric Adapter."""

    enabled: NotRequired[bool]
    """Attach an EFA interface to every network card that takes one. By default false."""
    interfaces: NotRequired[list[NetworkInterfaceArgs]]
    """A layout of one's own; by default the one that AWS documents for the type."""


class MigArgs(TypedDict):
    """Multi-Instance GPU: instances with memory and compute of their own."""

    strategy: NotRequired[str]
    """`mixed` names instances by profile (`nvidia.com/mig-3g.40gb`); `single` calls them `nvidia.com/gpu`, and they are
    alike. By default `mixed`."""
    layout: NotRequired[dict[str, int]]
    """Profiles and how many of each, for every GPU alike, such as `{3g.40gb: 1, 1g.10gb: 4}`; excludes `layouts`."""
    layouts: NotRequired[list[dict[str, int]]]
    """A layout for each GPU of a node, in order; `{}` leaves a GPU whole."""


class SharingArgs(TypedDict):
    """How pods share the group's accelerators."""

    strategy: NotRequired[str]
    """`exclusive`, `timeSlicing` (turns on the whole GPU) `mps` (at once, each with its part of the memory) or `mig`.
    By default `exclusive`."""
    replicas: NotRequired[int]
    """How many pods share one GPU, at least 2; with MPS at most 48. With MIG how many take turns on one instance."""
    memory_gib: NotRequired[float]
    """Instead of `replicas`: the GiB that each pod wants at least. As many share a GPU as that allows."""
    rename_by_default: NotRequired[bool]
    """Advertise shares as `nvidia.com/gpu.shared`, so that pods can tell them from whole GPUs."""
    fail_requests_greater_than_one: NotRequired[bool]
    """Refuse a pod that asks for two shares, which would give it no more GPU. True by default."""
    allocation_policy: NotRequired[str]
    """Spread shares over the GPUs of a node, or fill one GPU first. Spread by default. `distributed` or `packed`."""
    mig: NotRequired[MigArgs]
    """How the GPUs are divided; with the strategy `mig` only."""


class TaintArgs(TypedDict):
    """A taint besides the one that every accelerator node has."""

    key: str
    """Key, at most 63 characters."""
    value: NotRequired[str]
    """Value, at most 63 characters."""
    effect: NotRequired[str]
    """What it does to pods without the toleration. `NoSchedule`, `NoExecute` or `PreferNoSchedule`. By default
    `NoSchedule`."""


class NodeRepairOverrideArgs(TypedDict):
    """Another action for one condition; EKS needs all four."""

    node_monitoring_condition: str
    """Condition of the node monitoring agent, such as `AcceleratedHardwareReady`."""
    node_unhealthy_reason: str
    """Reason, such as `NvidiaXID13Error`."""
    min_repair_wait_time_mins: int
    """Minutes the condition must hold."""
    repair_action: str
    """What to do. `Replace`, `Reboot` or `NoAction`."""


class NodeRepairArgs(TypedDict):
    """Node auto repair."""

    enabled: NotRequired[bool]
    """Whether EKS replaces or reboots nodes whose accelerators fail. By default true."""
    max_parallel_nodes_repaired_count: NotRequired[int]
    """Nodes repaired at a time; excludes the percentage."""
    max_parallel_nodes_repaired_percentage: NotRequired[int]
    """Share of nodes repaired at a time; excludes the count."""
    max_unhealthy_node_threshold_count: NotRequired[int]
    """Repair stops above this many unhealthy nodes; excludes the percentage."""
    max_unhealthy_node_threshold_percentage: NotRequired[int]
    """Repair stops above this share of unhealthy nodes; excludes the count."""
    overrides: NotRequired[list[NodeRepairOverrideArgs]]
    """Other actions for single conditions."""


class UpdateArgs(TypedDict):
    """How nodes are replaced by a new release."""

    strategy: NotRequired[str]
    """By default `minimal` where capacity is scarce (Capacity Block, reservation), else `default`."""
    max_unavailable: NotRequired[int]
    """Nodes replaced at a time; excludes the percentage. 1 by default."""
    max_unavailable_percentage: NotRequired[int]
    """Share of nodes replaced at a time; excludes the count."""


class ImagePullArgs(TypedDict):
    """How images are pulled."""

    fast: NotRequired[bool]
    """Parallel pull and unpack, by SOCI's snapshotter; wants a fast disk. AWS calls it experimental on AL2023
    (`FastImagePull`) and has it off by default, as here."""


class InstanceMetadataArgs(TypedDict):
    """The instance metadata service; version 2 always."""

    hop_limit: NotRequired[int]
    """1 keeps pods away from the node's role; 2 lets them reach it. By default 1."""


class ScheduledScalingArgs(TypedDict):
    """Sizes set at a time of day, such as zero nodes at night."""

    name: str
    """Name of the scheduled action."""
    recurrence: NotRequired[str]
    """Cron expression in UTC; excludes `startTime`."""
    start_time: NotRequired[str]
    """One time in UTC, in quotes; excludes `recurrence`."""
    min: NotRequired[int]
    """Smallest number of nodes from then on."""
    desired: NotRequired[int]
    """Number of nodes from then on."""
    max: NotRequired[int]
    """Largest number of nodes from then on."""


class AcceleratorNodeGroupArgs(TypedDict):
    """The nodes, and the cluster that they join."""

    cluster_name: pulumi.Input[str]
    """Name of the cluster."""
    cluster_security_group_id: pulumi.Input[str]
    """Security group that EKS made for the cluster."""
    vpc_id: pulumi.Input[str]
    """VPC, for the security group of EFA."""
    subnets: list[SubnetArgs]
    """Private subnets to choose from."""
    kubernetes_version: str
    """Minor version of the cluster."""
    node_role_arn: NotRequired[pulumi.Input[str]]
    """IAM role of the nodes; by default one of its own."""
    partition: NotRequired[str]
    """AWS partition, for that role; `aws` by default."""
    capacity_block: NotRequired[CapacityBlockRef]
    """Capacity Block that the nodes launch into."""
    nvidia_stack: NotRequired[str]
    """What serves NVIDIA GPUs in the cluster: `charts` (default) or `operator`."""
    cluster_endpoint: NotRequired[pulumi.Input[str]]
    """URL of the API; with a custom image only."""
    cluster_certificate_authority: NotRequired[pulumi.Input[str]]
    """Certificate of the API, base64; with a custom image only."""
    cluster_service_cidr: NotRequired[pulumi.Input[str]]
    """Range of Kubernetes Services; with a custom image only."""
    tags: NotRequired[dict[str, str]]
    """Tags on every resource."""
    instance_type: str
    """EC2 instance type, such as `g6.2xlarge`."""
    size: SizeArgs
    """How many nodes."""
    capacity_type: NotRequired[str]
    """How nodes are bought; by default `capacityBlock` where one is named, else `onDemand`. `onDemand`, `spot` or
    `capacityBlock`."""
    capacity_reservation_id: NotRequired[str]
    """On-demand capacity reservation that the nodes launch into."""
    zones: NotRequired[list[str]]
    """Zones of the network to use; by default all, and for a Capacity Block its own zone."""
    ami: NotRequired[AmiArgs]
    """Machine image."""
    disk: NotRequired[DiskArgs]
    """Root volume."""
    local_nvme: NotRequired[str]
    """`raid0` puts images and pods' scratch space on the disks inside the instance. `unused` or `raid0`. By default
    `unused`."""
    efa: NotRequired[EfaArgs]
    """Elastic Fabric Adapter."""
    sharing: NotRequired[SharingArgs]
    """How pods share the accelerators."""
    logical_core_size: NotRequired[int]
    """Physical NeuronCores of a logical one on Trainium2 and later, AWS's LNC: 2 by default, or 1. Twice as many cores
    then share the memory."""
    dynamic_resource_allocation: NotRequired[bool]
    """Pods claim GPUs by Dynamic Resource Allocation, and the device plugin stays away. Exclusive NVIDIA GPUs only. By
    default false."""
    labels: NotRequired[dict[str, str]]
    """Labels besides our own."""
    taints: NotRequired[list[TaintArgs]]
    """Taints besides our own."""
    node_repair: NotRequired[NodeRepairArgs]
    """Node auto repair."""
    update: NotRequired[UpdateArgs]
    """How nodes are replaced by a new release."""
    image_pull: NotRequired[ImagePullArgs]
    """How images are pulled."""
    instance_metadata: NotRequired[InstanceMetadataArgs]
    """Instance metadata service."""
    placement_group: NotRequired[str]
    """By default `cluster` for on-demand EFA groups in one zone, else `none`."""
    security_group_ids: NotRequired[list[str]]
    """Security groups besides the cluster's own, which is always attached."""
    scheduled_scaling: NotRequired[list[ScheduledScalingArgs]]
    """Sizes set at a time of day."""
    autoscaler: NotRequired[str]
    """Who starts nodes for pods that wait, within `size`: `none`, `clusterAutoscaler`, or `karpenter`, which makes the
    nodes itself, without a managed node group. Never on a Capacity Block. By default `none`."""


class KarpenterPoolArgs(TypedDict):
    """What Karpenter does with the nodes of a group; for groups with `autoscaler: karpenter`."""

    also_instance_types: NotRequired[list[str]]
    """Instance types that it may start besides `instanceType`; each has the same accelerators."""
    on_demand_fallback: NotRequired[bool]
    """Start nodes on demand where there is no spot capacity; with `capacityType: spot` only. By default false."""
    do_not_disrupt: NotRequired[bool]
    """Take nodes away only when they are empty, and replace none for a new image: for training. By default false."""
    consolidate_after: NotRequired[str]
    """How long a node must be left alone by pods before it may be taken away, such as `5m`. By default `5m`."""
    expire_after: NotRequired[str]
    """Age at which a node is drained and replaced, such as `720h`; by default never."""
    termination_grace_period: NotRequired[str]
    """How long a node that has expired may drain, pods that must not be disrupted included; by default without
    limit."""


class KarpenterNodePoolArgs(TypedDict):
    """The nodes, and the cluster that they join. Pass the component `Karpenter` in `depends_on`."""

    node_role_arn: pulumi.Input[str]
    """IAM role of the nodes, the same that `Karpenter` has."""
    cluster_security_group_id: pulumi.Input[str]
    """Security group that EKS made for the cluster."""
    subnets: list[SubnetArgs]
    """Private subnets to choose from."""
    kubernetes_version: str
    """Minor version of the cluster."""
    nvidia_stack: NotRequired[str]
    """What serves NVIDIA GPUs in the cluster: `charts` (default) or `operator`."""
    tags: NotRequired[dict[str, str]]
    """Tags on every instance and volume."""
    instance_type: str
    """EC2 instance type, such as `g6.2xlarge`."""
    size: SizeArgs
    """How many nodes."""
    capacity_type: NotRequired[str]
    """How nodes are bought; by default `capacityBlock` where one is named, else `onDemand`. `onDemand`, `spot` or
    `capacityBlock`."""
    zones: NotRequired[list[str]]
    """Zones of the network to use; by default all, and for a Capacity Block its own zone."""
    ami: NotRequired[AmiArgs]
    """Machine image."""
    disk: NotRequired[DiskArgs]
    """Root volume."""
    local_nvme: NotRequired[str]
    """`raid0` puts images and pods' scratch space on the disks inside the instance. `unused` or `raid0`. By default
    `unused`."""
    labels: NotRequired[dict[str, str]]
    """Labels besides our own."""
    taints: NotRequired[list[TaintArgs]]
    """Taints besides our own."""
    image_pull: NotRequired[ImagePullArgs]
    """How images are pulled."""
    instance_metadata: NotRequired[InstanceMetadataArgs]
    """Instance metadata service."""
    security_group_ids: NotRequired[list[str]]
    """Security groups besides the cluster's own, which is always attached."""
    karpenter: NotRequired[KarpenterPoolArgs]
    """What Karpenter does with the nodes; with `autoscaler: karpenter` only."""


class ServedNodeGroupArgs(TypedDict):
    """The node group that a workload runs on."""

    name: str
    """Its name, as in the label `eks-accelerators/node-group`."""
    kubernetes_version: NotRequired[str]
    """Minor version of the cluster, from which the image follows; by default the newest that this package knows
    well."""
    nvidia_stack: NotRequired[str]
    """What serves NVIDIA GPUs in the cluster: `charts` (default) or `operator`."""
    node_selector: NotRequired[dict[str, str]]
    """Selects its nodes; by default the package's own label."""
    instance_type: str
    """EC2 instance type, such as `g6.2xlarge`."""
    size: SizeArgs
    """How many nodes."""
    ami: NotRequired[AmiArgs]
    """Machine image."""
    efa: NotRequired[EfaArgs]
    """Elastic Fabric Adapter."""
    sharing: NotRequired[SharingArgs]
    """How pods share the accelerators."""
    logical_core_size: NotRequired[int]
    """Physical NeuronCores of a logical one on Trainium2 and later, AWS's LNC: 2 by default, or 1. Twice as many cores
    then share the memory."""
    dynamic_resource_allocation: NotRequired[bool]
    """Pods claim GPUs by Dynamic Resource Allocation, and the device plugin stays away. Exclusive NVIDIA GPUs only. By
    default false."""
    taints: NotRequired[list[TaintArgs]]
    """Taints besides our own."""


class NetworkArgs(TypedDict):
    """What the network is made of."""

    region: str
    """AWS region."""
    tags: NotRequired[dict[str, str]]
    """Tags on every resource."""
    cidr: NotRequired[str]
    """IPv4 range of the VPC, /16 to /20. By default `10.0.0.0/16`."""
    zones: list[str]
    """Availability Zones, all by name (`us-east-2a`) or all by ID (`use2-az1`)."""
    nat_gateways: NotRequired[str]
    """`single` is cheapest, `onePerZone` survives the loss of a zone, `none` needs interface endpoints. By default
    `single`."""
    gateway_endpoints: NotRequired[list[str]]
    """Gateway endpoints; S3 carries the layers of every image in ECR, so it saves NAT traffic. `s3` or `dynamodb`."""
    interface_endpoints: NotRequired[list[str]]
    """Services reached through interface endpoints, such as `ecr.api`; each costs by zone and hour."""


class EndpointArgs(TypedDict):
    """How the Kubernetes API is reached. Closed to the internet unless CIDRs are named."""

    private_access: NotRequired[bool]
    """Reachable from inside the VPC. By default true."""
    public_access_cidrs: NotRequired[list[str]]
    """Ranges of the internet that may reach it; none means no public access at all."""


class AccessEntryArgs(TypedDict):
    """One IAM principal and what it may do in the cluster."""

    principal_arn: str
    """IAM role or user."""
    policy: str
    """EKS access policy. `AmazonEKSClusterAdminPolicy`, `AmazonEKSAdminPolicy`, `AmazonEKSAdminViewPolicy`,
    `AmazonEKSEditPolicy` or `AmazonEKSViewPolicy`."""
    namespaces: NotRequired[list[str]]
    """Namespaces the policy is limited to; none means the whole cluster."""


class ClusterArgs(TypedDict):
    """The control plane and who reaches it."""

    region: str
    """AWS region."""
    vpc_id: pulumi.Input[str]
    """VPC of the cluster."""
    subnet_ids: pulumi.Input[list[str]]
    """Private subnets in at least two zones."""
    cluster_name: NotRequired[str]
    """Name in AWS; by default the component's name."""
    kubeconfig_profile: NotRequired[str]
    """AWS profile in the kubeconfig; needed where an explicit AWS provider is passed."""
    network_policies: NotRequired[bool]
    """Whether the VPC CNI enforces network policies of Kubernetes; false by default, and then they keep nobody away."""
    tags: NotRequired[dict[str, str]]
    """Tags on every resource."""
    kubernetes_version: NotRequired[str]
    """Minor version, in quotes."""
    endpoint: NotRequired[EndpointArgs]
    """How the Kubernetes API is reached."""
    access_entries: NotRequired[dict[str, AccessEntryArgs]]
    """Who may use the cluster, besides the principal that creates it."""
    log_types: NotRequired[list[str]]
    """Control plane logs sent to CloudWatch. `api`, `audit`, `authenticator`, `controllerManager` or `scheduler`."""
    deletion_protection: NotRequired[bool]
    """Whether EKS refuses to delete the cluster. By default false."""
    secrets_encryption_key_arn: NotRequired[str]
    """KMS key that encrypts Kubernetes secrets; by default the key that EKS owns. Cannot be taken back."""
    support_type: NotRequired[str]
    """What happens when standard support of the version ends. `standard` or `extended`. By default `standard`."""
    addon_versions: NotRequired[dict[str, str]]
    """Versions to pin, by add-on. Others get EKS's default for the Kubernetes version when they are created, and stay
    there. `eks-pod-identity-agent`, `vpc-cni`, `kube-proxy`, `coredns`, `aws-ebs-csi-driver`,
    `eks-node-monitoring-agent`, `metrics-server`, `aws-fsx-csi-driver`, `aws-efs-csi-driver` or
    `aws-mountpoint-s3-csi-driver`."""


class SystemNodeGroupArgs(TypedDict):
    """The nodes, and the cluster that they join."""

    region: str
    """AWS region."""
    cluster_name: pulumi.Input[str]
    """Name of the cluster."""
    cluster_security_group_id: pulumi.Input[str]
    """Security group that EKS made for the cluster."""
    subnet_ids: pulumi.Input[list[str]]
    """Private subnets."""
    kubernetes_version: str
    """Minor version of the cluster."""
    tags: NotRequired[dict[str, str]]
    """Tags on every resource."""
    instance_types: NotRequired[list[str]]
    """EC2 instance types, the first preferred."""
    size: NotRequired[SizeArgs]
    """How many nodes."""
    disk_size_gib: NotRequired[int]
    """Root volume in GiB, encrypted gp3. By default 50."""


class ExpectationArgs(TypedDict):
    """What the reservation should be. AWS is the authority: what is written and disagrees is an error."""

    instance_type: NotRequired[str]
    """Instance type."""
    instance_count: NotRequired[int]
    """Number of instances."""
    zone: NotRequired[str]
    """Availability Zone, by name or by ID."""
    start: NotRequired[str]
    """Start, with a time zone, in quotes."""
    end: NotRequired[str]
    """End, with a time zone, in quotes."""


class CapacityBlockArgs(TypedDict):
    """The reservation, and what a node group wants of it."""

    reservation_id: pulumi.Input[str]
    """ID of the reservation, `cr-...`."""
    instance_type: str
    """Instance type of the node group."""
    max_size: int
    """Largest size of the node group."""
    zones: list[str]
    """Zones of the subnets, all by name or all by ID."""
    succeeded: NotRequired[bool]
    """Whether another block takes over: then that it has drained is no reason to refuse it."""
    tags: NotRequired[dict[str, str]]
    """Tags on every resource."""
    expect: NotRequired[ExpectationArgs]
    """What the reservation should be, to be checked."""
    notification_email: NotRequired[str]
    """Address told when the block is delivered and before it ends."""


class CapacityBlockPurchaseArgs(TypedDict):
    """The offering, what it should be, and the consent to pay for it."""

    region: str
    """AWS region of the offering."""
    tags: NotRequired[dict[str, str]]
    """Tags on the reservation."""
    offering_id: str
    """ID of the offering, literal: it must never be looked up by the program."""
    instance_type: str
    """Instance type of the offering."""
    instance_count: int
    """Number of instances of the offering."""
    duration_hours: int
    """Length of the offering in hours."""
    start: str
    """Start of the offering, with a time zone, in quotes."""
    max_upfront_fee_usd: str
    """The most that may be paid up front; a dearer offering stops the deployment."""
    confirmation: NotRequired[str]
    """The sentence that confirms the purchase, word for word."""


class LustreStorageArgs(TypedDict):
    """Where the file system lies, and who reaches it."""

    vpc_id: pulumi.Input[str]
    """VPC of the cluster."""
    subnets: list[SubnetArgs]
    """Private subnets of the nodes, one in each zone."""
    cluster_security_group_id: pulumi.Input[str]
    """Security group that EKS made for the cluster, which every node has."""
    tags: NotRequired[dict[str, str]]
    """Tags on every resource."""
    zone: str
    """Zone of the network where it lies; node groups that use it have nodes there alone."""
    deployment_type: str
    """`SCRATCH_2` is not replicated, for what can be made again; `PERSISTENT_2` is, for checkpoints."""
    capacity_gib: NotRequired[int]
    """Size in GiB. By default 1200."""
    throughput_mibps_per_tib: NotRequired[int]
    """Throughput in MiB/s for each TiB, with `PERSISTENT_2`: 125, 250, 500 or 1000. `SCRATCH_2` has 200."""
    efa: NotRequired[bool]
    """Whether clients reach it by EFA; with `PERSISTENT_2` only. Cannot be changed, nor can throughput then. By default
    false."""
    metadata_iops: NotRequired[int]
    """IOPS for metadata, with `PERSISTENT_2`; by default AWS chooses by the capacity."""
    compression: NotRequired[bool]
    """Whether what is written is compressed (LZ4). By default true."""
    backup_retention_days: NotRequired[int]
    """Days that daily backups are kept, with `PERSISTENT_2`; 0 makes none. By default 0."""
    kms_key_arn: NotRequired[str]
    """KMS key; by default the account's key for FSx. Always encrypted."""
    on_destroy: NotRequired[str]
    """What becomes of it when the stack lets go of it: `protect` refuses to destroy it, `delete` deletes it with its
    data, `keep` leaves it behind, and its bill. By default `protect`; `delete` with `SCRATCH_2`."""


class EfsStorageArgs(TypedDict):
    """Where the file system lies, and who reaches it."""

    vpc_id: pulumi.Input[str]
    """VPC of the cluster."""
    subnets: list[SubnetArgs]
    """Private subnets of the nodes, one in each zone."""
    cluster_security_group_id: pulumi.Input[str]
    """Security group that EKS made for the cluster, which every node has."""
    tags: NotRequired[dict[str, str]]
    """Tags on every resource."""
    zone: NotRequired[str]
    """One zone of the network, for half the price (One Zone); by default it is in all of them."""
    throughput: NotRequired[str]
    """`elastic` is paid for by what is read and written, `provisioned` by what could be; `bursting` grows with the
    data. By default `elastic`."""
    provisioned_mibps: NotRequired[int]
    """Throughput in MiB/s, with `provisioned`."""
    user_id: NotRequired[int]
    """User and group to whom everything on it belongs, whoever the pod runs as. By default 1000."""
    kms_key_arn: NotRequired[str]
    """KMS key; by default the account's key for EFS. Always encrypted."""
    on_destroy: NotRequired[str]
    """What becomes of it when the stack lets go of it: `protect` refuses to destroy it, `delete` deletes it with its
    data, `keep` leaves it behind, and its bill. By default `protect`."""


class S3FilesStorageArgs(TypedDict):
    """Where the file system lies, who reaches it, and which partition its bucket is in."""

    region: str
    """AWS region."""
    vpc_id: pulumi.Input[str]
    """VPC of the cluster."""
    subnets: list[SubnetArgs]
    """Private subnets of the nodes, one in each zone."""
    cluster_security_group_id: pulumi.Input[str]
    """Security group that EKS made for the cluster, which every node has."""
    tags: NotRequired[dict[str, str]]
    """Tags on every resource."""
    bucket: str
    """Name of the bucket, in the region of the stack; it keeps versions."""
    prefix: NotRequired[str]
    """Beginning of the keys that become files, with a slash at its end; by default the whole bucket."""
    on_destroy: NotRequired[str]
    """What becomes of the file system when the stack lets go of it: `protect` refuses to destroy it, `delete` deletes
    it, `keep` leaves it behind, and its bill. The bucket stays. By default `protect`."""


class TolerationArgs(TypedDict):
    """A pod's toleration, as Kubernetes spells it."""

    key: NotRequired[str]
    """Taint key; none with `Exists` covers every taint."""
    operator: NotRequired[str]
    """`Equal` compares the value. `Exists` or `Equal`. By default `Equal`."""
    value: NotRequired[str]
    """Taint value, for `Equal`."""
    effect: NotRequired[str]
    """Taint effect; none covers every effect. `NoSchedule`, `NoExecute` or `PreferNoSchedule`."""


class NeuronMonitorArgs(TypedDict):
    """What neuron-monitor measures."""

    tolerations: NotRequired[list[TolerationArgs]]
    """Tolerations of its pods; by default that of the package's own taint."""
    namespace: NotRequired[str]
    """Namespace, created; `neuron-monitor` by default."""


class KubePrometheusStackArgs(TypedDict):
    """What Prometheus keeps, and whom Alertmanager tells. A cluster has one."""

    storage_gib: NotRequired[int]
    """Size of the volume of Prometheus in GiB; 50 by default."""
    storage_class: NotRequired[str]
    """StorageClass of the volume; `gp3` by default."""
    retention_days: NotRequired[int]
    """Days that metrics are kept, as long as the volume has space; 10 by default."""
    grafana: NotRequired[bool]
    """Install Grafana, which shows the dashboards of ConfigMaps with the label `grafana_dashboard`; false by
    default."""
    topic_arn: NotRequired[str]
    """SNS topic that is told of alerts; Alertmanager's service account needs the right to publish there."""
    slack_channel: NotRequired[str]
    """Channel of Slack that is told of alerts; the address of the webhook is the key `webhook` of the Secret
    `alertmanager-slack` in the namespace."""
    severities: NotRequired[list[str]]
    """Severities of the alerts that are told: `critical`, `warning`, `info`; by default the first two."""
    namespace: NotRequired[str]
    """Namespace, created; `monitoring` by default."""


class KubeStateMetricsArgs(TypedDict):
    """Where it runs. It shows nodes, pods and quotas, with the labels of nodes that rules ask for."""

    namespace: NotRequired[str]
    """Namespace, created; `kube-state-metrics` by default."""


class NvidiaDevicePluginArgs(TypedDict):
    """What the plugin serves. All node groups share one release."""

    sharings: NotRequired[list[SharingArgs]]
    """Every kind of sharing among the node groups; `exclusive` is always there."""
    tolerations: NotRequired[list[TolerationArgs]]
    """Tolerations of the plugin and the discovery pods; by default that of the package's own taint."""
    mofed_enabled: NotRequired[bool]
    """Hand out Mellanox devices; false by default, as it would take the EFA devices."""
    node_selector: NotRequired[dict[str, str]]
    """Labels of the nodes that it serves; by default all that choose a configuration."""
    namespace: NotRequired[str]
    """Namespace, created; `nvidia-device-plugin` by default."""


class GpuOperatorArgs(TypedDict):
    """What the operator serves. A cluster has one."""

    shared_gpus: NotRequired[bool]
    """Whether pods share GPUs: metrics are repeated for each pod, load and memory told apart by the host's processes.
    False by default."""
    renamed_shares: NotRequired[bool]
    """Whether shares are called `nvidia.com/gpu.shared`; false by default. MIG instances are known by their names,
    shared or not."""
    service_monitor: NotRequired[bool]
    """Create a ServiceMonitor; needs the Prometheus Operator. False by default."""
    service_monitor_labels: NotRequired[dict[str, str]]
    """Labels by which Prometheus selects it."""
    sharings: NotRequired[list[SharingArgs]]
    """Every kind of sharing among the node groups, MIG layouts included; `exclusive` is always there."""
    tolerations: NotRequired[list[TolerationArgs]]
    """Tolerations of all that runs on its nodes; by default that of the package's own taint."""
    discovery_tolerations: NotRequired[list[TolerationArgs]]
    """Tolerations of node discovery, which must see nodes with GPUs that the operator leaves alone too; by default
    those of the rest."""
    device_plugin: NotRequired[bool]
    """Run the device plugin; true by default."""
    mofed_enabled: NotRequired[bool]
    """Hand out Mellanox devices; false by default, as it would take the EFA devices."""
    metrics: NotRequired[bool]
    """Run the DCGM exporter; true by default."""
    namespace: NotRequired[str]
    """Namespace, created; `gpu-operator` by default."""


class NeuronDevicePluginArgs(TypedDict):
    """What the plugin serves."""

    tolerations: NotRequired[list[TolerationArgs]]
    """Tolerations of the plugin; by default that of the package's own taint."""


class EfaDevicePluginArgs(TypedDict):
    """What the plugin serves."""

    tolerations: NotRequired[list[TolerationArgs]]
    """Tolerations of the plugin; by default those of the package's own taints."""
    image_repository: NotRequired[str]
    """Image, for partitions and regions that pull from another registry account."""


class DraDriverArgs(TypedDict):
    """What the driver serves."""

    tolerations: NotRequired[list[TolerationArgs]]
    """Tolerations of the driver; by default that of the package's own taint."""
    namespace: NotRequired[str]
    """Namespace, created; `dra-driver-nvidia-gpu` by default."""


class DcgmExporterArgs(TypedDict):
    """What the exporter measures, and who scrapes it."""

    shared_gpus: NotRequired[bool]
    """Whether pods share GPUs: metrics are repeated for each pod, load and memory told apart by the host's processes.
    False by default."""
    renamed_shares: NotRequired[bool]
    """Whether shares are called `nvidia.com/gpu.shared`; false by default. MIG instances are known by their names,
    shared or not."""
    service_monitor: NotRequired[bool]
    """Create a ServiceMonitor; needs the Prometheus Operator. False by default."""
    service_monitor_labels: NotRequired[dict[str, str]]
    """Labels by which Prometheus selects it."""
    tolerations: NotRequired[list[TolerationArgs]]
    """Tolerations of the exporter; by default that of the package's own taint."""
    node_selector: NotRequired[dict[str, str]]
    """Labels of the nodes that it measures; by default all with NVIDIA GPUs."""
    claimed_gpus: NotRequired[bool]
    """Measure the nodes of Dynamic Resource Allocation, and name the pods by their claims; false by default. Other
    exporters leave them."""
    namespace: NotRequired[str]
    """Namespace, created; `dcgm-exporter` by default."""


class ClusterAutoscalerArgs(TypedDict):
    """The cluster whose node groups it scales: those with `autoscaler: clusterAutoscaler`."""

    region: str
    """AWS region."""
    cluster_name: pulumi.Input[str]
    """Name of the cluster."""
    tags: NotRequired[dict[str, str]]
    """Tags on every resource."""
    version: str
    """Version of its image, whose minor version is that of the cluster, such as `1.35.2`."""
    spot_node_groups: NotRequired[list[str]]
    """Node groups, by the names of their components, that are filled before all others."""
    scale_down_unneeded_time: NotRequired[str]
    """How long a node must be unneeded before it is taken away. By default `10m`."""
    max_node_provision_time: NotRequired[str]
    """How long it waits for a node before it tries another group. By default `15m`."""
    service_monitor: NotRequired[bool]
    """Create a ServiceMonitor; needs the Prometheus Operator. False by default."""
    service_monitor_labels: NotRequired[dict[str, str]]
    """Labels by which Prometheus selects it."""


class KarpenterArgs(TypedDict):
    """The cluster that it makes nodes for, and the role that they have."""

    region: str
    """AWS region."""
    cluster_name: pulumi.Input[str]
    """Name of the cluster."""
    node_role_arn: pulumi.Input[str]
    """IAM role of the nodes, which has an access entry of type `EC2_LINUX`: that of a managed node group has."""
    tags: NotRequired[dict[str, str]]
    """Tags on every resource."""
    replicas: NotRequired[int]
    """How many copies run, each on a node of its own that is not Karpenter's; 2 by default."""
    service_monitor: NotRequired[bool]
    """Create a ServiceMonitor; needs the Prometheus Operator. False by default."""
    service_monitor_labels: NotRequired[dict[str, str]]
    """Labels by which Prometheus selects it."""


class KedaArgs(TypedDict):
    """Where it runs. What it scales is written with each workload."""

    namespace: NotRequired[str]
    """Namespace, created; `keda` by default."""


class ExternalSecretsArgs(TypedDict):
    """The cluster that secrets are brought into."""

    region: str
    """AWS region of the secrets."""
    cluster_name: pulumi.Input[str]
    """Name of the cluster."""
    tags: NotRequired[dict[str, str]]
    """Tags on every resource."""
    secrets: list[str]
    """Names of the secrets, without the six characters that their ARNs end with."""
    namespace: NotRequired[str]
    """Namespace, created; `external-secrets` by default."""


class ReloaderArgs(TypedDict):
    """Whose secrets it watches. What is replaced when one changes is said by an annotation of each Deployment."""

    namespaces: list[str]
    """Namespaces, there already, whose secrets it may read and whose Deployments it may change."""
    namespace: NotRequired[str]
    """Namespace, created; `reloader` by default."""


class JobSetControllerArgs(TypedDict):
    """Where it runs. What it makes is written with each job."""

    namespace: NotRequired[str]
    """Namespace, created; `jobset-system` by default."""


class LeaderWorkerSetControllerArgs(TypedDict):
    """Where it runs. What it makes is written with each server."""

    namespace: NotRequired[str]
    """Namespace, created; `lws-system` by default."""


class KubeflowTrainerArgs(TypedDict):
    """Where it runs. What it makes is written with each job."""

    namespace: NotRequired[str]
    """Namespace, created; `kubeflow-system` by default."""


class KubeRayOperatorArgs(TypedDict):
    """Where it runs. What it makes is written with each job."""

    namespace: NotRequired[str]
    """Namespace, created; `kuberay-operator` by default."""


class ResourcesArgs(TypedDict):
    """CPU and memory of one pod, as Kubernetes writes quantities."""

    cpu: NotRequired[str]
    """CPU request. By default `1`."""
    memory_gib: NotRequired[int]
    """Memory request in GiB. By default 6."""
    memory_limit_gib: NotRequired[int]
    """Memory limit in GiB. By default 10."""


class VolumeMountArgs(TypedDict):
    """Where a workload sees a storage."""

    mount_path: str
    """Directory in the container."""
    read_only: NotRequired[bool]
    """Whether pods cannot write there. By default false."""
    sub_path: NotRequired[str]
    """Directory of the storage, relative, in place of all of it."""


class ReplicaHoursArgs(TypedDict):
    """Hours in which servers are kept, whatever the load."""

    start: str
    """Cron expression of the beginning, such as `30 7 * * 1-5`: before people come, by the time that a server takes to
    start."""
    end: str
    """Cron expression of the end, such as `0 19 * * 1-5`."""
    timezone: str
    """Time zone of both, such as `Europe/Berlin`."""
    replicas: int
    """Servers that are there in these hours at least."""


class ScaleUpArgs(TypedDict):
    """How fast servers are added."""

    pods: NotRequired[int]
    """Servers that are added within `periodSeconds` at most; by default 2, or as many as there are where that is
    more."""
    period_seconds: NotRequired[int]
    """By default the time that a server takes to start."""
    stabilization_seconds: NotRequired[int]
    """How long the load has to ask for more before servers are added. By default 30."""


class ScaleDownArgs(TypedDict):
    """How fast servers are taken away."""

    pods: NotRequired[int]
    """Servers that go within `periodSeconds` at most; by default 1, or a quarter of them where that is more."""
    period_seconds: NotRequired[int]
    """By default the time that a server takes to start."""
    stabilization_seconds: NotRequired[int]
    """How long the load has to ask for less before servers go; by default twice the time that one takes to start, at
    least 600."""


class AutoscalingArgs(TypedDict):
    """Servers follow the load: KEDA asks Prometheus and sets their number."""

    min: NotRequired[int]
    """Fewest servers. 0 only with a `schedule`, which wakes them: a server that is not there has no load to show. By
    default 1."""
    max: int
    """Most servers. The node group has to hold them at its largest size."""
    target_concurrency: NotRequired[int]
    """Requests of one server, running and waiting, at which another is added; by default 75 % of the sequences that it
    takes at a time. Measure it: 70 to 80 % of the number at which the time to the first token breaks."""
    metrics: NotRequired[list[str]]
    """What they are scaled by: `concurrency` (requests of each server) and `kvCacheUse` (above 80 % of the KV cache);
    what asks for most servers wins. Triton has `pendingRequests` (of each server) alone, which is its default."""
    start_seconds: NotRequired[int]
    """Seconds from a pod's creation to its first answer, measured; by default what was measured elsewhere. How fast
    servers are added and taken away follows from it."""
    fallback_replicas: NotRequired[int]
    """Servers that are there at least when Prometheus does not answer: none is taken away then; by default `min`."""
    schedule: NotRequired[list[ReplicaHoursArgs]]
    """Hours in which servers are kept, whatever the load."""
    scale_up: NotRequired[ScaleUpArgs]
    """How fast servers are added."""
    scale_down: NotRequired[ScaleDownArgs]
    """How fast servers are taken away."""


class GatewayArgs(TypedDict):
    """A Gateway that is there already, of the Gateway API."""

    name: str
    """Name of the Gateway."""
    namespace: NotRequired[str]
    """Its namespace; by default that of the servers."""


class ExposureArgs(TypedDict):
    """How clients reach the servers."""

    kind: NotRequired[str]
    """`clusterIp`: a Service, for pods of the cluster; `internalLoadBalancer`: a Network Load Balancer in the private
    subnets besides; `gateway`: an HTTPRoute from a Gateway to the Service. By default `clusterIp`."""
    gateway: NotRequired[GatewayArgs]
    """The Gateway, with `kind: gateway`."""
    host_names: NotRequired[list[str]]
    """Host names of the HTTPRoute; by default all that the Gateway listens to."""


class CallersArgs(TypedDict):
    """Who may call the servers; everyone else is kept away. Kubelets may always ask whether a pod is ready."""

    namespaces: NotRequired[list[str]]
    """Namespaces whose pods may call, that of the servers among them only if it is named."""
    cidrs: NotRequired[list[str]]
    """IPv4 ranges that may call, such as those of the clients of a load balancer."""


class ModelShapeArgs(TypedDict):
    """The numbers of a model that this package does not know."""

    parameters: int
    """Number of parameters."""
    layers: int
    """Number of layers."""
    attention_heads: int
    """Number of attention heads."""
    kv_heads: int
    """Number of key and value heads."""
    head_size: int
    """Size of a head."""
    bytes_per_parameter: NotRequired[int]
    """Bytes a parameter takes. By default 2."""
    max_model_len: int
    """Longest context that the model was made for, in tokens."""
    gated: NotRequired[bool]
    """Whether Hugging Face asks for a token. By default false."""


class CacheVolumeArgs(TypedDict):
    """Where weights and what is compiled are kept between pods: on a storage, or on a volume of its own."""

    storage: NotRequired[str]
    """Name under `storage` of what keeps it, for pods on any node; of a component by itself, of a PersistentVolumeClaim
    that is there."""
    sub_path: NotRequired[str]
    """Directory of the storage, relative; by default one that is called as the workload. Those who name one directory
    share it."""
    size_gib: NotRequired[int]
    """Size in GiB of a volume of its own, which a storage class makes."""
    storage_class: NotRequired[str]
    """Storage class of a volume of its own; must be ReadWriteMany (EFS, FSx) for more than one replica."""


class S3WeightsArgs(TypedDict):
    """Weights in S3: the model's own files, safetensors, in a bucket that is there."""

    bucket: str
    """Name of the bucket, in the region of the stack."""
    prefix: NotRequired[str]
    """Beginning of the keys of the model's files, with a slash at its end; by default they lie at the top of the
    bucket."""
    concurrency: NotRequired[int]
    """Requests to S3 at a time. By default 16."""
    memory_gib: NotRequired[int]
    """GiB of the pod's memory that hold what was read, until it is on the GPU; below the pod's limit. By default 4."""


class VllmServerArgs(TypedDict):
    """The model, and the node group that serves it."""

    serves_on: ServedNodeGroupArgs
    """The node group that its pods run on."""
    namespace: NotRequired[pulumi.Input[str]]
    """Namespace that is there already; by default one of its own, called as the component."""
    hugging_face_token: NotRequired[pulumi.Input[str]]
    """Token for gated models: a Pulumi secret."""
    existing_token_secret: NotRequired[str]
    """Kubernetes Secret with the key `token`, in place of the token."""
    wait_for_pods: NotRequired[bool]
    """Wait until the servers answer; true by default where they fit the node group at its desired size."""
    prometheus_address: NotRequired[pulumi.Input[str]]
    """Where the Prometheus answers that scrapes the servers, as KEDA reaches it; needed for `autoscaling`."""
    prometheus_region: NotRequired[str]
    """AWS region of that address where it is one of Amazon Managed Service for Prometheus: KEDA signs its questions
    then."""
    resource_name: NotRequired[str]
    """Resource that pods ask for; by default the one that the node group advertises."""
    tolerations: NotRequired[list[TolerationArgs]]
    """Tolerations of its own; by default those of the node group's taints."""
    image: NotRequired[str]
    """Container image; by default the one pinned in `charts-values/charts.yaml`."""
    resources: NotRequired[ResourcesArgs]
    """CPU and memory of one pod."""
    volumes: NotRequired[dict[str, VolumeMountArgs]]
    """What it mounts, by name under `storage`; of a component by itself, by name of a PersistentVolumeClaim that is
    there."""
    replicas: NotRequired[int]
    """Number of servers; by default as many as fit the node group at its desired size, at least one."""
    autoscaling: NotRequired[AutoscalingArgs]
    """Let the number of servers follow the load, in place of `replicas`; by default it stays as it is."""
    placement: NotRequired[str]
    """`spread` keeps servers on as many nodes as the group has at its desired size, so that no fault ends all; `pack`
    fills a node before the next. By default `spread`."""
    exposure: NotRequired[ExposureArgs]
    """How clients reach the servers; by default a Service for the pods of the cluster."""
    network_policy: NotRequired[CallersArgs]
    """Who may call the servers; by default everyone in the cluster, and whoever reaches the load balancer."""
    model: str
    """Hugging Face model, such as `meta-llama/Llama-3.2-1B`."""
    model_shape: NotRequired[ModelShapeArgs]
    """The model's numbers, where this package does not know the model."""
    max_model_len: NotRequired[int]
    """Longest context in tokens; sizes the KV cache. By default 4096."""
    concurrent_sequences: NotRequired[int]
    """Sequences of that length that must fit the KV cache at a time. By default 4."""
    tensor_parallel_size: NotRequired[int]
    """GPUs that one server uses, of each node where it spans several. By default 1."""
    nodes_per_replica: NotRequired[int]
    """Nodes that one server spans, each with one stage of the model's layers (pipeline parallel), by a LeaderWorkerSet.
    By default 1."""
    gpu_memory_gib: NotRequired[float]
    """GiB that each pod wants of its GPU at least. The shares follow from it where the node group's sharing has neither
    `replicas` nor `memoryGib`; otherwise they have to be as large."""
    cuda_graphs: NotRequired[bool]
    """Whether it compiles the model and replays its steps as CUDA graphs, in place of `--enforce-eager`: more tokens
    per second for some memory and a longer start. By default where a server has its GPUs or MIG instance to itself and
    their memory holds the graphs too."""
    efa_interfaces: NotRequired[int]
    """EFA interfaces of one pod. By default 0."""
    huge_pages_mib: NotRequired[int]
    """2 MiB huge pages of one pod, in MiB; by default 5120 where it has EFA."""
    cache: NotRequired[CacheVolumeArgs]
    """Where the weights are kept; by default each pod downloads them anew."""
    weights_from_s3: NotRequired[S3WeightsArgs]
    """Stream the weights from a bucket to the GPU, in place of a download from Hugging Face."""


class NeuronBucketsArgs(TypedDict):
    """Shapes for which the model is compiled, each list ascending; inputs are padded to the next one."""

    prompt_tokens: NotRequired[list[int]]
    """Tokens of a prompt that are taken at once. By default on Trainium2 and later 2048, or the most of 512 and 1024
    that `maxModelLen` allows: longer prompts are taken in such steps. Several, and always on Trainium1 and Inferentia2,
    are for whole prompts: the last one is `maxModelLen`."""
    sequences: NotRequired[list[int]]
    """Sequences that are generated at a time, the last one `concurrentSequences`; by default powers of two. One on
    Trainium1 and Inferentia2."""
    context_tokens: NotRequired[list[int]]
    """Tokens that sequences have so far. On Trainium2 and later multiples of 128 below `maxModelLen`, which is compiled
    besides; by default none. On Trainium1 and Inferentia2 powers of two up to `maxModelLen` by default."""


class CompileAheadArgs(TypedDict):
    """A Job that compiles the model on nodes without accelerators, before a server starts."""

    cpu: NotRequired[str]
    """CPU request of the Job's pod. By default `3`."""
    memory_gib: NotRequired[int]
    """Memory of the Job's pod in GiB, request and limit: it holds the weights too. By default 12."""
    workers: NotRequired[int]
    """Programs that are compiled at a time. By default 4."""


class NeuronVllmServerArgs(TypedDict):
    """The model, and the node group that serves it."""

    serves_on: ServedNodeGroupArgs
    """The node group that its pods run on."""
    namespace: NotRequired[pulumi.Input[str]]
    """Namespace that is there already; by default one of its own, called as the component."""
    hugging_face_token: NotRequired[pulumi.Input[str]]
    """Token for gated models: a Pulumi secret."""
    existing_token_secret: NotRequired[str]
    """Kubernetes Secret with the key `token`, in place of the token."""
    wait_for_pods: NotRequired[bool]
    """Wait until the servers answer; true by default where they fit the node group at its desired size."""
    prometheus_address: NotRequired[pulumi.Input[str]]
    """Where the Prometheus answers that scrapes the servers, as KEDA reaches it; needed for `autoscaling`."""
    prometheus_region: NotRequired[str]
    """AWS region of that address where it is one of Amazon Managed Service for Prometheus: KEDA signs its questions
    then."""
    resource_name: NotRequired[str]
    """Resource that pods ask for; by default the one that the node group advertises."""
    tolerations: NotRequired[list[TolerationArgs]]
    """Tolerations of its own; by default those of the node group's taints."""
    image: NotRequired[str]
    """Container image; by default the one pinned in `charts-values/charts.yaml`."""
    resources: NotRequired[ResourcesArgs]
    """CPU and memory of one pod."""
    volumes: NotRequired[dict[str, VolumeMountArgs]]
    """What it mounts, by name under `storage`; of a component by itself, by name of a PersistentVolumeClaim that is
    there."""
    replicas: NotRequired[int]
    """Number of servers; by default as many as fit the node group at its desired size, at least one."""
    autoscaling: NotRequired[AutoscalingArgs]
    """Let the number of servers follow the load, in place of `replicas`; by default it stays as it is."""
    placement: NotRequired[str]
    """`spread` keeps servers on as many nodes as the group has at its desired size, so that no fault ends all; `pack`
    fills a node before the next. By default `spread`."""
    exposure: NotRequired[ExposureArgs]
    """How clients reach the servers; by default a Service for the pods of the cluster."""
    network_policy: NotRequired[CallersArgs]
    """Who may call the servers; by default everyone in the cluster, and whoever reaches the load balancer."""
    model: str
    """Hugging Face model, such as `meta-llama/Llama-3.2-1B-Instruct`."""
    model_shape: NotRequired[ModelShapeArgs]
    """The model's numbers, where this package does not know the model."""
    devices: NotRequired[int]
    """Neuron devices of one server: one, or all of a node. Others have to be next to each other, which takes a
    scheduler extension that is not installed. By default 1."""
    tensor_parallel_size: NotRequired[int]
    """Logical cores that one server uses; by default all of its devices, or the most among which the model's heads can
    be divided."""
    max_model_len: NotRequired[int]
    """Longest context in tokens; sizes the KV cache. By default 4096."""
    concurrent_sequences: NotRequired[int]
    """Sequences that one server works on at a time; as many of full length fit the KV cache. By default 8."""
    buckets: NotRequired[NeuronBucketsArgs]
    """Shapes for which the model is compiled."""
    greedy: NotRequired[bool]
    """Take the likeliest token always, chosen on the device: faster, and no request can ask for anything else. On
    Trainium2 and later. By default false."""
    cache: NotRequired[CacheVolumeArgs]
    """Where weights and compiled programs are kept; by default each pod downloads and compiles anew."""
    compile_ahead: NotRequired[CompileAheadArgs]
    """Compile on nodes without accelerators before a server starts; needs a `cache` that several nodes can mount."""


class NimServerArgs(TypedDict):
    """The model, the key of NGC, and the node group that serves it."""

    serves_on: ServedNodeGroupArgs
    """The node group that its pods run on."""
    namespace: NotRequired[pulumi.Input[str]]
    """Namespace that is there already; by default one of its own, called as the component."""
    ngc_api_key: NotRequired[pulumi.Input[str]]
    """API key of NGC: a Pulumi secret."""
    existing_key_secret: NotRequired[str]
    """Kubernetes Secret with the key `NGC_API_KEY`, in place of the API key; with `existingPullSecret`."""
    existing_pull_secret: NotRequired[str]
    """Kubernetes Secret of the type `kubernetes.io/dockerconfigjson` for `nvcr.io`; with `existingKeySecret`."""
    hugging_face_token: NotRequired[pulumi.Input[str]]
    """Token for gated models: a Pulumi secret."""
    existing_token_secret: NotRequired[str]
    """Kubernetes Secret with the key `token`, in place of the token."""
    wait_for_pods: NotRequired[bool]
    """Wait until the servers answer; true by default where they fit the node group at its desired size."""
    resource_name: NotRequired[str]
    """Resource that pods ask for; by default the one that the node group advertises."""
    tolerations: NotRequired[list[TolerationArgs]]
    """Tolerations of its own; by default those of the node group's taints."""
    image: NotRequired[str]
    """Container image; by default the one pinned in `charts-values/charts.yaml`."""
    resources: NotRequired[ResourcesArgs]
    """CPU and memory of one pod."""
    volumes: NotRequired[dict[str, VolumeMountArgs]]
    """What it mounts, by name under `storage`; of a component by itself, by name of a PersistentVolumeClaim that is
    there."""
    replicas: NotRequired[int]
    """Number of servers; by default as many as fit the node group at its desired size, at least one."""
    autoscaling: NotRequired[AutoscalingArgs]
    """Let the number of servers follow the load, in place of `replicas`; by default it stays as it is."""
    placement: NotRequired[str]
    """`spread` keeps servers on as many nodes as the group has at its desired size, so that no fault ends all; `pack`
    fills a node before the next. By default `spread`."""
    exposure: NotRequired[ExposureArgs]
    """How clients reach the servers; by default a Service for the pods of the cluster."""
    network_policy: NotRequired[CallersArgs]
    """Who may call the servers; by default everyone in the cluster, and whoever reaches the load balancer."""
    model: str
    """Hugging Face name of the model, such as `meta-llama/Llama-3.2-1B-Instruct`."""
    model_shape: NotRequired[ModelShapeArgs]
    """The model's numbers, where this package does not know the model."""
    model_free: NotRequired[bool]
    """Whether the image has no model in it and downloads `model` from Hugging Face; one is pinned. By default false."""
    max_model_len: NotRequired[int]
    """Longest context in tokens. By default 4096."""
    concurrent_sequences: NotRequired[int]
    """Sequences of that length that must fit the memory at a time. By default 4."""
    tensor_parallel_size: NotRequired[int]
    """GPUs that one server uses. By default 1."""
    cache: NotRequired[CacheVolumeArgs]
    """Where the model is kept; by default each pod downloads it anew."""


class TritonLanguageModelArgs(TypedDict):
    """A language model for Triton's vLLM backend: the repository is made of this."""

    model: str
    """Hugging Face model, such as `meta-llama/Llama-3.2-1B`."""
    model_shape: NotRequired[ModelShapeArgs]
    """The model's numbers, where this package does not know the model."""
    max_model_len: NotRequired[int]
    """Longest context in tokens; sizes the KV cache. By default 4096."""
    concurrent_sequences: NotRequired[int]
    """Sequences of that length that must fit the KV cache at a time. By default 4."""
    tensor_parallel_size: NotRequired[int]
    """GPUs that one server uses. By default 1."""
    cuda_graphs: NotRequired[bool]
    """Whether it replays its steps as CUDA graphs. By default as servers of `workloads.vllm` do."""


class TritonServerArgs(TypedDict):
    """The models, and the node group that serves them."""

    serves_on: ServedNodeGroupArgs
    """The node group that its pods run on."""
    namespace: NotRequired[pulumi.Input[str]]
    """Namespace that is there already; by default one of its own, called as the component."""
    hugging_face_token: NotRequired[pulumi.Input[str]]
    """Token for gated models: a Pulumi secret."""
    existing_token_secret: NotRequired[str]
    """Kubernetes Secret with the key `token`, in place of the token."""
    wait_for_pods: NotRequired[bool]
    """Wait until the servers answer; true by default where they fit the node group at its desired size."""
    prometheus_address: NotRequired[pulumi.Input[str]]
    """Where the Prometheus answers that scrapes the servers, as KEDA reaches it; needed for `autoscaling`."""
    prometheus_region: NotRequired[str]
    """AWS region of that address where it is one of Amazon Managed Service for Prometheus: KEDA signs its questions
    then."""
    resource_name: NotRequired[str]
    """Resource that pods ask for; by default the one that the node group advertises."""
    tolerations: NotRequired[list[TolerationArgs]]
    """Tolerations of its own; by default those of the node group's taints."""
    image: NotRequired[str]
    """Container image; by default the one pinned in `charts-values/charts.yaml`."""
    resources: NotRequired[ResourcesArgs]
    """CPU and memory of one pod."""
    volumes: NotRequired[dict[str, VolumeMountArgs]]
    """What it mounts, by name under `storage`; of a component by itself, by name of a PersistentVolumeClaim that is
    there."""
    replicas: NotRequired[int]
    """Number of servers; by default as many as fit the node group at its desired size, at least one."""
    autoscaling: NotRequired[AutoscalingArgs]
    """Let the number of servers follow the load, in place of `replicas`; by default it stays as it is."""
    placement: NotRequired[str]
    """`spread` keeps servers on as many nodes as the group has at its desired size, so that no fault ends all; `pack`
    fills a node before the next. By default `spread`."""
    exposure: NotRequired[ExposureArgs]
    """How clients reach the servers; by default a Service for the pods of the cluster."""
    network_policy: NotRequired[CallersArgs]
    """Who may call the servers; by default everyone in the cluster, and whoever reaches the load balancer."""
    repository: NotRequired[str]
    """Directory of the model repository, on one of `volumes`. One of `repository` and `vllm`."""
    models: NotRequired[list[str]]
    """Models of the repository that are loaded; by default all."""
    vllm: NotRequired[TritonLanguageModelArgs]
    """A language model, served by the vLLM backend in place of a repository."""
    gpu_memory_gib: NotRequired[float]
    """GiB that the models of one server take of its GPU; nobody else knows."""
    start_seconds: NotRequired[int]
    """Seconds that the models may take to load. By default 600."""


class TfServingArgs(TypedDict):
    """The model, and the node group that serves it."""

    serves_on: ServedNodeGroupArgs
    """The node group that its pods run on."""
    namespace: NotRequired[pulumi.Input[str]]
    """Namespace that is there already; by default one of its own, called as the component."""
    wait_for_pods: NotRequired[bool]
    """Wait until the servers answer; true by default where they fit the node group at its desired size."""
    resource_name: NotRequired[str]
    """Resource that pods ask for; by default the one that the node group advertises."""
    tolerations: NotRequired[list[TolerationArgs]]
    """Tolerations of its own; by default those of the node group's taints."""
    image: NotRequired[str]
    """Container image; by default the one pinned in `charts-values/charts.yaml`."""
    resources: NotRequired[ResourcesArgs]
    """CPU and memory of one pod."""
    volumes: NotRequired[dict[str, VolumeMountArgs]]
    """What it mounts, by name under `storage`; of a component by itself, by name of a PersistentVolumeClaim that is
    there."""
    replicas: NotRequired[int]
    """Number of servers; by default as many as fit the node group at its desired size, at least one."""
    autoscaling: NotRequired[AutoscalingArgs]
    """Let the number of servers follow the load, in place of `replicas`; by default it stays as it is."""
    placement: NotRequired[str]
    """`spread` keeps servers on as many nodes as the group has at its desired size, so that no fault ends all; `pack`
    fills a node before the next. By default `spread`."""
    exposure: NotRequired[ExposureArgs]
    """How clients reach the servers; by default a Service for the pods of the cluster."""
    network_policy: NotRequired[CallersArgs]
    """Who may call the servers; by default everyone in the cluster, and whoever reaches the load balancer."""
    model_name: str
    """Name by which clients ask for it."""
    model_path: str
    """Directory with a directory for each version of the model, on one of `volumes`."""
    gpu_memory_gib: NotRequired[float]
    """GiB that the model of one server takes of its GPU. TensorFlow takes 90 % of its share, whatever the model
    needs."""
    start_seconds: NotRequired[int]
    """Seconds that the model may take to load. By default 300."""


class CudaVectorAddArgs(TypedDict):
    """Where a test or load of GPUs runs, and whether the deployment waits for its end."""

    runs_on: ServedNodeGroupArgs
    """The node group that its pods run on."""
    namespace: NotRequired[pulumi.Input[str]]
    """Namespace that is there already; by default one of its own, called as the component."""
    wait_until_done: NotRequired[bool]
    """Wait until all pods have ended well, and fail where one does not; where they fit the node group at its desired
    size. True by default for a test, false for a load, which is there to be looked at."""
    resource_name: NotRequired[str]
    """Resource that pods ask for; by default the one that the node group advertises."""
    tolerations: NotRequired[list[TolerationArgs]]
    """Tolerations of its own; by default those of the node group's taints."""
    image: NotRequired[str]
    """Container image; by default the one pinned in `charts-values/charts.yaml`."""
    resources: NotRequired[ResourcesArgs]
    """CPU and memory of the pod."""
    volumes: NotRequired[dict[str, VolumeMountArgs]]
    """What it mounts, by name under `storage`; of a component by itself, by name of a PersistentVolumeClaim that is
    there."""


class DcgmProfTesterArgs(TypedDict):
    """Where a test or load of GPUs runs, and whether the deployment waits for its end."""

    runs_on: ServedNodeGroupArgs
    """The node group that its pods run on."""
    namespace: NotRequired[pulumi.Input[str]]
    """Namespace that is there already; by default one of its own, called as the component."""
    wait_until_done: NotRequired[bool]
    """Wait until all pods have ended well, and fail where one does not; where they fit the node group at its desired
    size. True by default for a test, false for a load, which is there to be looked at."""
    resource_name: NotRequired[str]
    """Resource that pods ask for; by default the one that the node group advertises."""
    tolerations: NotRequired[list[TolerationArgs]]
    """Tolerations of its own; by default those of the node group's taints."""
    image: NotRequired[str]
    """Container image; by default the one pinned in `charts-values/charts.yaml`."""
    resources: NotRequired[ResourcesArgs]
    """CPU and memory of one pod."""
    volumes: NotRequired[dict[str, VolumeMountArgs]]
    """What it mounts, by name under `storage`; of a component by itself, by name of a PersistentVolumeClaim that is
    there."""
    pods: NotRequired[int]
    """Number of pods, each with one GPU or one share; all are on one node. By default 2."""
    seconds: NotRequired[int]
    """How long each works, in seconds. By default 300."""
    field: NotRequired[str]
    """What they keep busy: `tensor` cores, `sm` (multiprocessors) or the `graphics` engine. By default `tensor`."""


class CheckpointsArgs(TypedDict):
    """Where a training job saves what it has, and how long that takes."""

    volume: str
    """Name of the volume, under `volumes`; all nodes see it, and it outlives them."""
    directory: NotRequired[str]
    """Directory on it; by default the job's name."""
    save_seconds: NotRequired[int]
    """Seconds that one checkpoint may take. So long before a Capacity Block is drained the job saves and ends. By
    default 300."""


class PytorchJobArgs(TypedDict):
    """Where the training runs, and until when."""

    runs_on: ServedNodeGroupArgs
    """The node group that its pods run on."""
    namespace: NotRequired[pulumi.Input[str]]
    """Namespace that is there already; by default one of its own, called as the component."""
    capacity_block_end: NotRequired[pulumi.Input[str]]
    """End of the Capacity Block on which it runs, RFC 3339: the output `end` of the component `CapacityBlock`."""
    resource_name: NotRequired[str]
    """Resource that pods ask for; by default the one that the node group advertises."""
    tolerations: NotRequired[list[TolerationArgs]]
    """Tolerations of its own; by default those of the node group's taints."""
    image: NotRequired[str]
    """Container image; by default the one pinned in `charts-values/charts.yaml`."""
    resources: NotRequired[ResourcesArgs]
    """CPU and memory of one pod."""
    volumes: NotRequired[dict[str, VolumeMountArgs]]
    """What it mounts, by name under `storage`; of a component by itself, by name of a PersistentVolumeClaim that is
    there."""
    nodes: int
    """Number of nodes, with one pod on each."""
    accelerators_per_node: int
    """GPUs, or Neuron devices, of one pod; all of a node, for those of one node reach each other fastest."""
    efa_interfaces: NotRequired[int]
    """EFA interfaces of one pod; all of a node where there are several nodes. By default 0."""
    huge_pages_mib: NotRequired[int]
    """2 MiB huge pages of one pod, in MiB; by default 5120 where it has EFA."""
    shared_memory_gib: NotRequired[int]
    """Size of `/dev/shm` in GiB, for processes of one node. What is in it counts as memory of the pod. By default 8."""
    env: NotRequired[dict[str, str]]
    """Environment variables of one's own. NCCL and EFA need none."""
    program: NotRequired[str]
    """Python file in the image or on a volume; by default a sample that trains a small model."""
    arguments: NotRequired[list[str]]
    """Arguments of the program."""
    precision: NotRequired[str]
    """What the program finds in the variable `PRECISION`: `fp32`, `tf32`, `bf16`, `fp16` or `fp8`. By default
    `fp32`."""
    checkpoints: NotRequired[CheckpointsArgs]
    """Where the program saves, from which it begins again; it finds the directory in the variable `CHECKPOINTS`."""
    max_restarts: NotRequired[int]
    """How often the job begins again after a fault. Nodes that are taken away are no fault. By default 3."""
    controller: NotRequired[str]
    """`job`: a pod that is lost is followed by another, which joins the rest. `jobSet`: all pods are made anew
    (JobSet). `trainJob`: as `jobSet`, by Kubeflow Trainer, for teams that submit jobs by its SDK. `rayJob`: in a Ray
    cluster (KubeRay). By default `job`."""
    ray_driver: NotRequired[bool]
    """The program is one of Ray, which brings its work to the nodes itself (Ray Train, Ray Tune): it runs once, beside
    the head of the Ray cluster, in place of `torchrun` on each node. False by default."""


class CollectiveTestArgs(TypedDict):
    """Where a test of collective communication runs."""

    runs_on: ServedNodeGroupArgs
    """The node group that its pods run on."""
    namespace: NotRequired[pulumi.Input[str]]
    """Namespace that is there already; by default one of its own, called as the component."""
    resource_name: NotRequired[str]
    """Resource that pods ask for; by default the one that the node group advertises."""
    tolerations: NotRequired[list[TolerationArgs]]
    """Tolerations of its own; by default those of the node group's taints."""
    image: NotRequired[str]
    """Container image; by default the one pinned in `charts-values/charts.yaml`."""
    resources: NotRequired[ResourcesArgs]
    """CPU and memory of one pod."""
    volumes: NotRequired[dict[str, VolumeMountArgs]]
    """What it mounts, by name under `storage`; of a component by itself, by name of a PersistentVolumeClaim that is
    there."""
    nodes: int
    """Number of nodes, with one pod on each."""
    accelerators_per_node: int
    """GPUs, or Neuron devices, of one pod; all of a node, for those of one node reach each other fastest."""
    efa_interfaces: NotRequired[int]
    """EFA interfaces of one pod; all of a node where there are several nodes. By default 0."""
    huge_pages_mib: NotRequired[int]
    """2 MiB huge pages of one pod, in MiB; by default 5120 where it has EFA."""
    shared_memory_gib: NotRequired[int]
    """Size of `/dev/shm` in GiB, for processes of one node. What is in it counts as memory of the pod. By default 8."""
    env: NotRequired[dict[str, str]]
    """Environment variables of one's own. NCCL and EFA need none."""
    largest_mib: NotRequired[int]
    """Largest message in MiB; each is twice as large as the one before. The memory of each accelerator holds it several
    times. By default 1024."""
