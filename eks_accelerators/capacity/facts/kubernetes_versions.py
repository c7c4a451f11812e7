"""Kubernetes versions and the ends of their support, in `data/kubernetes-versions.json`."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from eks_accelerators.accelerators.kubernetes_versions import at_least, numbers_of
from eks_accelerators.capacity.aws_calls import Call
from eks_accelerators.capacity.aws_calls.call import CamelCase
from eks_accelerators.capacity.facts.asker import Asker
from eks_accelerators.capacity.facts.fact_values import FactValue


class _Version(CamelCase):
    cluster_version: str
    end_of_standard_support_date: datetime | None = None
    end_of_extended_support_date: datetime | None = None


def told(asker: Asker, oldest: str) -> dict[str, _Version] | None:
    """The versions since ``oldest`` that EKS lists, the oldest first; None where it does not answer."""
    call = Call(
        "eks",
        "describe_cluster_versions",
        asker.home,
        "clusterVersions",
        list[_Version],
        {"clusterType": "eks", "includeAll": True},
    )
    answer = asker.ask(call)
    if answer is None:
        return None
    listed = {each.cluster_version: each for each in answer if at_least(each.cluster_version, oldest)}
    return {name: listed[name] for name in sorted(listed, key=numbers_of)}


def found(asker: Asker, document: Mapping[str, Any]) -> Iterator[FactValue]:
    """Dates of each version since the file's oldest. Source: EKS DescribeClusterVersions (botocore 1.44.5).

    Which version is the default is the package's own choice.
    """
    versions = told(asker, next(iter(document["versions"])))
    if versions is None:
        return
    for name in document["versions"].keys() - versions.keys():
        asker.miss(f"Kubernetes {name}: EKS in {asker.home} does not list it")
    source = f"EKS DescribeClusterVersions in {asker.home}"
    for name, version in versions.items():
        dates = {
            "end_of_standard_support": version.end_of_standard_support_date,
            "end_of_extended_support": version.end_of_extended_support_date,
        }
        written = {key: date.date().isoformat() if date else None for key, date in dates.items()}
        if name not in document["versions"]:
            yield FactValue(("versions", name), written, source)
            continue
        for key, value in written.items():
            if value is not None:  # a date that AWS does not tell is none that it denies
                yield FactValue(("versions", name, key), value, source)
