"""Who changes the number of nodes of a group, and how."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from eks_accelerators.settings.model.base import Model

GoDuration = Annotated[str, StringConstraints(pattern=r"^([0-9]+(s|m|h))+$")]
"""A length of time as Go writes it, of whole seconds, minutes and hours."""


class NodeAutoscaler(StrEnum):
    """Who starts a node for a pod that finds none, and takes away a node that nobody uses."""

    NONE = "none"
    CLUSTER_AUTOSCALER = "clusterAutoscaler"
    KARPENTER = "karpenter"


class ClusterAutoscalerSettings(Model):
    """Cluster Autoscaler, installed where a node group has `autoscaler: clusterAutoscaler`."""

    version: Annotated[str, StringConstraints(pattern=r"^1\.\d{2}\.\d{1,2}$")] | None = None
    """Version of its image, such as `1.35.2`; by default the one that goes with the cluster's Kubernetes version."""
    scale_down_unneeded_time: GoDuration = "10m"
    """How long a node must be unneeded before it is taken away, such as `10m`."""
    max_node_provision_time: GoDuration = "15m"
    """How long it waits for a node before it tries another group, such as the fallback of a spot group."""


class KarpenterPoolSettings(Model):
    """What Karpenter does with the nodes of a group; for groups with `autoscaler: karpenter`."""

    also_instance_types: tuple[str, ...] = ()
    """Instance types that it may start besides `instanceType`; each has the same accelerators."""
    on_demand_fallback: bool = False
    """Start nodes on demand where there is no spot capacity; with `capacityType: spot` only."""
    do_not_disrupt: bool = False
    """Take nodes away only when they are empty, and replace none for a new image: for training."""
    consolidate_after: GoDuration = "5m"
    """How long a node must be left alone by pods before it may be taken away, such as `5m`."""
    expire_after: GoDuration | None = None
    """Age at which a node is drained and replaced, such as `720h`; by default never."""
    termination_grace_period: GoDuration | None = None
    """How long a node that has expired may drain, pods that must not be disrupted included; by default without limit."""


class KarpenterSettings(Model):
    """Karpenter, installed where a node group has `autoscaler: karpenter`."""

    replicas: Annotated[int, Field(ge=1, le=5)] = 2
    """How many copies run, each on a system node of its own."""
