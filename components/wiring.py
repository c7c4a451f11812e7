"""What components take besides settings: outputs of other components, and what joins them.

The generator of `eks_accelerators.components.arguments` puts them beside the fields of the settings' models.
"""

from typing import NotRequired, TypedDict

import pulumi


class SubnetArgs(TypedDict):
    """A subnet and the zone that it lies in."""

    id: pulumi.Input[str]
    """The subnet's ID."""
    zone: str
    """Its Availability Zone: all subnets by name (`us-east-2a`) or all by ID (`use2-az1`)."""


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


class AcceleratorNodeGroupWiring(TypedDict):
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


class ServedNodeGroupWiring(TypedDict):
    """The node group that a workload runs on."""

    name: str
    """Its name, as in the label `eks-accelerators/node-group`."""
    kubernetes_version: NotRequired[str]
    """Minor version of the cluster, from which the image follows; by default the newest that this package knows well."""
    nvidia_stack: NotRequired[str]
    """What serves NVIDIA GPUs in the cluster: `charts` (default) or `operator`."""
    node_selector: NotRequired[dict[str, str]]
    """Selects its nodes; by default the package's own label."""


class ModelServerWiring(TypedDict):
    """The model, and the node group that serves it."""

    namespace: NotRequired[pulumi.Input[str]]
    """Namespace that is there already; by default one of its own, called as the component."""
    hugging_face_token: NotRequired[pulumi.Input[str]]
    """Token for gated models: a Pulumi secret."""
    existing_token_secret: NotRequired[str]
    """Kubernetes Secret with the key `token`, in place of the token."""
    wait_for_pods: NotRequired[bool]
    """Wait until the servers answer; true by default where they fit the node group at its desired size."""


class ScaledServerWiring(ModelServerWiring):
    """The model, and the node group that serves it."""

    prometheus_address: NotRequired[pulumi.Input[str]]
    """Where the Prometheus answers that scrapes the servers, as KEDA reaches it; needed for `autoscaling`."""
    prometheus_region: NotRequired[str]
    """AWS region of that address where it is one of Amazon Managed Service for Prometheus: KEDA signs its questions then."""


class ServerWiring(TypedDict):
    """The model, and the node group that serves it."""

    namespace: NotRequired[pulumi.Input[str]]
    """Namespace that is there already; by default one of its own, called as the component."""
    wait_for_pods: NotRequired[bool]
    """Wait until the servers answer; true by default where they fit the node group at its desired size."""


class NimServerWiring(TypedDict):
    """The model, the key of NGC, and the node group that serves it."""

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


class TritonServerWiring(ScaledServerWiring):
    """The models, and the node group that serves them."""


class GpuTestWiring(TypedDict):
    """Where a test or load of GPUs runs, and whether the deployment waits for its end."""

    namespace: NotRequired[pulumi.Input[str]]
    """Namespace that is there already; by default one of its own, called as the component."""
    wait_until_done: NotRequired[bool]
    """Wait until all pods have ended well, and fail where one does not; where they fit the node group at its desired size.
    True by default for a test, false for a load, which is there to be looked at."""


class PytorchJobWiring(TypedDict):
    """Where the training runs, and until when."""

    namespace: NotRequired[pulumi.Input[str]]
    """Namespace that is there already; by default one of its own, called as the component."""
    capacity_block_end: NotRequired[pulumi.Input[str]]
    """End of the Capacity Block on which it runs, RFC 3339: the output `end` of the component `CapacityBlock`."""


class CollectiveTestWiring(TypedDict):
    """Where a test of collective communication runs."""

    namespace: NotRequired[pulumi.Input[str]]
    """Namespace that is there already; by default one of its own, called as the component."""


class NetworkWiring(TypedDict):
    """What the network is made of."""

    region: str
    """AWS region."""
    tags: NotRequired[dict[str, str]]
    """Tags on every resource."""


class ClusterWiring(TypedDict):
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


class SystemNodeGroupWiring(TypedDict):
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


class CapacityBlockWiring(TypedDict):
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


class CapacityBlockPurchaseWiring(TypedDict):
    """The offering, what it should be, and the consent to pay for it."""

    region: str
    """AWS region of the offering."""
    tags: NotRequired[dict[str, str]]
    """Tags on the reservation."""


class ClusterAutoscalerWiring(TypedDict):
    """The cluster whose node groups it scales: those with `autoscaler: clusterAutoscaler`."""

    region: str
    """AWS region."""
    cluster_name: pulumi.Input[str]
    """Name of the cluster."""
    tags: NotRequired[dict[str, str]]
    """Tags on every resource."""


class ExternalSecretsWiring(TypedDict):
    """The cluster that secrets are brought into."""

    region: str
    """AWS region of the secrets."""
    cluster_name: pulumi.Input[str]
    """Name of the cluster."""
    tags: NotRequired[dict[str, str]]
    """Tags on every resource."""


class KarpenterWiring(TypedDict):
    """The cluster that it makes nodes for, and the role that they have."""

    region: str
    """AWS region."""
    cluster_name: pulumi.Input[str]
    """Name of the cluster."""
    node_role_arn: pulumi.Input[str]
    """IAM role of the nodes, which has an access entry of type `EC2_LINUX`: that of a managed node group has."""
    tags: NotRequired[dict[str, str]]
    """Tags on every resource."""


class KarpenterNodePoolWiring(TypedDict):
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


class FileSystemWiring(TypedDict):
    """Where the file system lies, and who reaches it."""

    vpc_id: pulumi.Input[str]
    """VPC of the cluster."""
    subnets: list[SubnetArgs]
    """Private subnets of the nodes, one in each zone."""
    cluster_security_group_id: pulumi.Input[str]
    """Security group that EKS made for the cluster, which every node has."""
    tags: NotRequired[dict[str, str]]
    """Tags on every resource."""


class S3FilesStorageWiring(TypedDict):
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
