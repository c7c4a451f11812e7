"""A secret of AWS Secrets Manager as a Secret of a namespace, by External Secrets.

Source: External Secrets 2.9.0, API `external-secrets.io/v1`, AWS provider: without credentials in the store its own pod's role reads;
read 2026-11-22.
"""

from typing import Any, NotRequired, TypedDict

import pulumi
import pulumi_kubernetes as k8s

from eks_accelerators.components.base import Component

API_VERSION = "external-secrets.io/v1"
_EVERY = "1h0m0s"
"""How often it is looked at: each look is a call that costs."""


class SyncedSecretArgs(TypedDict):
    """Which secret goes where."""

    region: str
    """AWS region of the secret."""
    namespace: pulumi.Input[str]
    """Namespace of the Secret, there already."""
    secret: str
    """Name of the secret in AWS Secrets Manager."""
    property: NotRequired[str]
    """Key of the JSON object that it holds; by default it is the value itself."""
    key: NotRequired[str]
    """Key in the Secret; `token` by default."""


class SyncedSecret(Component[SyncedSecretArgs]):
    """SecretStore and ExternalSecret, called as the component, as is the Secret that External Secrets makes of them and deletes with
    them. Needs a Kubernetes provider in its options, and `ExternalSecrets` in the cluster.
    """

    secret_name: pulumi.Output[str]
    """Name of the Secret, once it is asked for."""

    def __init__(self, name: str, args: SyncedSecretArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, args, opts)

    def _create(self, name: str, inputs: SyncedSecretArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        metadata: Any = {"name": name, "namespace": inputs["namespace"]}
        store = k8s.apiextensions.CustomResource(
            name,
            api_version=API_VERSION,
            kind="SecretStore",
            metadata=metadata,
            spec={"provider": {"aws": {"service": "SecretsManager", "region": inputs["region"]}}},
            opts=self.child(),
        )
        remote = {"key": inputs["secret"], **({"property": inputs["property"]} if "property" in inputs else {})}
        made = k8s.apiextensions.CustomResource(
            name,
            api_version=API_VERSION,
            kind="ExternalSecret",
            metadata=metadata,
            spec={
                "refreshInterval": _EVERY,
                "secretStoreRef": {"kind": "SecretStore", "name": name},
                "target": {"name": name, "creationPolicy": "Owner"},
                "data": [{"secretKey": inputs.get("key", "token"), "remoteRef": remote}],
            },
            opts=self.child(depends_on=[store]),
        )
        self.secret_name = pulumi.Output.all(made.urn).apply(lambda _: name)
        self.register_outputs({"secret_name": self.secret_name})
