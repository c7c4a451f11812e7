"""Why a step of the critical path waits for the one before it.

A value says so by itself. A deliberate `depends_on` does not: its reasons are a table, each with its source. An edge
without a reason is one that the program should perhaps not have.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from eks_accelerators.simulator.timeline.timeline import Edge, Step

_ADDON, _NODE_GROUP, _ROLE_POLICY = (
    "aws:eks/addon:Addon",
    "aws:eks/nodeGroup:NodeGroup",
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
)
_GATEWAY, _STORAGE_CLASS = "aws:ec2/internetGateway:InternetGateway", "kubernetes:storage.k8s.io/v1:StorageClass"
_ACCOUNT, _DEPLOYMENT = "kubernetes:core/v1:ServiceAccount", "kubernetes:apps/v1:Deployment"
_JOB, _RELEASE = "kubernetes:batch/v1:Job", "kubernetes:helm.sh/v3:Release"
_WAY_OUT = frozenset(
    f"aws:ec2/{name[0].lower()}{name[1:]}:{name}"
    for name in ("NatGateway", "Route", "RouteTable", "RouteTableAssociation", "VpcEndpoint", "DefaultSecurityGroup")
)
_PARTS_OF_NODES = frozenset(
    {
        _NODE_GROUP,
        "aws:ec2/launchTemplate:LaunchTemplate",
        "aws:ec2/placementGroup:PlacementGroup",
        "aws:ec2/securityGroup:SecurityGroup",
        "aws:iam/role:Role",
    }
)
_NODES = frozenset({_NODE_GROUP, "aws:autoscaling/tag:Tag", "aws:autoscaling/schedule:Schedule"})
_SCALING = frozenset({"kubernetes:keda.sh/v1alpha1:ScaledObject", "kubernetes:keda.sh/v1alpha1:TriggerAuthentication"})
_PARTS_OF_WORKLOADS = frozenset(
    {
        _ACCOUNT,
        _DEPLOYMENT,
        "kubernetes:core/v1:Secret",
        "kubernetes:core/v1:Service",
        "kubernetes:core/v1:PersistentVolumeClaim",
        "kubernetes:policy/v1:PodDisruptionBudget",
    }
)


@dataclass(frozen=True, slots=True)
class _Kind:
    """Steps of some types, and of one detail or of any."""

    types: frozenset[str]
    detail: str | None = None

    def fits(self, step: Step) -> bool:
        return step.type in self.types and self.detail in (None, step.detail)


def _only(kind: str, detail: str | None = None) -> _Kind:
    return _Kind(frozenset({kind}), detail)


def _table() -> Iterator[tuple[_Kind, _Kind, str, str]]:
    """First and second step, why the second waits, and the source."""
    yield (
        _only(_GATEWAY),
        _only("aws:ec2/eip:Eip"),
        "an Elastic IP may need the internet gateway before it can be associated",
        "Pulumi AWS documentation, ec2.Eip",
    )
    yield (
        _only(_GATEWAY),
        _only("aws:ec2/natGateway:NatGateway"),
        "a NAT gateway leads nowhere before the VPC has an internet gateway",
        "Pulumi AWS documentation, ec2.NatGateway",
    )
    yield (
        _only(_ROLE_POLICY),
        _only("aws:eks/cluster:Cluster"),
        "EKS needs the permissions of its service role while it makes the cluster",
        "pulumi-eks nodejs/eks/cluster/cluster.ts",
    )
    yield (
        _only("aws:eks/accessEntry:AccessEntry"),
        _only("aws:eks/accessPolicyAssociation:AccessPolicyAssociation"),
        "an access policy is associated with an entry that is there",
        "EKS API, AssociateAccessPolicy",
    )
    yield (
        _only(_ADDON, "eks-pod-identity-agent"),
        _only(_ADDON, "vpc-cni"),
        "the CNI has its permissions by Pod Identity, whose agent must be installed before",
        "eksctl user guide, pod-identity-associations",
    )
    yield (
        _only(_ROLE_POLICY),
        _only(_ADDON),
        "the add-on's pods need their permissions when they start",
        "EKS user guide, add-ons-iam",
    )
    yield (
        _only(_ADDON, "vpc-cni"),
        _Kind(_PARTS_OF_NODES),
        "a node is not Ready without the CNI, and a node group's parts wait as one",
        "terraform-aws-eks issue 2820",
    )
    yield (
        _only(_ADDON, "kube-proxy"),
        _Kind(_PARTS_OF_NODES),
        "a node without kube-proxy reaches no Service, and a node group's parts wait as one",
        "EKS user guide, managing-kube-proxy",
    )
    yield (
        _Kind(_WAY_OUT),
        _Kind(_PARTS_OF_NODES),
        "a node that starts must reach EKS and ECR, through a NAT gateway or endpoints",
        "EKS user guide, network-reqs",
    )
    yield (
        _only(_ROLE_POLICY),
        _only(_NODE_GROUP),
        "a node cannot join before its role has its policies",
        "EKS user guide, create-node-role",
    )
    yield (
        _only(_NODE_GROUP),
        _only(_ADDON),
        "its pods stay Pending, and the add-on DEGRADED, before there is an untainted node",
        "terraform-aws-eks issue 1801",
    )
    yield (
        _only(_ADDON, "aws-ebs-csi-driver"),
        _only(_STORAGE_CLASS),
        "a default class whose driver is missing leaves claims Pending",
        "Kubernetes documentation, storage-classes",
    )
    yield (
        _Kind(frozenset({_ADDON, _STORAGE_CLASS})),
        _Kind(_PARTS_OF_WORKLOADS),
        "a server finds the host of its weights by DNS, and may claim a volume of the default class",
        "Kubernetes documentation, dns-pod-service and storage-classes",
    )
    yield (
        _Kind(_NODES),
        _Kind(_PARTS_OF_WORKLOADS | {_JOB}),
        "its pods run on this node group only, of which tags and schedules are a part",
        "components/vllm_pod.py and gpu_test_pod.py, nodeSelector",
    )
    yield (
        _only(_RELEASE),
        _only(_JOB),
        "no GPU is advertised to its pods before a device plugin is there",
        "k8s-device-plugin 0.20.0, README",
    )
    yield (
        _only(_JOB),
        _only(_DEPLOYMENT),
        "servers find in their cache what the Job compiles ahead, and would compile it at the same time",
        "docs/neuron-serving.md, the first start",
    )
    yield (
        _only(_ACCOUNT),
        _only(_DEPLOYMENT),
        "no pod is made before its service account is there",
        "Kubernetes documentation, service-accounts-admin",
    )
    yield (
        _only(_DEPLOYMENT),
        _Kind(_SCALING),
        "KEDA refuses a ScaledObject whose target is missing, and what belongs to it waits with it",
        "KEDA 2.x, controllers/keda/scaledobject_controller.go, checkTargetResourceIsScalable",
    )


_TABLE = tuple(_table())
_ENGINE = "Pulumi v3.250, pkg/resource/deploy"


def reason(edge: Edge) -> str | None:
    """Why the second step waits for the first, in a sentence with its source; None where nobody knows a reason."""
    first, second = _called(edge.before), _called(edge.after)
    match edge.kind:
        case "value":
            return f"{second} needs {edge.property} from {first}"
        case "parent":
            return f"{second} is a child of {first}, which must be registered before ({_ENGINE})"
        case "replacement":
            return f"{first} goes before its replacement comes ({_ENGINE})"
        case "dependent":
            return f"{first} depends on {second}, and goes before it ({_ENGINE})"
        case "wave":
            return f"deletions come last and in waves, and {second} is in a later one ({_ENGINE})"
    for before, after, why, source in _TABLE:
        if before.fits(edge.before) and after.fits(edge.after):
            return f"{why} ({source})"
    return None


def _called(step: Step) -> str:
    return f"{step.type.rpartition(':')[2]} {step.name}"
