"""The `eks` provider: the remote component `eks.Cluster`, as far as a control plane without node groups goes.

Registers the children that pulumi-eks 4.4 registers for our settings, under the same names. Source:
pulumi/pulumi-eks `nodejs/eks/cluster/cluster.ts` and `nodejs/eks/servicerole.ts`, read 2026-11-21.
"""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

import grpc
from pulumi.runtime.proto import provider_pb2, resource_pb2, resource_pb2_grpc

from simulator import grpc_channels
from simulator.aws.errors import NotSimulatedError
from simulator.providers.server import ProviderServer, answered
from simulator.providers.values import UNKNOWN, has_unknown, to_python, to_struct

_TOKEN = "eks:index:Cluster"
_POLICY = "AmazonEKSClusterPolicy"
_MARK, _RESOURCE = "4dabf18193072939515e22adb298388d", "5cf8f73096256a8f31e491e813e4eb8e"
_PROVIDER = "pulumi:providers:"
_BUNDLED = {"aws": "7.25.0", "kubernetes": "4.19.0"}
"""Versions of the providers that the component brings. Source: pulumi-eks `nodejs/eks/package.json`, read 2026-11-20."""
INPUTS = frozenset(
    {
        "accessEntries",
        "authenticationMode",
        "bootstrapSelfManagedAddons",
        "deletionProtection",
        "enabledClusterLogTypes",
        "encryptionConfigKeyArn",
        "endpointPrivateAccess",
        "endpointPublicAccess",
        "kubeProxyAddonOptions",
        "name",
        "providerCredentialOpts",
        "publicAccessCidrs",
        "skipDefaultNodeGroup",
        "skipDefaultSecurityGroups",
        "subnetIds",
        "tags",
        "upgradePolicy",
        "useDefaultVpcCni",
        "version",
        "vpcId",
    }
)
"""Every input that the simulation knows."""
WANTED = {"skipDefaultNodeGroup": True, "useDefaultVpcCni": True, "authenticationMode": "API"}
"""Inputs that have these values, or are refused."""


class EksProvider(ProviderServer):
    """Constructs clusters; has no resources of its own."""

    version = "4.4.0"
    accepts_secrets = True

    def Construct(self, request: Any, context: grpc.ServicerContext) -> Any:
        return answered(context, lambda: _Construction(request).construct())


@dataclass(frozen=True, slots=True)
class _Child:
    urn: str
    id: str
    state: dict[str, Any]


