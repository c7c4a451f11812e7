"""KEDA may ask a workspace of Amazon Managed Service for Prometheus, which answers signed requests alone.

Source: Service Authorization Reference, `aps:QueryMetrics`; KEDA v2.20.2 `pkg/scalers/aws/aws_sigv4.go`: with the identity
`aws` and no role of its own a trigger signs with the operator's credentials, read 2026-11-22.
"""

from typing import NotRequired, TypedDict

import pulumi

from eks_accelerators.components.base import Component
from eks_accelerators.components.pod_identity import single_right

_NAMESPACE, _ACCOUNT = "keda", "keda-operator"
"""Of the component `Keda`, and of its chart."""


class ManagedPrometheusAccessArgs(TypedDict):
    """The cluster, the workspace, and who asks it."""

    cluster_name: pulumi.Input[str]
    """Name of the cluster."""
    workspace_arn: pulumi.Input[str]
    """ARN of the workspace."""
    namespace: NotRequired[str]
    """Namespace of who asks; by default that of the component `Keda`."""
    service_account: NotRequired[str]
    """Its service account; by default that of KEDA's operator."""
    tags: NotRequired[dict[str, str]]
    """Tags on every resource."""


class ManagedPrometheusAccess(Component[ManagedPrometheusAccessArgs]):
    """Role, policy and Pod Identity association: KEDA may query one workspace, and nothing else. Its pods get the
    credentials where this is there before they start.

    Providers: AWS.

    Alone: For any cluster with the add-on `eks-pod-identity-agent`.
    """

    role_arn: pulumi.Output[str]
    """ARN of the role."""

    def __init__(
        self, name: str, args: ManagedPrometheusAccessArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        self.refuse_wrong_keys(args)
        self._register(name, opts)
        account, right = (_NAMESPACE, _ACCOUNT), ("aps:QueryMetrics", args["workspace_arn"])
        self.role_arn = single_right(self, name, args, account=account, right=right)
        self.register_outputs({"role_arn": self.role_arn})
