"""The managed add-on `amazon-cloudwatch-observability`: Container Insights, and logs of containers.

Source: aws-observability/helm-charts 71a298f (chart 6.4.0), values `dcgmExporter.enabled` and `neuronMonitor.enabled`, both on by
themselves; CloudWatch user guide `install-CloudWatch-Observability-EKS-addon`: service account `cloudwatch-agent`, managed policy
`CloudWatchAgentServerPolicy`; read 2026-11-22.
"""

import json
from typing import NotRequired, TypedDict

import pulumi
import pulumi_aws as aws

from eks_accelerators.accelerators.partitions import partition_of
from eks_accelerators.components.base import Component
from eks_accelerators.components.roles import pod_role

ADDON = "amazon-cloudwatch-observability"
_ACCOUNT = "cloudwatch-agent"
_POLICY = "CloudWatchAgentServerPolicy"


class CloudWatchObservabilityArgs(TypedDict):
    """The cluster, and whose exporters measure its accelerators."""

    region: str
    """AWS region."""
    cluster_name: pulumi.Input[str]
    """Name of the cluster."""
    exporters: NotRequired[bool]
    """Run the add-on's own DCGM exporter and neuron-monitor; false by default, as a node has one of each."""
    version: NotRequired[str]
    """Version of the add-on; by default EKS's own."""
    tags: NotRequired[dict[str, str]]
    """Tags on every resource."""


class CloudWatchObservability(Component[CloudWatchObservabilityArgs]):
    """The add-on, and a role for its agent. Needs nodes without a taint: pass the system node group in `depends_on`.

    Providers: AWS.

    Alone: For any cluster with the add-on `eks-pod-identity-agent` and nodes without a taint.
    """

    role_arn: pulumi.Output[str]
    """ARN of the agent's role."""

    def __init__(
        self, name: str, args: CloudWatchObservabilityArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        self.refuse_wrong_keys(args)
        self._register(name, opts)
        tags, own = args.get("tags"), {"enabled": args.get("exporters", False)}
        role, attached = pod_role(self, name, (_POLICY,), partition_of(args["region"]), tags)
        aws.eks.Addon(
            name,
            cluster_name=args["cluster_name"],
            addon_name=ADDON,
            addon_version=args.get("version"),
            configuration_values=json.dumps({"dcgmExporter": own, "neuronMonitor": own}),
            pod_identity_associations=[{"role_arn": role.arn, "service_account": _ACCOUNT}],
            resolve_conflicts_on_create="OVERWRITE",
            resolve_conflicts_on_update="OVERWRITE",
            tags=tags,
            opts=self.child(depends_on=attached),
        )
        self.role_arn = role.arn
        self.register_outputs({"role_arn": self.role_arn})
