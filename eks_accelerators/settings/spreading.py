"""On how many nodes the servers of a workload have to be.

Sources: Kubernetes 1.35 API reference, `TopologySpreadConstraint`; `pkg/scheduler/framework/plugins/podtopologyspread`:
a constraint that is only preferred is weighed among the nodes that have room at that moment. The first node of a group to
advertise its accelerators is the only one for as long as it takes the others to come, and so gets every pod that fits; read
2026-11-22.
"""

from dataclasses import dataclass
from math import ceil

from eks_accelerators.settings.fit import PodFit
from eks_accelerators.settings.model.server import Server, ServerPlacement
from eks_accelerators.settings.model.workload import Workload
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup


@dataclass(frozen=True, slots=True)
class Spread:
    """No node has more than ``max_skew`` servers beyond the one with fewest, and a node that is not there yet counts as one
    with none, until there are ``min_domains``.
    """

    max_skew: int
    min_domains: int


def spread_of(workload: Workload, group: ResolvedNodeGroup, fit: PodFit) -> Spread | None:
    """How servers are kept apart; None where there is one node or one server, where they are to be packed, or where each takes
    whole nodes.

    An even part of the servers fits each node at the group's desired size. Where a node is lost, its part waits for the node
    that takes its place.
    """
    nodes = group.settings.size.desired
    if not isinstance(workload, Server) or workload.placement is not ServerPlacement.SPREAD:
        return None
    if nodes < 2 or fit.replicas < 2 or fit.pods_per_replica > 1:
        return None
    return Spread(ceil(fit.replicas / nodes), min(nodes, fit.replicas))
