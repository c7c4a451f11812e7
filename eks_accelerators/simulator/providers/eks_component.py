"""The remote component `eks.Cluster`, as far as a control plane without node groups goes.

Registers the children that pulumi-eks 4.4 registers for our settings, with the same names, parents and inputs: with an
engine, and in a plan, which has none.
"""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from eks_accelerators.simulator.aws.errors import NotSimulatedError
from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.providers.eks_kubeconfig import kubeconfig
from eks_accelerators.simulator.providers.registrations import RegisteredChild, Registrations, SimulatedClusterInputs
from eks_accelerators.simulator.providers.resource_facts import Permissions, ResourceFacts
from eks_accelerators.simulator.providers.values import UNKNOWN

CHAPTER = Chapter(
    __doc__,
    source=(
        "pulumi/pulumi-eks `nodejs/eks/cluster/cluster.ts`, `nodejs/eks/cluster/authenticationMode.ts` and "
        "`nodejs/eks/servicerole.ts`, commit 7bf0c1b1, read 2026-11-22."
    ),
)

TOKEN = "eks:index:Cluster"
_POLICY = "AmazonEKSClusterPolicy"
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
class Constructed:
    """A component that is registered: its URN, that of the cluster in it, and its outputs."""

    urn: str
    cluster: str
    outputs: dict[str, Any]


class Construction:
    """The registration of one `eks.Cluster` and its children, as the provider `eks` makes it."""

    def __init__(self, wanted: SimulatedClusterInputs, monitor: Any, *, known_only: bool = True) -> None:
        """``monitor`` is whoever takes registrations, with the methods of the engine's.

        Raises `NotSimulatedError` for a component, or an input, that is not known; without ``known_only`` the children
        that such an input brings are left out.
        """
        self._wanted, self._registrations = wanted, Registrations(monitor, wanted)
        self._name, self._inputs = wanted.name, wanted.inputs
        if known_only:
            self._refuse_unknown()

    def construct(self) -> Constructed:
        """Register the component and its children."""
        self._urn = self._registrations.component(
            TOKEN, self._name, self._wanted.parent, dependencies=list(self._wanted.dependencies)
        )
        return self.construct_inside(self._urn)

    def construct_inside(self, urn: str) -> Constructed:
        """Register the children of the component, which is registered as ``urn``."""
        self._urn = urn
        cluster = self._cluster(*self._service_role(self._registrations.partition()))
        self._access(cluster)
        profile = (self._inputs.get("providerCredentialOpts") or {}).get("profileName")
        self._registrations.resource(
            "pulumi:providers:kubernetes",
            f"{self._name}-eks-k8s",
            {"kubeconfig": kubeconfig(cluster.state, profile)},
            {"kubeconfig": [cluster.urn]},
            parent=self._urn,
        )
        shown = kubeconfig(cluster.state, None)
        outputs = {
            "eksCluster": cluster.reference,
            "kubeconfigJson": shown,
            "kubeconfig": shown if shown == UNKNOWN else json.loads(shown),
        }
        self._registrations.finish(self._urn, outputs)
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

    def _service_role(self, partition: str) -> tuple[RegisteredChild, RegisteredChild]:
        name = f"{self._name}-eksRole"
        component = self._registrations.component("eks:index:ServiceRole", name, self._urn)
        statement = {
            "Action": ["sts:AssumeRole", "sts:TagSession"],
            "Effect": "Allow",
            "Principal": {"Service": ["eks.amazonaws.com"]},
        }
        role = self._registrations.resource(
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
        attachment = self._registrations.resource(
            "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
            f"{name}-{digest[:8]}",
            {"policyArn": arn, "role": role.reference},
            {"role": [role.urn]},
            parent=component,
        )
        self._registrations.finish(component, {"directRole": role.reference, "resolvedRole": role.reference})
        return role, attachment

    def _cluster(self, role: RegisteredChild, attachment: RegisteredChild) -> RegisteredChild:
        wanted = self._inputs
        network = {
            "subnetIds": wanted.get("subnetIds"),
            "endpointPrivateAccess": wanted.get("endpointPrivateAccess"),
            "endpointPublicAccess": wanted.get("endpointPublicAccess"),
            "publicAccessCidrs": wanted.get("publicAccessCidrs"),
        }
        key = wanted.get("encryptionConfigKeyArn")
        same = ("name", "version", "enabledClusterLogTypes", "upgradePolicy", "deletionProtection")
        return self._registrations.resource(
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
            parent=self._urn,
            dependencies=[attachment.urn],
            ignore_changes=["accessConfig.bootstrapClusterCreatorAdminPermissions", "bootstrapSelfManagedAddons"],
        )

    def _access(self, cluster: RegisteredChild) -> None:
        name = cluster.state.get("name", self._inputs.get("name", UNKNOWN))
        for key, entry in (self._inputs.get("accessEntries") or {}).items():
            made = self._registrations.resource(
                "aws:eks/accessEntry:AccessEntry",
                f"{self._name}-{key}",
                {
                    "clusterName": name,
                    "userName": entry.get("username"),
                    **{each: entry.get(each) for each in ("principalArn", "kubernetesGroups", "tags", "type")},
                },
                {"clusterName": [cluster.urn]},
                parent=self._urn,
                dependencies=[cluster.urn],
            )
            for policy, association in (entry.get("accessPolicies") or {}).items():
                self._registrations.resource(
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

    def _depends_on(self, *names: str) -> list[str]:
        return sorted({urn for name in names for urn in self._wanted.depends.get(name, ())})
