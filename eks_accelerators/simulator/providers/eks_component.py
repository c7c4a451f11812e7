"""The remote component `eks.Cluster`, as far as a control plane without node groups goes.

Registers the children that pulumi-eks 4.4 registers for our settings, with the same names, parents and inputs: with an
engine, and in a plan, which has none.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pulumi.runtime.proto import resource_pb2

from eks_accelerators.simulator.aws.errors import NotSimulatedError
from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.providers.resource_facts import Permissions, ResourceFacts
from eks_accelerators.simulator.providers.values import UNKNOWN, has_unknown, to_python, to_struct
from eks_accelerators.simulator.providers.wire import RESOURCE, SIGNATURE

CHAPTER = Chapter(
    __doc__,
    source=(
        "pulumi/pulumi-eks `nodejs/eks/cluster/cluster.ts`, `nodejs/eks/cluster/authenticationMode.ts` and "
        "`nodejs/eks/servicerole.ts`, commit 7bf0c1b1, read 2026-11-22."
    ),
)

TOKEN = "eks:index:Cluster"
_POLICY = "AmazonEKSClusterPolicy"
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
FACTS = ResourceFacts(
    replacing=("encryptionConfigKeyArn", "name", "vpcId"),
    replacing_source="pulumi-eks",
    grave={"replace": "everything in the cluster is lost", "remove": "everything in the cluster is lost"},
    permissions=(
        Permissions("secrets-key", ("kms:DescribeKey", "kms:CreateGrant"), where="encryptionConfigKeyArn"),
        Permissions("in-cluster", ("eks:AssociateEncryptionConfig",), where="encryptionConfigKeyArn"),
        Permissions(
            "in-cluster",
            (
                "eks:CreateAccessEntry",
                "eks:DescribeAccessEntry",
                "eks:DeleteAccessEntry",
                "eks:UpdateAccessEntry",
                "eks:TagResource",
                "eks:UntagResource",
                "eks:AssociateAccessPolicy",
                "eks:DisassociateAccessPolicy",
                "eks:ListAssociatedAccessPolicies",
            ),
        ),
    ),
)
"""The cluster's own creator gets an access entry with a policy, beside what the component's children take."""
WANTED = {"skipDefaultNodeGroup": True, "useDefaultVpcCni": True, "authenticationMode": "API"}
"""Inputs that have these values, or are refused."""


@dataclass(frozen=True, slots=True)
class SimulatedClusterInputs:
    """A component as a program asks for it. ``depends`` has the URNs on which each input depends."""

    type: str
    name: str
    parent: str
    inputs: dict[str, Any]
    depends: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    dependencies: tuple[str, ...] = ()
    providers: Mapping[str, str] = field(default_factory=dict)
    protect: bool = False


@dataclass(frozen=True, slots=True)
class Constructed:
    """A component that is registered: its URN, that of the cluster in it, and its outputs."""

    urn: str
    cluster: str
    outputs: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Child:
    urn: str
    id: str
    state: dict[str, Any]

    @property
    def reference(self) -> dict[str, Any]:
        """The resource itself, as a value."""
        return {SIGNATURE: RESOURCE, "urn": self.urn, "id": self.id}


class Construction:
    """The registration of one `eks.Cluster` and its children, as the provider `eks` makes it."""

    def __init__(self, wanted: SimulatedClusterInputs, monitor: Any, *, known_only: bool = True) -> None:
        """``monitor`` is whoever takes registrations, with the methods of the engine's.

        Raises `NotSimulatedError` for a component, or an input, that is not known; without ``known_only`` the children
        that such an input brings are left out.
        """
        self._wanted, self._monitor = wanted, monitor
        self._name, self._inputs = wanted.name, wanted.inputs
        if known_only:
            self._refuse_unknown()

    def construct(self) -> Constructed:
        """Register the component and its children."""
        self._urn = self._register_component(
            TOKEN, self._name, self._wanted.parent, dependencies=list(self._wanted.dependencies)
        )
        return self.construct_inside(self._urn)

    def construct_inside(self, urn: str) -> Constructed:
        """Register the children of the component, which is registered as ``urn``."""
        self._urn = urn
        cluster = self._cluster(*self._service_role(self._partition()))
        self._access(cluster)
        self._register(
            "pulumi:providers:kubernetes",
            f"{self._name}-eks-k8s",
            {"kubeconfig": self._kubeconfig(cluster, with_profile=True)},
            {"kubeconfig": [cluster.urn]},
        )
        shown = self._kubeconfig(cluster, with_profile=False)
        outputs = {
            "eksCluster": cluster.reference,
            "kubeconfigJson": shown,
            "kubeconfig": shown if shown == UNKNOWN else json.loads(shown),
        }
        self._finish(self._urn, outputs)
        return Constructed(self._urn, cluster.urn, outputs)

    def _refuse_unknown(self) -> None:
        if self._wanted.type != TOKEN:
            raise NotSimulatedError(f"the simulation does not know the component {self._wanted.type}")
        if unknown := sorted(set(self._inputs) - INPUTS):
            raise NotSimulatedError(f"the simulation does not know {', '.join(unknown)} of {TOKEN}")
        for key, value in WANTED.items():
            if self._inputs.get(key) != value:
                raise NotSimulatedError(f"the simulation knows {TOKEN} with {key}={value} only")
        if self._inputs.get("publicAccessCidrs") and not self._inputs.get("endpointPublicAccess"):
            raise NotSimulatedError("`publicAccessCidrs` can only be set when `endpointPublicAccess` is true")

    def _partition(self) -> str:
        """The partition of AWS, as the component looks it up."""
        answer = self._monitor.Invoke(
            resource_pb2.ResourceInvokeRequest(
                tok="aws:index/getPartition:getPartition",
                provider=self._wanted.providers.get("aws", ""),
                version=_BUNDLED["aws"],
                acceptResources=True,
            )
        )
        if answer.failures:
            raise NotSimulatedError("; ".join(failure.reason for failure in answer.failures))
        return str(to_python(getattr(answer, "return")).get("partition", UNKNOWN))

    def _service_role(self, partition: str) -> tuple[_Child, _Child]:
        name = f"{self._name}-eksRole"
        component = self._register_component("eks:index:ServiceRole", name, self._urn)
        statement = {
            "Action": ["sts:AssumeRole", "sts:TagSession"],
            "Effect": "Allow",
            "Principal": {"Service": ["eks.amazonaws.com"]},
        }
        role = self._register(
            "aws:iam/role:Role",
            f"{name}-role",
            {
                "description": "Allows EKS to manage clusters on your behalf.",
                # As JavaScript writes it.
                "assumeRolePolicy": json.dumps(
                    {"Version": "2012-10-17", "Statement": [statement]}, separators=(",", ":")
                ),
                "tags": self._inputs.get("tags"),
            },
            parent=component,
        )
        # The name is that of the policy in the partition `aws`, whichever it is.
        digest = hashlib.sha1(f"arn:aws:iam::aws:policy/{_POLICY}".encode(), usedforsecurity=False).hexdigest()
        arn = UNKNOWN if partition == UNKNOWN else f"arn:{partition}:iam::aws:policy/{_POLICY}"
        attachment = self._register(
            "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
            f"{name}-{digest[:8]}",
            {"policyArn": arn, "role": role.reference},
            {"role": [role.urn]},
            parent=component,
        )
        self._finish(component, {"directRole": role.reference, "resolvedRole": role.reference})
        return role, attachment

    def _cluster(self, role: _Child, attachment: _Child) -> _Child:
        wanted = self._inputs
        network = {
            "subnetIds": wanted.get("subnetIds"),
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
                    "authenticationMode": wanted.get("authenticationMode"),
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
                {
                    "clusterName": name,
                    "userName": entry.get("username"),
                    **{each: entry.get(each) for each in ("principalArn", "kubernetesGroups", "tags", "type")},
                },
                {"clusterName": [cluster.urn]},
                dependencies=[cluster.urn],
            )
            for policy, association in (entry.get("accessPolicies") or {}).items():
                self._register(
                    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
                    f"{self._name}-{key}-{policy}",
                    {
                        "clusterName": name,
                        "principalArn": entry["principalArn"],
                        **{each: association.get(each) for each in ("accessScope", "policyArn")},
                    },
                    {"clusterName": [cluster.urn]},
                    dependencies=[made.urn],
                    parent=made.urn,
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
        return sorted({urn for name in names for urn in self._wanted.depends.get(name, ())})

    def _register_component(self, token: str, name: str, parent: str, dependencies: list[str] | None = None) -> str:
        answer = self._monitor.RegisterResource(
            resource_pb2.RegisterResourceRequest(
                type=token,
                name=name,
                parent=parent,
                custom=False,
                object=to_struct({}),
                protect=self._wanted.protect,
                dependencies=dependencies or [],
                providers=dict(self._wanted.providers),
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
                protect=self._wanted.protect,
                dependencies=every,
                propertyDependencies={key: listed(urns=urns) for key, urns in depends.items()},
                provider="" if token.startswith(_PROVIDER) else self._wanted.providers.get("aws", ""),
                ignoreChanges=ignore_changes or [],
                acceptResources=True,
                supportsPartialValues=True,
                version=_BUNDLED[
                    token.partition(":")[0] if not token.startswith(_PROVIDER) else token.removeprefix(_PROVIDER)
                ],
            )
        )
        return _Child(answer.urn, answer.id, to_python(answer.object))
