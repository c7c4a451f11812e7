"""Managed add-ons and their versions."""

from collections.abc import Iterator

from capacity.asking import Call
from capacity.asking.call import CamelCase
from capacity.preflight.inquiry import Inquiry
from capacity.preflight.registry import check
from capacity.preflight.result import Finding, ok, problem, unknown
from settings.model.cluster import AddonName

_SHOWN = 4


class Compatibility(CamelCase):
    """A Kubernetes version that an add-on's version runs on."""

    cluster_version: str
    default_version: bool = False


class AddonVersion(CamelCase):
    """A version of an add-on."""

    addon_version: str
    compatibilities: list[Compatibility]


class Addon(CamelCase):
    """An add-on and the versions that fit the Kubernetes version that was asked for, the newest first."""

    addon_name: str
    addon_versions: list[AddonVersion]


def addon_versions(region: str, name: str, kubernetes_version: str) -> Call[list[Addon]]:
    """The versions of an add-on for a Kubernetes version."""
    parameters = {"addonName": name, "kubernetesVersion": kubernetes_version}
    return Call("eks", "describe_addon_versions", region, "addons", list[Addon], parameters)


@check("addon-version-available", "cluster.addonVersions")
def addon_version_available(inquiry: Inquiry) -> Iterator[Finding]:
    """Every add-on has a version for the Kubernetes version, and a version that is pinned is one of them.

    Source: EKS DescribeAddonVersions.
    """
    version = inquiry.settings.cluster.kubernetes_version
    calls = [addon_versions(inquiry.region, name.value, version) for name in AddonName]
    for name, answer in zip(AddonName, inquiry.aws.ask_all(calls), strict=True):
        path = f"cluster.addonVersions.{name.value}"
        if answer.failure:
            yield unknown(path, answer)
            continue
        there = [each for addon in answer.value for each in addon.addon_versions]
        fitting = [each.addon_version for each in there]
        default = next((e.addon_version for e in there if any(c.default_version for c in e.compatibilities)), None)
        pinned = inquiry.settings.cluster.addon_versions.get(name)
        newest = ", ".join(fitting[:_SHOWN])
        if not there:
            yield problem(
                path, f"no version of it runs on Kubernetes {version}", "use another Kubernetes version", answer
            )
        elif pinned and pinned not in fitting:
            yield problem(path, f"{pinned} does not run on Kubernetes {version}", f"use one of {newest}", answer)
        else:
            yield ok(path, f"{pinned} is there" if pinned else f"{default or fitting[0]} by default", answer)
