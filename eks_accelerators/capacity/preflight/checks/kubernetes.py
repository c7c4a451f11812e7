"""The Kubernetes version of the cluster."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from eks_accelerators.capacity.aws_calls import Call
from eks_accelerators.capacity.aws_calls.call import CamelCase
from eks_accelerators.capacity.preflight.inquiry import Inquiry
from eks_accelerators.capacity.preflight.registry import check
from eks_accelerators.capacity.preflight.result import CheckFinding, ok, problem, warning
from eks_accelerators.settings.model.cluster import SupportType

_PATH = "cluster.kubernetesVersion"
_SOON = timedelta(days=60)


class ClusterVersion(CamelCase):
    """A minor version of Kubernetes on EKS, and the dates on which its support ends."""

    cluster_version: str
    version_status: str
    end_of_standard_support_date: datetime | None = None
    end_of_extended_support_date: datetime | None = None


def versions(region: str) -> Call[list[ClusterVersion]]:
    """The versions that a cluster can have."""
    return Call("eks", "describe_cluster_versions", region, "clusterVersions", list[ClusterVersion])


@check("kubernetes-version-available", _PATH)
def kubernetes_version_available(inquiry: Inquiry) -> Iterator[CheckFinding]:
    """EKS has the version, and for how long. Source: EKS DescribeClusterVersions."""
    answer, wanted = inquiry.aws.ask(versions(inquiry.region)), inquiry.settings.cluster.kubernetes_version
    found = next((version for version in answer.value if version.cluster_version == wanted), None)
    if found is None or found.version_status == "UNSUPPORTED":
        there = [v.cluster_version for v in answer.value if v.version_status != "UNSUPPORTED"]
        yield problem(_PATH, f"EKS does not offer {wanted}", f"use one of {', '.join(there)}", answer)
        return
    until = {
        "standard": found.end_of_standard_support_date,
        "extended": found.end_of_extended_support_date,
    }
    dates = ", ".join(
        f"{kind} support until {f'{date:%Y-%m-%d}' if date else 'unknown'}" for kind, date in until.items()
    )
    newest = max((v.cluster_version for v in answer.value if v.version_status == "STANDARD_SUPPORT"), default=wanted)
    end = until["standard"]
    if found.version_status == "EXTENDED_SUPPORT":
        automatic = inquiry.settings.cluster.support_type is SupportType.STANDARD
        consequence = "EKS upgrades such a cluster by itself" if automatic else "the control plane costs more"
        yield warning(_PATH, f"{wanted} is in extended support ({dates}): {consequence}", f"use {newest}", answer)
    elif end and end - inquiry.now < _SOON:
        yield warning(_PATH, f"{wanted} leaves standard support within two months ({dates})", f"use {newest}", answer)
    else:
        yield ok(_PATH, f"{wanted}: {dates}", answer)
