"""Versions of add-ons, those of the facts."""

from collections.abc import Iterator
from typing import Any

from eks_accelerators.accelerators import addon_versions, kubernetes_versions
from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.errors import NotSimulatedError
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.aws.refusals import ApiRefusal
from eks_accelerators.simulator.chapters import Chapter

operation = operations_of(
    Chapter(__doc__, source="EKS API DescribeAddonVersions, DescribeAddonConfiguration (botocore 1.44.5).")
)

_MOST_RESULTS = 100
_NOT_KNOWN = ("owners", "publishers", "types")

TOO_MANY_RESULTS = ApiRefusal("InvalidParameterException", "maxResults must be between 1 and {most}")
INVALID_TOKEN = ApiRefusal("InvalidParameterException", "nextToken is not valid")


@operation(
    "eks",
    "describe_addon_versions",
    refusals=(
        TOO_MANY_RESULTS,
        INVALID_TOKEN,
    ),
)
def describe_addon_versions(_: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """The add-ons that every cluster gets, with the versions that fit a Kubernetes version, as far as they are known."""
    if given := [name for name in _NOT_KNOWN if parameters.get(name)]:
        raise NotSimulatedError(f"eks.describe_addon_versions is not simulated by {', '.join(given)}")
    addon, wanted = parameters.get("addonName"), parameters.get("kubernetesVersion")
    known = addon_versions.every()
    if addon is not None and addon not in known:
        raise NotSimulatedError(f"eks.describe_addon_versions is not simulated for {addon}")
    names = list(known) if addon is None else [addon]
    _refuse_unknown(names, wanted)
    found = [described for name in names if (described := _described(name, wanted))["addonVersions"]]
    return _page(found, parameters)


@operation("eks", "describe_addon_configuration")
def describe_addon_configuration(_: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """That a version is there; its schema is not simulated, nor are versions that the facts do not have."""
    addon, version = parameters["addonName"], parameters["addonVersion"]
    if version not in [each.name for each in addon_versions.every().get(addon, ())]:
        raise NotSimulatedError(f"eks.describe_addon_configuration is not simulated for {addon} {version}")
    return {"addonName": addon, "addonVersion": version}


def _refuse_unknown(names: list[str], wanted: str | None) -> None:
    """Nothing is known is not the same as there is nothing."""
    if wanted not in kubernetes_versions.every():
        return
    lacking = [name for name in names if addon_versions.default(name, wanted or "") is None]
    if lacking:
        raise NotSimulatedError(f"eks.describe_addon_versions is not simulated for {lacking[0]} on Kubernetes {wanted}")


def _described(addon: str, wanted: str | None) -> dict[str, Any]:
    versions = [
        {"addonVersion": each.name, "architecture": ["amd64", "arm64"], "compatibilities": fitting}
        for each in addon_versions.every()[addon]
        if (fitting := list(_compatibilities(each, wanted)))
    ]
    return {"addonName": addon, "owner": "aws", "publisher": "eks", "addonVersions": versions}


def _compatibilities(version: addon_versions.AddonVersion, wanted: str | None) -> Iterator[dict[str, Any]]:
    for each in version.kubernetes_versions:
        if wanted in (None, each):
            default = each in version.default_of
            yield {"clusterVersion": each, "platformVersions": ["*"], "defaultVersion": default}


def _page(found: list[dict[str, Any]], parameters: dict[str, Any]) -> dict[str, Any]:
    size, token = parameters.get("maxResults", _MOST_RESULTS), parameters.get("nextToken", "0")
    if not 1 <= size <= _MOST_RESULTS:
        raise TOO_MANY_RESULTS(most=_MOST_RESULTS)
    if not token.isdigit() or int(token) > len(found):
        raise INVALID_TOKEN()
    end = int(token) + size
    return {"addons": found[int(token) : end], **({"nextToken": str(end)} if end < len(found) else {})}
