"""The EKS control plane and who may reach it."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from eks_accelerators.accelerators import kubernetes_versions
from eks_accelerators.settings.model.base import Model, Name


class LogType(StrEnum):
    """Control plane logs, as EKS names them."""

    API = "api"
    AUDIT = "audit"
    AUTHENTICATOR = "authenticator"
    CONTROLLER_MANAGER = "controllerManager"
    SCHEDULER = "scheduler"


class SupportType(StrEnum):
    """What happens at the end of standard support: `standard` upgrades, `extended` costs more."""

    STANDARD = "standard"
    EXTENDED = "extended"


class AccessPolicy(StrEnum):
    """EKS access policies, as `aws eks list-access-policies` names them."""

    CLUSTER_ADMIN = "AmazonEKSClusterAdminPolicy"
    ADMIN = "AmazonEKSAdminPolicy"
    ADMIN_VIEW = "AmazonEKSAdminViewPolicy"
    EDIT = "AmazonEKSEditPolicy"
    VIEW = "AmazonEKSViewPolicy"


class EndpointSettings(Model):
    """How the Kubernetes API is reached. Closed to the internet unless CIDRs are named."""

    private_access: bool = True
    """Reachable from inside the VPC."""
    public_access_cidrs: tuple[Annotated[str, StringConstraints(pattern=r"^[0-9a-fA-F:.]+/\d{1,3}$")], ...] = ()
    """Ranges of the internet that may reach it; none means no public access at all."""

    @property
    def public_access(self) -> bool:
        """Whether the API has a public address."""
        return bool(self.public_access_cidrs)


class AccessEntrySettings(Model):
    """One IAM principal and what it may do in the cluster."""

    principal_arn: Annotated[str, StringConstraints(pattern=r"^arn:aws[a-z-]*:iam::\d{12}:(role|user)/.+$")]
    """IAM role or user."""
    policy: AccessPolicy
    """EKS access policy."""
    namespaces: tuple[str, ...] = ()
    """Namespaces the policy is limited to; none means the whole cluster."""


class AddonName(StrEnum):
    """The managed add-ons whose versions can be named: those of `EVERY_CLUSTER`, and those that come with storage."""

    POD_IDENTITY_AGENT = "eks-pod-identity-agent"
    VPC_CNI = "vpc-cni"
    KUBE_PROXY = "kube-proxy"
    COREDNS = "coredns"
    EBS_CSI_DRIVER = "aws-ebs-csi-driver"
    NODE_MONITORING_AGENT = "eks-node-monitoring-agent"
    METRICS_SERVER = "metrics-server"
    FSX_CSI_DRIVER = "aws-fsx-csi-driver"
    EFS_CSI_DRIVER = "aws-efs-csi-driver"
    S3_CSI_DRIVER = "aws-mountpoint-s3-csi-driver"


OF_STORAGE = (AddonName.FSX_CSI_DRIVER, AddonName.EFS_CSI_DRIVER, AddonName.S3_CSI_DRIVER)
"""The add-ons that come with storage."""

EVERY_CLUSTER = tuple(name for name in AddonName if name not in OF_STORAGE)
"""The add-ons that every cluster gets."""


class ClusterSettings(Model):
    """The EKS control plane."""

    name: Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z][A-Za-z0-9_-]{0,99}$")] | None = None
    """Name of the cluster; by default the project and the stack."""
    kubernetes_version: Annotated[str, StringConstraints(pattern=r"^1\.\d{2}$")] = Field(
        default_factory=kubernetes_versions.default
    )
    """Minor version, in quotes."""
    endpoint: EndpointSettings = EndpointSettings()
    """How the Kubernetes API is reached."""
    access_entries: dict[Name, AccessEntrySettings] = {}
    """Who may use the cluster, besides the principal that creates it."""
    log_types: tuple[LogType, ...] = (LogType.AUDIT, LogType.AUTHENTICATOR)
    """Control plane logs sent to CloudWatch."""
    deletion_protection: bool = False
    """Whether EKS refuses to delete the cluster."""
    secrets_encryption_key_arn: (
        Annotated[str, StringConstraints(pattern=r"^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key/.+$")] | None
    ) = None
    """KMS key that encrypts Kubernetes secrets; by default the key that EKS owns. Cannot be taken back."""
    support_type: SupportType = SupportType.STANDARD
    """What happens when standard support of the version ends."""
    addon_versions: dict[AddonName, str] = {}
    """Versions to pin, by add-on. Others get EKS's default for the Kubernetes version when they are
    created, and stay there."""
