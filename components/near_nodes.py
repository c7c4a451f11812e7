"""Where pods go that work as one: each on a node of its own, all near each other. Pure data, no resources.

Source: AWS EKS user guide `ml-workload-topology` (labels of the network's layers; where a type has none they are no label, and
nothing is preferred); Kubernetes 1.35 API reference, `PodAffinityTerm.matchLabelKeys`; read 2026-11-22.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup

_LAYERS = {"topology.k8s.aws/network-node-layer-3": 100, "topology.k8s.aws/network-node-layer-2": 50}
"""Layers of AWS's network, the lowest first, and how much pods want to share one: a wish, never a reason to wait."""

_HOST, _ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"


def one_pod_a_node(
    labels: Mapping[str, str], group: ResolvedNodeGroup, *, several: bool, near: Sequence[str] = ()
) -> dict[str, Any]:
    """Affinity of pods with these ``labels``: apart, and where they are ``several`` in one zone, and in one part of its network
    where that can be had. Those alone are near each other that have the same values of the labels ``near``.
    """

    def term(key: str, *alike: str) -> dict[str, Any]:
        found: dict[str, Any] = {"topologyKey": key, "labelSelector": {"matchLabels": dict(labels)}}
        return {**found, "matchLabelKeys": list(alike)} if alike else found

    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term(_HOST)]}}
    if not several:
        return apart
    wanted: dict[str, Any] = {
        "preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": weight, "podAffinityTerm": term(key, *near)} for key, weight in _LAYERS.items()
        ]
    }
    if len(group.zones) > 1:  # the scheduler lets the first pod go where it likes, as it selects itself
        wanted["requiredDuringSchedulingIgnoredDuringExecution"] = [term(_ZONE, *near)]
    return {**apart, "podAffinity": wanted}
