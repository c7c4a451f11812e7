"""Amazon Managed Service for Prometheus: where it is offered."""

from eks_accelerators.accelerators import data


def regions() -> frozenset[str]:
    """Where Amazon Managed Service for Prometheus is, in every partition. Source: `data/amp-regions.json`."""
    return frozenset(data.load("amp-regions")["regions"])
