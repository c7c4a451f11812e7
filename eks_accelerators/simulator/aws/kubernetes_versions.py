"""Kubernetes versions on EKS, by the facts and the simulated clock."""

from datetime import UTC, date, datetime, time
from typing import Any

from eks_accelerators.accelerators import kubernetes_versions
from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.chapters import Chapter

operation = operations_of(Chapter(__doc__, source="EKS API DescribeClusterVersions (botocore 1.44.5)."))


@operation("eks", "describe_cluster_versions")
def describe_cluster_versions(account: Backend, _: dict[str, Any]) -> dict[str, Any]:
    """Every version that is supported, the newest first. A date that nobody knows is left out."""
    today = account.state.now.date()
    found = [
        {
            "clusterVersion": version.name,
            "defaultVersion": version.name == kubernetes_versions.default(),
            "versionStatus": "EXTENDED_SUPPORT"
            if _is_over(version.end_of_standard_support, today)
            else "STANDARD_SUPPORT",
            **_dates("endOfStandardSupportDate", version.end_of_standard_support),
            **_dates("endOfExtendedSupportDate", version.end_of_extended_support),
        }
        for version in kubernetes_versions.every().values()
        if not _is_over(version.end_of_extended_support, today)
    ]
    return {"clusterVersions": found[::-1]}


def _is_over(end: date | None, today: date) -> bool:
    return end is not None and end < today


def _dates(key: str, day: date | None) -> dict[str, datetime]:
    return {key: datetime.combine(day, time(), UTC)} if day else {}
