"""The EKS control plane, with what nodes need before they can join."""

from typing import Any, NotRequired, TypedDict

import pulumi
import pulumi_aws as aws
import pulumi_eks as eks
import pulumi_kubernetes as k8s

from accelerators.partitions import partition_of
from components.arns import access_policy
from components.base import Component
from components.roles import pod_role
from components.shapes import AccessEntryArgs


class ClusterArgs(TypedDict):
    """The control plane and who reaches it."""

    region: str
    """AWS region."""
    vpc_id: pulumi.Input[str]
    """VPC of the cluster."""
    subnet_ids: pulumi.Input[list[str]]
    """Private subnets in at least two zones."""
    kubernetes_version: str
    """Minor version, such as `1.35`."""
    cluster_name: NotRequired[str]
    """Name in AWS; by default the component's name."""
    private_access: NotRequired[bool]
    """Reachable from inside the VPC; true by default."""
    public_access_cidrs: NotRequired[list[str]]
    """Ranges of the internet that may reach the API; none by default, so no public access."""
    access_entries: NotRequired[dict[str, AccessEntryArgs]]
    """Who may use the cluster, besides the principal that creates it."""
    log_types: NotRequired[list[str]]
    """Control plane logs sent to CloudWatch."""
    deletion_protection: NotRequired[bool]
    """Whether EKS refuses to delete the cluster."""
    secrets_encryption_key_arn: NotRequired[str]
    """KMS key that encrypts Kubernetes secrets."""
    support_type: NotRequired[str]
    """`standard` (default) or `extended`."""
    addon_versions: NotRequired[dict[str, str]]
    """Add-on versions to pin, by name."""
    kubeconfig_profile: NotRequired[str]
    """AWS profile in the kubeconfig; needed where an explicit AWS provider is passed."""
    tags: NotRequired[dict[str, str]]
    """Tags on every resource."""


class Cluster(Component):
    """EKS control plane, and the add-ons without which no node becomes Ready.

    Node groups and everything with a Deployment come after it: DNS needs the untainted system group.
    """

    cluster_name: pulumi.Output[str]
    """Name of the cluster."""
    endpoint: pulumi.Output[str]
    """URL of the Kubernetes API."""
    certificate_authority: pulumi.Output[str]
    """Certificate of the API, base64."""
    service_cidr: pulumi.Output[str]
    """IPv4 range of Kubernetes Services."""
    cluster_security_group_id: pulumi.Output[str]
    """Security group that EKS made; nodes and control plane talk through it."""
    kubeconfig: pulumi.Output[str]
    """Kubeconfig as JSON; calls the AWS CLI for a token."""

    def __init__(self, name: str, args: ClusterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("Cluster", name, args, opts)
        tags, partition = args.get("tags"), partition_of(args["region"])
        profile = args.get("kubeconfig_profile")
        cidrs = args.get("public_access_cidrs") or []
        control_plane = eks.Cluster(
            name,
            name=args.get("cluster_name", name),
            version=args["kubernetes_version"],
            vpc_id=args["vpc_id"],
            subnet_ids=args["subnet_ids"],
            authentication_mode=eks.AuthenticationMode.API,
            access_entries={
                entry: self._access_entry(spec, partition) for entry, spec in args.get("access_entries", {}).items()
            },
            endpoint_private_access=args.get("private_access", True),
            endpoint_public_access=bool(cidrs),
            public_access_cidrs=cidrs or None,
            enabled_cluster_log_types=args.get("log_types"),
            deletion_protection=args.get("deletion_protection"),
            encryption_config_key_arn=args.get("secrets_encryption_key_arn"),
            upgrade_policy=aws.eks.ClusterUpgradePolicyArgs(support_type=args.get("support_type", "standard").upper()),
            provider_credential_opts=eks.KubeconfigOptionsArgs(profile_name=profile) if profile else None,
            # Node groups and add-ons are ours: the component's own cannot say all that is needed.
            skip_default_node_group=True,
            skip_default_security_groups=True,
            bootstrap_self_managed_addons=False,
            use_default_vpc_cni=True,
            kube_proxy_addon_options=eks.KubeProxyAddonOptionsArgs(enabled=False),
            tags=tags,
            opts=self.child(protect=args.get("deletion_protection", False)),
        )
        self._versions = args.get("addon_versions", {})
        self._tags = tags
        inner = control_plane.eks_cluster
        self.cluster_name = inner.apply(lambda cluster: cluster.name)
        self.endpoint = inner.apply(lambda cluster: cluster.endpoint)
        self.certificate_authority = inner.apply(lambda cluster: cluster.certificate_authority.apply(_data))
        self.service_cidr = inner.apply(lambda cluster: cluster.kubernetes_network_config.apply(_service_cidr))
        self.cluster_security_group_id = inner.apply(lambda cluster: cluster.vpc_config.apply(_security_group))
        self.kubeconfig = control_plane.kubeconfig_json
        agent = self._addon(name, "eks-pod-identity-agent", [control_plane])
        role, attached = pod_role(self, f"{name}-vpc-cni", ("AmazonEKS_CNI_Policy",), partition, tags)
        self._addon(name, "vpc-cni", [agent, *attached], role=role, service_account="aws-node")
        self._addon(name, "kube-proxy", [control_plane])
        self.provider = k8s.Provider(
            name,
            kubeconfig=self.kubeconfig,
            cluster_identifier=args.get("cluster_name", name),  # a changed kubeconfig replaces nothing
            opts=self.child(depends_on=[control_plane]),
        )
        self.register_outputs(
            {
                "cluster_name": self.cluster_name,
                "endpoint": self.endpoint,
                "certificate_authority": self.certificate_authority,
                "service_cidr": self.service_cidr,
                "cluster_security_group_id": self.cluster_security_group_id,
                "kubeconfig": self.kubeconfig,
            }
        )

    @staticmethod
    def _access_entry(entry: AccessEntryArgs, partition: str) -> eks.AccessEntryArgs:
        namespaces = entry.get("namespaces") or []
        scope = aws.eks.AccessPolicyAssociationAccessScopeArgs(
            type="namespace" if namespaces else "cluster", namespaces=namespaces or None
        )
        policy = eks.AccessPolicyAssociationArgs(
            policy_arn=access_policy(partition, entry["policy"]), access_scope=scope
        )
        return eks.AccessEntryArgs(principal_arn=entry["principal_arn"], access_policies={"policy": policy})

    def _addon(
        self,
        name: str,
        addon: str,
        depends_on: list[pulumi.Resource],
        role: aws.iam.Role | None = None,
        service_account: str = "",
    ) -> aws.eks.Addon:
        identity = (
            [aws.eks.AddonPodIdentityAssociationArgs(role_arn=role.arn, service_account=service_account)]
            if role
            else None
        )
        return aws.eks.Addon(
            f"{name}-{addon}",
            cluster_name=self.cluster_name,
            addon_name=addon,
            addon_version=self._versions.get(addon),
            pod_identity_associations=identity,
            resolve_conflicts_on_create="OVERWRITE",
            resolve_conflicts_on_update="OVERWRITE",
            tags=self._tags,
            opts=self.child(depends_on=depends_on),
        )


def _data(authority: Any) -> str:
    return str(authority.data)


def _service_cidr(network: Any) -> str:
    return str(network.service_ipv4_cidr)


def _security_group(network: Any) -> str:
    return str(network.cluster_security_group_id)
