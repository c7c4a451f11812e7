"""The checks, in the order in which they are told."""

from eks_accelerators.capacity.preflight.checks import (  # isort: skip
    caller,
    kubernetes,
    instance_type_offerings,
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
    "instance_type_offerings",
    "kubernetes",
    "permissions",
    "prices",
    "quotas",
    "reservations",
    "spot",
]
