"""Managed add-ons that run as Deployments or serve pods: they need the untainted system node group."""

import json
from typing import Any, NotRequired, TypedDict

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as k8s

from eks_accelerators.accelerators.partitions import partition_of
from eks_accelerators.components.base import Component
from eks_accelerators.components.charts import name_of
from eks_accelerators.components.roles import pod_role

_MONITORING = {"dcgmAgent": {"tolerations": [{"operator": "Exists"}]}}
"""The agent tolerates every taint, its DCGM server none: without it the agent reports GPUs as broken (`DCGMError`), and
node repair may replace nodes that are well. Source: aws/containers-roadmap issues 2555 and 2567, read 2026-11-21."""

_CSI_CONTROLLER_ACCOUNT = "ebs-csi-controller-sa"


class ClusterAddonsArgs(TypedDict):
    """The cluster that the add-ons are for. Pass the system node group in `depends_on`."""

    region: str
    """AWS region."""
    cluster_name: pulumi.Input[str]
    """Name of the cluster."""
    addon_versions: NotRequired[dict[str, str]]
    """Versions to pin, by name; others get EKS's default when they are created, and stay there."""
    tags: NotRequired[dict[str, str]]
    """Tags on every resource."""


class ClusterAddons(Component[ClusterAddonsArgs]):
    """coredns, EBS CSI driver with a default StorageClass, node monitoring agent, metrics-server.

    Providers: AWS, Kubernetes.

    Alone: The add-ons that need nodes. Pass the node group in `depends_on`.
    """

    storage_class: pulumi.Output[str]
    """Name of the default StorageClass: encrypted gp3."""

    def __init__(self, name: str, args: ClusterAddonsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._register(name, opts)
        self._name, self._args = name, args
        self._addon("coredns")
        self._addon("metrics-server")
        self._addon("eks-node-monitoring-agent", configuration=_MONITORING)
        driver = self._ebs_csi_driver()
        storage_class = k8s.storage.v1.StorageClass(
            f"{name}-gp3",
            metadata={"name": "gp3", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
            provisioner="ebs.csi.aws.com",
            parameters={"type": "gp3", "encrypted": "true"},
            volume_binding_mode="WaitForFirstConsumer",  # a volume lies in one zone: wait for its pod
            allow_volume_expansion=True,
            reclaim_policy="Delete",
            opts=self.child(depends_on=[driver]),
        )
        self.storage_class = name_of(storage_class)
        self.register_outputs({"storage_class": self.storage_class})

    def _ebs_csi_driver(self) -> aws.eks.Addon:
        role, attached = pod_role(
            self,
            f"{self._name}-ebs-csi",
            ("service-role/AmazonEBSCSIDriverPolicy",),
            partition_of(self._args["region"]),
            self._args.get("tags"),
        )
        identity = aws.eks.AddonPodIdentityAssociationArgs(role_arn=role.arn, service_account=_CSI_CONTROLLER_ACCOUNT)
        return self._addon("aws-ebs-csi-driver", identities=[identity], depends_on=attached)

    def _addon(
        self,
        addon: str,
        identities: list[aws.eks.AddonPodIdentityAssociationArgs] | None = None,
        depends_on: list[pulumi.Resource] | None = None,
        configuration: dict[str, Any] | None = None,
    ) -> aws.eks.Addon:
        return aws.eks.Addon(
            f"{self._name}-{addon}",
            cluster_name=self._args["cluster_name"],
            addon_name=addon,
            addon_version=self._args.get("addon_versions", {}).get(addon),
            configuration_values=json.dumps(configuration) if configuration else None,
            pod_identity_associations=identities,
            resolve_conflicts_on_create="OVERWRITE",
            resolve_conflicts_on_update="OVERWRITE",
            tags=self._args.get("tags"),
            opts=self.child(depends_on=depends_on),
        )
