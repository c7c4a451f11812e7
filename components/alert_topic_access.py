"""The right of Alertmanager to publish to one SNS topic, by EKS Pod Identity."""

from typing import NotRequired, TypedDict

import pulumi

from eks_accelerators.components.base import Component
from eks_accelerators.components.kube_prometheus_stack import ALERTMANAGER_ACCOUNT
from eks_accelerators.components.pod_identity import single_right
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
    """Role, policy and Pod Identity association: Alertmanager may publish to one topic, and nothing else.

    Providers: AWS.

    Alone: For any cluster with the add-on `eks-pod-identity-agent`.
    """

    role_arn: pulumi.Output[str]
    """ARN of the role."""

    def __init__(self, name: str, args: AlertTopicAccessArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._register(name, opts)
        account, right = (NAMESPACE, ALERTMANAGER_ACCOUNT), ("sns:Publish", args["topic_arn"])
        self.role_arn = single_right(self, name, args, account=account, right=right)
        self.register_outputs({"role_arn": self.role_arn})
