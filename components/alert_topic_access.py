"""The right of Alertmanager to publish to one SNS topic, by EKS Pod Identity."""

import json
from typing import NotRequired, TypedDict

import pulumi
import pulumi_aws as aws

from eks_accelerators.components.base import Component
from eks_accelerators.components.kube_prometheus_stack import ALERTMANAGER_ACCOUNT
from eks_accelerators.components.roles import pod_role
from eks_accelerators.settings.prometheus_address import NAMESPACE


class AlertTopicAccessArgs(TypedDict):
    """Who may publish to which topic. Has to be there before the pods start."""

    cluster_name: pulumi.Input[str]
    """Name of the cluster."""
    topic_arn: str
    """ARN of the topic. Where it is encrypted with a key of yours, the key's policy has to allow the role as well."""
    namespace: NotRequired[str]
    """Namespace of Alertmanager; `monitoring` by default."""
    service_account: NotRequired[str]
    """Its service account; by default that of the component `KubePrometheusStack`."""
    tags: NotRequired[dict[str, str]]
    """Tags on every resource."""


class AlertTopicAccess(Component[AlertTopicAccessArgs]):
    """Role, policy and Pod Identity association: Alertmanager may publish to one topic, and nothing else."""

    role_arn: pulumi.Output[str]
    """ARN of the role."""

    def __init__(self, name: str, args: AlertTopicAccessArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._register(name, opts)
        tags = args.get("tags")
        role, _ = pod_role(self, name, (), "", tags)
        allowed = {"Effect": "Allow", "Action": ["sns:Publish"], "Resource": [args["topic_arn"]]}
        policy = aws.iam.RolePolicy(
            name,
            role=role.name,
            policy=json.dumps({"Version": "2012-10-17", "Statement": [allowed]}),
            opts=self.child(),
        )
        aws.eks.PodIdentityAssociation(
            name,
            cluster_name=args["cluster_name"],
            namespace=args.get("namespace", NAMESPACE),
            service_account=args.get("service_account", ALERTMANAGER_ACCOUNT),
            role_arn=role.arn,
            tags=tags,
            opts=self.child(depends_on=[policy]),
        )
        self.role_arn = role.arn
        self.register_outputs({"role_arn": self.role_arn})