class _Construction:
    """One cluster's registration."""

    def __init__(self, request: Any) -> None:
        self._request, self._name = request, request.name
        self._inputs = to_python(request.inputs)
        self._refuse_unknown()

    def construct(self) -> Any:
        with grpc_channels.channel(self._request.monitorEndpoint) as channel:
            self._monitor = resource_pb2_grpc.ResourceMonitorStub(channel)
            self._urn = self._register_component(
                _TOKEN, self._name, self._request.parent, dependencies=list(self._request.dependencies)
            )
            cluster = self._cluster(*self._service_role())
            self._access(cluster)
            self._register(
                "pulumi:providers:kubernetes",
                f"{self._name}-eks-k8s",
                {"kubeconfig": self._kubeconfig(cluster, with_profile=True)},
                {"kubeconfig": [cluster.urn]},
            )
            shown = self._kubeconfig(cluster, with_profile=False)
            outputs = {
                "eksCluster": {_MARK: _RESOURCE, "urn": cluster.urn, "id": cluster.id},
                "kubeconfigJson": shown,
                "kubeconfig": shown if shown == UNKNOWN else json.loads(shown),
            }
            self._finish(self._urn, outputs)
        depends = provider_pb2.ConstructResponse.PropertyDependencies(urns=[cluster.urn])
        return provider_pb2.ConstructResponse(
            urn=self._urn, state=to_struct(outputs), stateDependencies=dict.fromkeys(outputs, depends)
        )

    def _refuse_unknown(self) -> None:
        if self._request.type != _TOKEN:
            raise NotSimulatedError(f"the simulation does not know the component {self._request.type}")
        if unknown := sorted(set(self._inputs) - INPUTS):
            raise NotSimulatedError(f"the simulation does not know {', '.join(unknown)} of {_TOKEN}")
        for key, value in WANTED.items():
            if self._inputs.get(key) != value:
                raise NotSimulatedError(f"the simulation knows {_TOKEN} with {key}={value} only")
        if self._inputs.get("publicAccessCidrs") and not self._inputs.get("endpointPublicAccess"):
            raise NotSimulatedError("`publicAccessCidrs` can only be set when `endpointPublicAccess` is true")

    def _service_role(self) -> tuple[_Child, _Child]:
        name = f"{self._name}-eksRole"
        component = self._register_component("eks:index:ServiceRole", name, self._urn)
        statement = {
            "Effect": "Allow",
            "Principal": {"Service": "eks.amazonaws.com"},
            "Action": ["sts:AssumeRole", "sts:TagSession"],
        }
        role = self._register(
            "aws:iam/role:Role",
            f"{name}-role",
            {
                "description": "Allows EKS to manage clusters on your behalf.",
                "assumeRolePolicy": json.dumps({"Version": "2012-10-17", "Statement": [statement]}),
                "tags": self._inputs.get("tags"),
            },
            parent=component,
        )
        policy = f"arn:aws:iam::aws:policy/{_POLICY}"
        attachment = self._register(
            "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
            f"{name}-{hashlib.sha1(policy.encode(), usedforsecurity=False).hexdigest()[:8]}",
            {"policyArn": policy, "role": role.id or UNKNOWN},
            {"role": [role.urn]},
            parent=component,
        )
        self._finish(component, {})
        return role, attachment

    def _cluster(self, role: _Child, attachment: _Child) -> _Child:
        wanted = self._inputs
        network = {
            "subnetIds": wanted["subnetIds"],
            "endpointPrivateAccess": wanted.get("endpointPrivateAccess"),
            "endpointPublicAccess": wanted.get("endpointPublicAccess"),
            "publicAccessCidrs": wanted.get("publicAccessCidrs"),
        }
        key = wanted.get("encryptionConfigKeyArn")
        same = ("name", "version", "enabledClusterLogTypes", "upgradePolicy", "deletionProtection")
        return self._register(
            "aws:eks/cluster:Cluster",
            f"{self._name}-eksCluster",
            {
                **{name: wanted.get(name) for name in same},
                "roleArn": role.state.get("arn", UNKNOWN),
                "bootstrapSelfManagedAddons": wanted.get("bootstrapSelfManagedAddons", True),
                "vpcConfig": {name: value for name, value in network.items() if value is not None},
                "tags": {"Name": f"{self._name}-eksCluster", **(wanted.get("tags") or {})},
                "encryptionConfig": {"provider": {"keyArn": key}, "resources": ["secrets"]} if key else None,
                "accessConfig": {
                    "authenticationMode": wanted["authenticationMode"],
                    "bootstrapClusterCreatorAdminPermissions": True,
                },
            },
            {"roleArn": [role.urn], "vpcConfig": self._depends_on("subnetIds")},
            dependencies=[attachment.urn],
            ignore_changes=["accessConfig.bootstrapClusterCreatorAdminPermissions", "bootstrapSelfManagedAddons"],
        )

    def _access(self, cluster: _Child) -> None:
        name = cluster.state.get("name", self._inputs.get("name", UNKNOWN))
        for key, entry in (self._inputs.get("accessEntries") or {}).items():
            made = self._register(
                "aws:eks/accessEntry:AccessEntry",
                f"{self._name}-{key}",
                {"clusterName": name, "principalArn": entry["principalArn"]},
                {"clusterName": [cluster.urn]},
                dependencies=[cluster.urn],
            )
            for policy, association in (entry.get("accessPolicies") or {}).items():
                self._register(
                    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
                    f"{self._name}-{key}-{policy}",
                    {"clusterName": name, "principalArn": entry["principalArn"], **association},
                    {"clusterName": [cluster.urn]},
                    dependencies=[cluster.urn, made.urn],
                )

    def _kubeconfig(self, cluster: _Child, *, with_profile: bool) -> str:
        state = cluster.state
        if any(key not in state for key in ("endpoint", "certificateAuthority", "arn")) or has_unknown(
            state["endpoint"]
        ):
            return UNKNOWN
        region = state["arn"].split(":")[3]
        arguments = ["--region", region, "eks", "get-token", "--cluster-name", state["name"], "--output", "json"]
        profile = (self._inputs.get("providerCredentialOpts") or {}).get("profileName")
        if with_profile and profile:
            arguments += ["--profile", profile]
        login = {
            "apiVersion": "client.authentication.k8s.io/v1beta1",
            "command": "aws",
            "args": arguments,
            "env": [
                {
                    "name": "KUBERNETES_EXEC_INFO",
                    "value": '{"apiVersion": "client.authentication.k8s.io/v1beta1"}',
                }
            ],
        }
        server = {
            "server": state["endpoint"],
            "certificate-authority-data": state["certificateAuthority"]["data"],
        }
        return json.dumps(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "clusters": [{"name": "kubernetes", "cluster": server}],
                "users": [{"name": "aws", "user": {"exec": login}}],
                "contexts": [{"name": "aws", "context": {"cluster": "kubernetes", "user": "aws"}}],
                "current-context": "aws",
            }
        )

    def _depends_on(self, *names: str) -> list[str]:
        listed = self._request.inputDependencies
        return sorted({urn for name in names if name in listed for urn in listed[name].urns})

    def _register_component(self, token: str, name: str, parent: str, dependencies: list[str] | None = None) -> str:
        answer = self._monitor.RegisterResource(
            resource_pb2.RegisterResourceRequest(
                type=token,
                name=name,
                parent=parent,
                custom=False,
                object=to_struct({}),
                protect=self._request.protect,
                dependencies=dependencies or [],
                providers=dict(self._request.providers),
                acceptResources=True,
            )
        )
        return str(answer.urn)

    def _finish(self, component: str, outputs: dict[str, Any]) -> None:
        self._monitor.RegisterResourceOutputs(
            resource_pb2.RegisterResourceOutputsRequest(urn=component, outputs=to_struct(outputs))
        )

    def _register(
        self,
        token: str,
        name: str,
        inputs: dict[str, Any],
        depends: dict[str, list[str]] | None = None,
        *,
        dependencies: list[str] | None = None,
        ignore_changes: list[str] | None = None,
        parent: str | None = None,
    ) -> _Child:
        depends = depends or {}
        every = sorted({*(dependencies or ()), *(urn for urns in depends.values() for urn in urns)})
        listed = resource_pb2.RegisterResourceRequest.PropertyDependencies
        answer = self._monitor.RegisterResource(
            resource_pb2.RegisterResourceRequest(
                type=token,
                name=name,
                parent=parent or self._urn,
                custom=True,
                object=to_struct(inputs),
                protect=self._request.protect,
                dependencies=every,
                propertyDependencies={key: listed(urns=urns) for key, urns in depends.items()},
                provider="" if token.startswith(_PROVIDER) else self._request.providers.get("aws", ""),
                ignoreChanges=ignore_changes or [],
                acceptResources=True,
                supportsPartialValues=True,
                version=_BUNDLED[
                    token.partition(":")[0] if not token.startswith(_PROVIDER) else token.removeprefix(_PROVIDER)
                ],
            )
        )
        return _Child(answer.urn, answer.id, to_python(answer.object))
