"""The CSI drivers of storage, as EKS add-ons: each where a workload mounts a storage of its kind, with rights for that alone.

Sources: EKS user guide `fsx-csi`, `efs-csi`, `s3-csi` (names of add-ons and service accounts); aws-fsx-csi-driver 1.9.0,
aws-efs-csi-driver 3.4.1, mountpoint-s3-csi-driver 2.7.0: their DaemonSets tolerate every taint by themselves; read 2026-11-22.
"""

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

import pulumi
import pulumi_aws as aws

from eks_accelerators.components.base import Component
from eks_accelerators.components.roles import pod_role
from eks_accelerators.settings.storage_use import ADDON_ACCOUNTS


class StorageDriversArgs(TypedDict):
    """The cluster, and what the drivers may do there. Pass the system node group in `depends_on`."""

    cluster_name: pulumi.Input[str]
    """Name of the cluster."""
    policies: dict[str, dict[str, pulumi.Input[str]]]
    """IAM policy documents, JSON, by add-on (`aws-fsx-csi-driver`, `aws-efs-csi-driver`, `aws-mountpoint-s3-csi-driver`) and by
    the name of what they are for."""
    addon_versions: NotRequired[dict[str, str]]
    """Versions to pin, by name; others get EKS's default when they are created, and stay there."""
    tags: NotRequired[dict[str, str]]
    """Tags on every resource."""


class StorageDrivers(Component[StorageDriversArgs]):
    """The CSI drivers of storage as EKS add-ons, each with a role for its service accounts.

    Providers: AWS.

    Alone: The drivers that your volumes need, with the rights that you write. Pass it in `depends_on` of what mounts.
    """

    addon_names: pulumi.Output[Sequence[str]]
    """Names of the add-ons, once they are there."""

    def __init__(self, name: str, args: StorageDriversArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        if unknown := sorted(set(args["policies"]) - set(ADDON_ACCOUNTS)):
            raise ValueError(f"{name}: {', '.join(unknown)} is none of {', '.join(ADDON_ACCOUNTS)}")
        self._register(name, opts)
        self._name, self._args = name, args
        made = [self._driver(addon, policies) for addon, policies in args["policies"].items()]
        self.addon_names = pulumi.Output.all(*[addon.addon_name for addon in made])
        self.register_outputs({"addon_names": self.addon_names})

    def _driver(self, addon: str, policies: Mapping[str, pulumi.Input[str]]) -> aws.eks.Addon:
        tags, name = self._args.get("tags"), f"{self._name}-{addon}"
        role, _ = pod_role(self, name, (), "", tags)
        rights = [
            aws.iam.RolePolicy(f"{name}-{key}", role=role.name, policy=policy, opts=self.child())
            for key, policy in policies.items()
        ]
        return aws.eks.Addon(
            name,
            cluster_name=self._args["cluster_name"],
            addon_name=addon,
            addon_version=self._args.get("addon_versions", {}).get(addon),
            pod_identity_associations=[
                aws.eks.AddonPodIdentityAssociationArgs(role_arn=role.arn, service_account=account)
                for account in ADDON_ACCOUNTS[addon]
            ],
            resolve_conflicts_on_create="OVERWRITE",
            resolve_conflicts_on_update="OVERWRITE",
            tags=tags,
            opts=self.child(depends_on=rights),
        )
