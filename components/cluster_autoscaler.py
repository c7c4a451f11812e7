"""Cluster Autoscaler: starts nodes of managed node groups for pods that wait, and takes away what nobody uses."""

from typing import Any

import pulumi

from eks_accelerators.accelerators import autoscaler
from eks_accelerators.components.arguments import ClusterAutoscalerArgs
from eks_accelerators.components.base import Component
from eks_accelerators.components.charts import release
from eks_accelerators.components.pod_identity import ClusterRef, Wired, cluster_ref, pod_identity
from eks_accelerators.components.validation import release_inputs
from eks_accelerators.settings.release_inputs import ClusterAutoscalerInputs

_NAMESPACE, _ACCOUNT = "kube-system", "cluster-autoscaler"


class ClusterAutoscaler(Component[Wired[ClusterAutoscalerInputs]]):
    """Role and Helm release. It touches the scaling groups of node groups with `autoscaler: clusterAutoscaler`, and no
    other: Capacity Blocks are out of its sight and beyond its rights.

    Providers: AWS, Kubernetes.

    Alone: For managed node groups of any cluster with the add-on `eks-pod-identity-agent`. Their scaling groups need
    the tag `eks-accelerators/autoscaled` with the value `true`, which those of `AcceleratorNodeGroup` have with
    `autoscaler: clusterAutoscaler`; see `docs/autoscaling-nodes.md`.
    """

    release_name: pulumi.Output[str]
    """Name of the Helm release."""

    def __init__(self, name: str, args: ClusterAutoscalerArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, Wired(release_inputs(ClusterAutoscalerInputs, args), cluster_ref(args)), opts)

    def _create(self, name: str, inputs: Wired[ClusterAutoscalerInputs], opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        rights = pod_identity(
            self,
            name,
            inputs.cluster,
            namespace=_NAMESPACE,
            service_account=_ACCOUNT,
            policies={"scale": pulumi.Output.from_input(inputs.cluster.name).apply(autoscaler.policy)},
        )
        scaler = release(
            self,
            name,
            "cluster-autoscaler",
            namespace=_NAMESPACE,
            values=_values(inputs.inputs, inputs.cluster),
            depends_on=rights,
        )
        self.release_name = scaler.name.apply(str)
        self.register_outputs({"release_name": self.release_name})


def _values(inputs: ClusterAutoscalerInputs, cluster: ClusterRef) -> dict[str, Any]:
    """What the inputs add to `charts-values/cluster-autoscaler.yaml`."""
    tags = pulumi.Output.from_input(cluster.name).apply(lambda name: list(autoscaler.discovery_tags(name)))
    priorities = autoscaler.spot_priorities(inputs.spot_node_groups)
    return {
        "autoDiscovery": {"clusterName": cluster.name, "tags": tags},
        "awsRegion": cluster.region,
        "image": {"tag": f"v{inputs.version}"},
        "expanderPriorities": {str(priority): names for priority, names in priorities.items()},
        "extraArgs": {
            "scale-down-unneeded-time": inputs.scale_down_unneeded_time,
            "max-node-provision-time": inputs.max_node_provision_time,
        },
        "serviceMonitor": {"enabled": inputs.service_monitor, "selector": inputs.service_monitor_labels},
    }
