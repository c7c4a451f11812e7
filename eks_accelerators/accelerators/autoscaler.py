"""Tags that let Cluster Autoscaler scale a node group up from zero nodes.

With no node to look at, it reads labels, taints and resources of the node to be from tags on the
scaling group. Source: kubernetes/autoscaler `cluster-autoscaler/cloudprovider/aws/README.md`.
"""

from collections.abc import Iterable, Mapping

from eks_accelerators.accelerators.scheduling import Taint

PREFIX = "k8s.io/cluster-autoscaler/node-template/"
"""What every such tag begins with."""


def node_template_tags(
    labels: Mapping[str, str], taints: Iterable[Taint], resources: Mapping[str, int]
) -> dict[str, str]:
    """Tag keys and values for the scaling group of a node group."""
    return {
        **{f"{PREFIX}label/{key}": value for key, value in labels.items()},
        **{f"{PREFIX}taint/{taint.key}": f"{taint.value}:{taint.effect}" for taint in taints},
        **{f"{PREFIX}resources/{name}": str(count) for name, count in resources.items()},
    }
