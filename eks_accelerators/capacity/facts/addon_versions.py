"""Builds of EKS's add-ons, in `data/addon-versions.json`."""

from collections.abc import Iterator, Mapping
from typing import Any

from eks_accelerators.accelerators import data
from eks_accelerators.capacity.aws_calls import Call
from eks_accelerators.capacity.aws_calls.call import CamelCase
from eks_accelerators.capacity.facts import kubernetes_versions
from eks_accelerators.capacity.facts.asker import Asker
from eks_accelerators.capacity.facts.fact_values import FactValue


class _Compatibility(CamelCase):
    cluster_version: str
    default_version: bool = False


class _Build(CamelCase):
    addon_version: str
    compatibilities: list[_Compatibility] = []


class _Addon(CamelCase):
    addon_name: str
    addon_versions: list[_Build] = []


def found(asker: Asker, document: Mapping[str, Any]) -> Iterator[FactValue]:
    """All builds of each add-on of the file that run on a known Kubernetes version, the newest first.

    Source: EKS DescribeAddonVersions (botocore 1.44.5). Which add-ons there are is the package's own choice.
    """
    names = list(document["versions"])
    calls = [
        Call("eks", "describe_addon_versions", asker.home, "addons", list[_Addon], {"addonName": name})
        for name in names
    ]
    here = list(data.load("kubernetes-versions")["versions"])
    known = list(dict.fromkeys([*here, *(kubernetes_versions.told(asker, here[0]) or ())]))
    answers = asker.ask_all(calls)
    for name, answer in zip(names, answers, strict=True):
        builds = [build for addon in answer or () for build in addon.addon_versions if addon.addon_name == name]
        rows = [row for build in builds if (row := _row(build, known))[1]]
        if rows:
            yield FactValue(("versions", name), rows, f"EKS DescribeAddonVersions in {asker.home}")
        elif answer is not None:
            asker.miss(f"add-on {name}: EKS in {asker.home} lists no build of it")


def _row(build: _Build, known: list[str]) -> list[Any]:
    """Version, the Kubernetes versions that it runs on, and those of which it is the default."""
    on = {each.cluster_version: each.default_version for each in build.compatibilities}
    return [
        build.addon_version,
        [version for version in known if version in on],
        [version for version in known if on.get(version)],
    ]
