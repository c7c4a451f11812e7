"""Amazon Managed Service for Prometheus: where it is offered."""

from eks_accelerators.accelerators import data


def regions() -> frozenset[str]:
    """The regions of the service."""
    return frozenset(data.load("amp-regions")["regions"])
