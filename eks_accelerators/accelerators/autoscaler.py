"""What Cluster Autoscaler reads from the tags of a scaling group, and which version of it goes with a cluster.

With no node to look at, it reads labels, taints and resources of the node to be from tags on the
scaling group. Source: kubernetes/autoscaler `cluster-autoscaler/cloudprovider/aws/README.md` and `aws_manager.go`.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from eks_accelerators.accelerators import data
from eks_accelerators.accelerators.instance_type import InstanceType
from eks_accelerators.accelerators.scheduling import Taint
from eks_accelerators.accelerators.sharing import NVIDIA_GPU

PREFIX = "k8s.io/cluster-autoscaler/node-template/"
"""What every such tag begins with."""

OWN_TAG = "eks-accelerators/autoscaled"
"""Tag of the scaling groups that it may touch, in its discovery and in its rights. EKS puts its two discovery tags on
every managed node group, those of Capacity Blocks included."""

ACCELERATOR_LABEL = "k8s.amazonaws.com/accelerator"
"""Label of nodes that count as not ready until they have `nvidia.com/gpu`. Source: `GPULabel` in `aws_cloud_provider.go`."""

EXPANDER_CONFIG_MAP = "cluster-autoscaler-priority-expander"
"""ConfigMap of the expander `priority`. Source: kubernetes/autoscaler `expander/priority/readme.md`."""


def cluster_tag(cluster: str) -> str:
    """The tag with the value `owned` that EKS puts on the scaling groups of a cluster's managed node groups."""
    return f"k8s.io/cluster-autoscaler/{cluster}"


def discovery_tags(cluster: str) -> tuple[str, ...]:
    """Keys that a scaling group must have all of to be found."""
    return ("k8s.io/cluster-autoscaler/enabled", cluster_tag(cluster), OWN_TAG)


def policy(cluster: str) -> dict[str, Any]:
    """What it may do in AWS: look at everything, change the size of what it may touch.

    A group that is not tagged as ours is beyond its rights, not only out of its sight. Source: the full policy of
    `cluster-autoscaler/cloudprovider/aws/README.md`, whose second statement is to be restricted.
    """
    look = {
        "Effect": "Allow",
        "Action": [
            "autoscaling:DescribeAutoScalingGroups",
            "autoscaling:DescribeAutoScalingInstances",
            "autoscaling:DescribeLaunchConfigurations",
            "autoscaling:DescribeScalingActivities",
            "ec2:DescribeImages",
            "ec2:DescribeInstanceTypes",
            "ec2:DescribeLaunchTemplateVersions",
            "ec2:GetInstanceTypesFromInstanceRequirements",
            "eks:DescribeNodegroup",
        ],
        "Resource": "*",
    }
    tags = {f"aws:ResourceTag/{cluster_tag(cluster)}": "owned", f"aws:ResourceTag/{OWN_TAG}": "true"}
    scale = {
        "Effect": "Allow",
        "Action": ["autoscaling:SetDesiredCapacity", "autoscaling:TerminateInstanceInAutoScalingGroup"],
        "Resource": "*",
        "Condition": {"StringEquals": tags},
    }
    return {"Version": "2012-10-17", "Statement": [look, scale]}


def image_version(kubernetes_version: str) -> str | None:
    """The newest known version for a control plane; None where none is known."""
    found: str | None = data.load("cluster-autoscaler")["images"].get(kubernetes_version)
    return found


def label_of(instance_type: InstanceType, resources: Mapping[str, int]) -> dict[str, str]:
    """The label that lets a node wait for its device plugin, where that advertises `nvidia.com/gpu`; else none.

    With the label and without that resource, as with renamed shares, MIG instances, claims or Neuron, a node would count
    as not ready for ever. Source: `processors/customresources/gpu_processor.go`.
    """
    if not resources.get(NVIDIA_GPU):
        return {}
    return {ACCELERATOR_LABEL: f"nvidia-{instance_type.accelerator.name.lower().replace(' ', '-')}"}


def template_resources(instance_type: InstanceType, resources: Mapping[str, int]) -> dict[str, int]:
    """The extended resources of a node to be, and none of the whole GPUs that its pods cannot ask for.

    The autoscaler takes `nvidia.com/gpu` from the instance type where no tag says otherwise: a pod that asks for one
    would start nodes of renamed, MIG and claimed GPUs without end. Source: `buildNodeFromTemplate` in `aws_manager.go`.
    """
    phantom = {NVIDIA_GPU: 0} if instance_type.has_nvidia_gpu else {}
    return {**phantom, **resources}


def node_template_tags(
    labels: Mapping[str, str], taints: Iterable[Taint], resources: Mapping[str, int]
) -> dict[str, str]:
    """Tag keys and values for the scaling group of a node group."""
    return {
        **{f"{PREFIX}label/{key}": value for key, value in labels.items()},
        **{f"{PREFIX}taint/{taint.key}": f"{taint.value}:{taint.effect}" for taint in taints},
        **{f"{PREFIX}resources/{name}": str(count) for name, count in resources.items()},
    }


def spot_priorities(spot_groups: Iterable[str]) -> dict[int, list[str]]:
    """Priorities for the expander, by regular expressions over names of scaling groups: ``spot_groups`` before all others.

    EKS calls the scaling group `eks-<node group>-<UUID>`, and Pulumi the node group by its own name and seven
    hexadecimal digits. Only the highest priority that matches is kept, and nothing where nothing matches.
    """
    first = [f"^eks-{name}-[0-9a-f]{{7}}-" for name in spot_groups]
    return {**({20: first} if first else {}), 10: [".*"]}
