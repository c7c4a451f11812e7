"""External Secrets: brings secrets of AWS Secrets Manager into the cluster, and keeps them up to date.

Source: External Secrets 2.9.0, documentation of the AWS provider (what it may do), chart `external-secrets`; read 2026-11-22.
"""

import pulumi

from eks_accelerators.accelerators.partitions import partition_of
from eks_accelerators.components.arguments import ExternalSecretsArgs
from eks_accelerators.components.base import Component
from eks_accelerators.components.charts import name_of, namespace, release
from eks_accelerators.components.pod_identity import Wired, cluster_ref, pod_identity
from eks_accelerators.components.validation import as_model
from eks_accelerators.settings.release_inputs import ExternalSecretsInputs

_ACCOUNT = "external-secrets"
_SUFFIX = "-??????"
"""What Secrets Manager adds to a name in the ARN."""


class ExternalSecrets(Component[Wired[ExternalSecretsInputs]]):
    """Namespace, Helm release, and a role that reads the named secrets of AWS Secrets Manager.

    It can read what every namespace of the cluster names: who may write an ExternalSecret may read all of them.

    Providers: AWS, Kubernetes.

    Alone: The program that brings secrets of AWS into a cluster; `SyncedSecret` says where each goes.
    """

    release_name: pulumi.Output[str]
    """Name of the Helm release."""

    def __init__(self, name: str, args: ExternalSecretsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        inputs = as_model(ExternalSecretsInputs, {**args, "secrets": tuple(args["secrets"])})
        self._create(name, Wired(inputs, cluster_ref(args)), opts)

    def _create(self, name: str, inputs: Wired[ExternalSecretsInputs], opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        cluster, wanted = inputs.cluster, inputs.inputs
        prefix = f"arn:{partition_of(cluster.region)}:secretsmanager:{cluster.region}:*:secret:"
        read = {
            "Effect": "Allow",
            "Action": ["secretsmanager:DescribeSecret", "secretsmanager:GetSecretValue"],
            "Resource": [f"{prefix}{secret}{_SUFFIX}" for secret in wanted.secrets],
        }
        space = namespace(self, wanted.namespace, pod_security="restricted", reason="nothing of it needs more")
        rights = pod_identity(
            self,
            name,
            cluster,
            namespace=wanted.namespace,
            service_account=_ACCOUNT,
            policies={"secrets": {"Version": "2012-10-17", "Statement": [read]}},
        )
        made = release(
            self,
            name,
            "external-secrets",
            namespace=name_of(space),
            values={"serviceAccount": {"name": _ACCOUNT}},
            depends_on=[space, *rights],
        )
        self.release_name = made.name.apply(str)
        self.register_outputs({"release_name": self.release_name})
