"""Managed add-ons and their versions."""

from collections.abc import Iterator

from eks_accelerators.capacity.aws_calls import Answer, Call, Reason
from eks_accelerators.capacity.aws_calls.call import CamelCase
from eks_accelerators.capacity.preflight.inquiry import Inquiry
from eks_accelerators.capacity.preflight.registry import check
from eks_accelerators.capacity.preflight.result import CheckFinding, ok, problem, unknown
from eks_accelerators.settings.model.cluster import EVERY_CLUSTER

_SHOWN = 4


class Compatibility(CamelCase):
    """A Kubernetes version that an add-on's version runs on."""

    cluster_version: str
    default_version: bool = False


class AddonVersionAnswer(CamelCase):
    """A version of an add-on, as `DescribeAddonVersions` answers it, with the Kubernetes versions it is for."""

    addon_version: str
    compatibilities: list[Compatibility]


class AddonAnswer(CamelCase):
    """An add-on and the versions that fit the Kubernetes version that was asked for, the newest first."""

    addon_versions: list[AddonVersionAnswer]


def addon_versions(region: str, name: str, kubernetes_version: str) -> Call[list[AddonAnswer]]:
    """The versions of an add-on for a Kubernetes version."""
    parameters = {"addonName": name, "kubernetesVersion": kubernetes_version}
    return Call("eks", "describe_addon_versions", region, "addons", list[AddonAnswer], parameters)


def _described(region: str, name: str, version: str) -> Call[str]:
    """A version of an add-on, whatever it runs on; refused where there is none such."""
    parameters = {"addonName": name, "addonVersion": version}
    return Call("eks", "describe_addon_configuration", region, "addonVersion", str, parameters)


@check("addon-version-available", "cluster.addonVersions")
def addon_version_available(inquiry: Inquiry) -> Iterator[CheckFinding]:
    """Every add-on has a version for the Kubernetes version, and a version that is pinned is one of them.

    Sources: EKS DescribeAddonVersions; DescribeAddonConfiguration, for a pinned version that is not among them.
    """
    version = inquiry.settings.cluster.kubernetes_version
    calls = [addon_versions(inquiry.region, name.value, version) for name in EVERY_CLUSTER]
    for name, answer in zip(EVERY_CLUSTER, inquiry.aws.ask_all(calls), strict=True):
        path = f"cluster.addonVersions.{name.value}"
        if answer.failure:
            yield unknown(path, answer)
            continue
        fitting = {
            each.addon_version: fits.default_version
            for addon in answer.value
            for each in addon.addon_versions
            for fits in each.compatibilities
            if fits.cluster_version == version
        }
        pinned = inquiry.settings.cluster.addon_versions.get(name)
        if not fitting:
            yield problem(
                path, f"no version of it runs on Kubernetes {version}", "use another Kubernetes version", answer
            )
        elif pinned and pinned not in fitting:
            yield _unfit(inquiry, path, name.value, pinned, answer, list(fitting)[:_SHOWN])
        elif pinned:
            yield ok(path, f"{pinned} is there", answer)
        else:
            default = next((each for each, is_default in fitting.items() if is_default), next(iter(fitting)))
            yield ok(path, f"{default} by default", answer)


def _unfit(
    inquiry: Inquiry, path: str, name: str, pinned: str, answer: Answer[list[AddonAnswer]], newest: list[str]
) -> CheckFinding:
    """A pinned version that is not among those that fit: there is none such, or it runs on other Kubernetes versions."""
    asked = inquiry.aws.ask(_described(inquiry.region, name, pinned))
    if asked.failure and asked.failure.reason is Reason.NOT_SIMULATED:
        return unknown(path, asked)  # a simulated account does not know every version, AWS does
    version = inquiry.settings.cluster.kubernetes_version
    found = f"there is no version {pinned} of it" if asked.refusal else f"{pinned} does not run on Kubernetes {version}"
    return problem(path, found, f"use one of {', '.join(newest)}", answer, asked)
