"""A secret of AWS Secrets Manager as a Secret of a namespace, by External Secrets.

Source: External Secrets 2.9.0, API `external-secrets.io/v1`, AWS provider: without credentials in the store its own pod's role reads;
templates of the engine v2, which are Go's with the functions of sprig; read 2026-11-22.
"""

import json
from typing import Any, NotRequired, TypedDict

import pulumi
import pulumi_kubernetes as k8s

from eks_accelerators.components.base import Component

API_VERSION = "external-secrets.io/v1"
_EVERY = "1h0m0s"
"""How often it is looked at: each look is a call that costs."""
_VALUE = "value"
"""What a template calls that which was read."""


class SyncedSecretArgs(TypedDict):
    """Arguments of `SyncedSecret`: which secret of AWS becomes which key of a Kubernetes Secret."""

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
    registry: NotRequired[str]
    """Host of a registry of images, such as `nvcr.io`: the Secret is then one by which its images are pulled, in place of `key`."""
    registry_user: NotRequired[str]
    """User of that registry, whose password the secret is."""


class SyncedSecret(Component[SyncedSecretArgs]):
    """SecretStore and ExternalSecret, called as the component, as is the Secret that External Secrets makes of them and
    deletes with them. Needs `ExternalSecrets` in the cluster.

    Providers: Kubernetes.

    Alone: One secret for the pods of one namespace.
    """

    secret_name: pulumi.Output[str]
    """Name of the Secret, once it is asked for."""

    def __init__(self, name: str, args: SyncedSecretArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        if ("registry" in args) != ("registry_user" in args):
            raise ValueError(f"{name}: registry and registry_user belong together: write both, or neither")
        if "registry" in args and "key" in args:
            raise ValueError(
                f"{name}: what pulls images has a key that Kubernetes names: write registry or key, not both"
            )
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
        key, template = _made_of(inputs)
        made = k8s.apiextensions.CustomResource(
            name,
            api_version=API_VERSION,
            kind="ExternalSecret",
            metadata=metadata,
            spec={
                "refreshInterval": _EVERY,
                "secretStoreRef": {"kind": "SecretStore", "name": name},
                "target": {"name": name, "creationPolicy": "Owner", **template},
                "data": [{"secretKey": key, "remoteRef": remote}],
            },
            opts=self.child(depends_on=[store]),
        )
        self.secret_name = pulumi.Output.all(made.urn).apply(lambda _: name)
        self.register_outputs({"secret_name": self.secret_name})


def _made_of(inputs: SyncedSecretArgs) -> tuple[str, dict[str, Any]]:
    """The key of what is read, and the template of the Secret where it is not that value alone."""
    if "registry" not in inputs:
        return inputs.get("key", "token"), {}
    data = {".dockerconfigjson": docker_configuration_template(inputs["registry"], inputs["registry_user"])}
    shape = {"type": "kubernetes.io/dockerconfigjson", "engineVersion": "v2", "data": data}
    return _VALUE, {"template": shape}


def docker_configuration_template(host: str, user: str) -> str:
    """What a Secret of the type `kubernetes.io/dockerconfigjson` has for one registry, as a template that the password goes into.

    Source: kubernetes/kubernetes `pkg/credentialprovider/config.go`; read 2026-11-22.
    """
    form = json.dumps({"auths": {host: {"username": user, "password": "PASSWORD", "auth": "AUTH"}}})
    encoded = f'{{{{ printf "%s:%s" {json.dumps(user)} .{_VALUE} | b64enc }}}}'
    return form.replace('"PASSWORD"', f"{{{{ .{_VALUE} | toJson }}}}").replace("AUTH", encoded)
