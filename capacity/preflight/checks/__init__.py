"""The checks, in the order in which they are told."""

from capacity.preflight.checks import (  # isort: skip
    caller,
    kubernetes,
    offered,
    images,
    quotas,
    addons,
    endpoint,
    existing_network,
    capacity_blocks,
    reservations,
    spot,
    permissions,
    prices,
)

__all__ = [
    "addons",
    "caller",
    "capacity_blocks",
    "endpoint",
    "existing_network",
    "images",
    "kubernetes",
    "offered",
    "permissions",
    "prices",
    "quotas",
    "reservations",
    "spot",
]
