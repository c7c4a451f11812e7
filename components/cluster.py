"""The EKS control plane, with what nodes need before they can join."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import pulumi
import pulumi_aws as aws
import pulumi_eks as eks
import pulumi_kubernetes as k8s

from eks_accelerators.accelerators.partitions import partition_of
from eks_accelerators.components.arguments import ClusterArgs
from eks_accelerators.components.arns import access_policy
from eks_accelerators.components.base import Component
from eks_accelerators.components.roles import pod_role
from eks_accelerators.components.validation import as_model
from eks_accelerators.settings.model.cluster import AccessEntrySettings, ClusterSettings

_NETWORK_POLICIES = MappingProxyType({"enableNetworkPolicy": "true"})
"""Source: Amazon EKS User Guide, `cni-network-policy-configure`; read 2026-11-22. A text, not a truth value."""


@dataclass(frozen=True, slots=True)
class ClusterInputs:
    """The control plane as the settings have it, and where it is. ``name`` is that in AWS. With ``network_policies`` the VPC CNI
    enforces those of Kubernetes.
    """

    settings: ClusterSettings
    region: str
    name: str
    vpc_id: pulumi.Input[str]
    subnet_ids: pulumi.Input[list[str]]
    kubeconfig_profile: str | None = None
    network_policies: bool = False
    tags: dict[str, str] | None = None


class Cluster(Component[ClusterInputs]):
    """EKS control plane, and the add-ons without which no node becomes Ready.

    Node groups and everything with a Deployment come after it: DNS needs the untainted system group.

    Providers: AWS, EKS.

    Alone: A control plane alone. Nodes cannot join before Pod Identity agent, VPC CNI and kube-proxy are there, so
    these are part of it. The Python attribute `provider` is a Kubernetes provider for everything that goes into the
    cluster.
    """

    cluster_name: pulumi.Output[str]
    """Name of the cluster."""
    cluster_arn: pulumi.Output[str]
    """ARN of the cluster."""
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
        self.refuse_wrong_keys(args)
        inputs = ClusterInputs(
            as_model(ClusterSettings, args),
            region=args["region"],
            name=args.get("cluster_name", name),
            vpc_id=args["vpc_id"],
            subnet_ids=args["subnet_ids"],
            kubeconfig_profile=args.get("kubeconfig_profile"),
            network_policies=args.get("network_policies", False),
            tags=args.get("tags"),
        )
        self._create(name, inputs, opts)

    def _create(self, name: str, inputs: ClusterInputs, opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        wanted, tags, partition = inputs.settings, inputs.tags, partition_of(inputs.region)
        profile, endpoint = inputs.kubeconfig_profile, wanted.endpoint
        control_plane = eks.Cluster(
            name,
            name=inputs.name,
            version=wanted.kubernetes_version,
            vpc_id=inputs.vpc_id,
            subnet_ids=inputs.subnet_ids,
            authentication_mode=eks.AuthenticationMode.API,
            access_entries={key: _access_entry(entry, partition) for key, entry in wanted.access_entries.items()},
            endpoint_private_access=endpoint.private_access,
            endpoint_public_access=endpoint.public_access,
            public_access_cidrs=list(endpoint.public_access_cidrs) or None,
            enabled_cluster_log_types=[log_type.value for log_type in wanted.log_types],
            deletion_protection=wanted.deletion_protection,
            encryption_config_key_arn=wanted.secrets_encryption_key_arn,
            upgrade_policy=aws.eks.ClusterUpgradePolicyArgs(support_type=wanted.support_type.value.upper()),
            provider_credential_opts=eks.KubeconfigOptionsArgs(profile_name=profile) if profile else None,
            # Node groups and add-ons are ours: the component's own cannot say all that is needed.
            skip_default_node_group=True,
            skip_default_security_groups=True,
            bootstrap_self_managed_addons=False,
            use_default_vpc_cni=True,
            kube_proxy_addon_options=eks.KubeProxyAddonOptionsArgs(enabled=False),
            tags=tags,
            opts=self.child(protect=wanted.deletion_protection),
        )
        self._versions = addon_versions(wanted)
        self._tags = tags
        inner = control_plane.eks_cluster
        self.cluster_name = inner.apply(lambda cluster: cluster.name)
        self.cluster_arn = inner.apply(lambda cluster: cluster.arn)
        self.endpoint = inner.apply(lambda cluster: cluster.endpoint)
        self.certificate_authority = inner.apply(lambda cluster: cluster.certificate_authority.apply(_data))
        self.service_cidr = inner.apply(lambda cluster: cluster.kubernetes_network_config.apply(_service_cidr))
        self.cluster_security_group_id = inner.apply(lambda cluster: cluster.vpc_config.apply(_security_group))
        self.kubeconfig = control_plane.kubeconfig_json
        agent = self._addon(name, "eks-pod-identity-agent", [control_plane])
        role, attached = pod_role(self, f"{name}-vpc-cni", ("AmazonEKS_CNI_Policy",), partition, tags)
        self._addon(
            name,
            "vpc-cni",
            [agent, *attached],
            role=role,
            service_account="aws-node",
            configuration=_NETWORK_POLICIES if inputs.network_policies else None,
        )
        self._addon(name, "kube-proxy", [control_plane])
        self.provider = k8s.Provider(
            name,
            kubeconfig=self.kubeconfig,
            cluster_identifier=inputs.name,  # a changed kubeconfig replaces nothing
            opts=self.child(depends_on=[control_plane]),
        )
        self.register_outputs(
            {
                "cluster_name": self.cluster_name,
                "cluster_arn": self.cluster_arn,
                "endpoint": self.endpoint,
                "certificate_authority": self.certificate_authority,
                "service_cidr": self.service_cidr,
                "cluster_security_group_id": self.cluster_security_group_id,
                "kubeconfig": self.kubeconfig,
            }
        )

    def _addon(
        self,
        name: str,
        addon: str,
        depends_on: list[pulumi.Resource],
        role: aws.iam.Role | None = None,
        service_account: str = "",
        configuration: Mapping[str, Any] | None = None,
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
            configuration_values=json.dumps(dict(configuration)) if configuration else None,
            pod_identity_associations=identity,
            resolve_conflicts_on_create="OVERWRITE",
            resolve_conflicts_on_update="OVERWRITE",
            tags=self._tags,
            opts=self.child(depends_on=depends_on),
        )


def addon_versions(cluster: ClusterSettings) -> dict[str, str]:
    """Versions of add-ons that the settings pin, by name."""
    return {addon.value: version for addon, version in cluster.addon_versions.items()}


def _access_entry(entry: AccessEntrySettings, partition: str) -> eks.AccessEntryArgs:
    scope = aws.eks.AccessPolicyAssociationAccessScopeArgs(
        type="namespace" if entry.namespaces else "cluster", namespaces=list(entry.namespaces) or None
    )
    policy = eks.AccessPolicyAssociationArgs(
        policy_arn=access_policy(partition, entry.policy.value), access_scope=scope
    )
    return eks.AccessEntryArgs(principal_arn=entry.principal_arn, access_policies={"policy": policy})


def _data(authority: Any) -> str:
    return str(authority.data)


def _service_cidr(network: Any) -> str:
    return str(network.service_ipv4_cidr)


def _security_group(network: Any) -> str:
    return str(network.cluster_security_group_id)
