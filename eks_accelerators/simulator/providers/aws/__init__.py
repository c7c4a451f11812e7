"""The resources of the `aws` provider that the simulation knows."""

from collections.abc import Mapping

from eks_accelerators.simulator.providers.aws import (
    alarms,
    capacity_block,
    eks_addon,
    eks_cluster,
    eks_node_group,
    iam,
    launch_template,
    network,
    notifications,
    routes,
    scaling,
    security_groups,
)
from eks_accelerators.simulator.providers.kind import Kind

_MODULES = (
    network,
    routes,
    security_groups,
    launch_template,
    iam,
    eks_cluster,
    eks_addon,
    eks_node_group,
    scaling,
    notifications,
    alarms,
    capacity_block,
)

KINDS: Mapping[str, Kind] = {kind.token: kind for module in _MODULES for kind in module.KINDS}
"""Every kind by its Pulumi type."""
