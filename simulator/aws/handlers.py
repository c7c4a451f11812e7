"""Every operation that is ours: importing the modules registers them."""

from simulator.aws import (
    block_extensions,
    caller_permissions,
    capacity_blocks,
    eks,
    gateways,
    instances,
    kubernetes_versions,
    placement_groups,
    price_list,
    public_parameters,
    scaling,
    service_quotas,
    spot_scores,
    subnets,
    tags,
    usage,
)

__all__ = [
    "block_extensions",
    "caller_permissions",
    "capacity_blocks",
    "eks",
    "gateways",
    "instances",
    "kubernetes_versions",
    "placement_groups",
    "price_list",
    "public_parameters",
    "scaling",
    "service_quotas",
    "spot_scores",
    "subnets",
    "tags",
    "usage",
]
