"""ResourceClaims: what pods want of devices, and which devices the scheduler has given them.

Source: Kubernetes `resource.k8s.io/v1`, read 2026-11-21.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from eks_accelerators.simulator.kubernetes.api import Api
from eks_accelerators.simulator.kubernetes.resource_slices import API_VERSION

Wanted = Mapping[tuple[str, str], Counter[str]]
"""Devices by device class that each claim wants, by its namespace and name."""


def allocated(api: Api) -> Iterator[tuple[str, str]]:
    """Pool and driver of every device that a claim has; the pool of a node's own devices is called as the node."""
    for claim in api.list(API_VERSION, "ResourceClaim"):
        allocation = claim.get("status", {}).get("allocation", {})
        for result in allocation.get("devices", {}).get("results", []):
            yield result["pool"], result["driver"]


def wanted(api: Api) -> Wanted:
    """What each claim wants. Requests of a choice (`firstAvailable`) or of all devices are not counted."""
    return {
        (claim["metadata"]["namespace"], claim["metadata"]["name"]): _counts(claim)
        for claim in api.list(API_VERSION, "ResourceClaim")
    }


def of_pod(pod: Mapping[str, Any], wanted: Wanted) -> Counter[str]:
    """What the claims of ``pod`` want together. A claim that is not made yet counts nothing."""
    made = {
        status["name"]: status.get("resourceClaimName")
        for status in pod.get("status", {}).get("resourceClaimStatuses", [])
    }
    total: Counter[str] = Counter()
    for claim in pod["spec"].get("resourceClaims", []):
        name = claim.get("resourceClaimName") or made.get(claim["name"])
        total += wanted.get((pod["metadata"]["namespace"], name or ""), Counter())
    return total


def _counts(claim: Mapping[str, Any]) -> Counter[str]:
    total: Counter[str] = Counter()
    for request in claim["spec"].get("devices", {}).get("requests", []):
        exactly = request.get("exactly")
        if exactly and exactly.get("allocationMode", "ExactCount") == "ExactCount":
            total[exactly["deviceClassName"]] += exactly.get("count", 1)
    return total
