"""What a replacement drags along: resources that take the ID of a replaced one are touched themselves.

In a plan without an engine such an ID is unknown before and after, so comparing values sees nothing.
"""

from collections.abc import Mapping

from eks_accelerators.accel.plan.registrations import RegisteredResource
from eks_accelerators.accel.reports.plan import DifferenceReport
from eks_accelerators.accelerators.replacement import follows, replaces_any
from eks_accelerators.settings.launch_template_rules import UNKNOWN


def dragged_along(
    resources: Mapping[str, RegisteredResource], differences: Mapping[str, list[DifferenceReport]]
) -> dict[str, list[DifferenceReport]]:
    """``differences`` by URN, with those that follow from others added.

    ``resources`` are those that are there before and after.
    """
    found = {urn: list(listed) for urn, listed in differences.items()}
    grown = True
    while grown:
        grown = False
        for urn, resource in resources.items():
            for path, dependencies in resource.property_dependencies.items():
                for cause in dependencies:
                    if cause in resources and (difference := _following(resource, path, resources[cause], found)):
                        found.setdefault(urn, []).append(difference)
                        grown = True
    return found


def _following(
    resource: RegisteredResource, path: str, cause: RegisteredResource, found: dict[str, list[DifferenceReport]]
) -> DifferenceReport | None:
    caused = found.get(cause.urn, [])
    here = found.get(resource.urn, [])
    if not caused or any(difference.path == path for difference in here):
        return None
    replaced = any(difference.replaces for difference in caused)
    note = follows(cause.type, resource.type)
    if not replaced and note is None:
        return None
    return DifferenceReport(
        path=path,
        before=UNKNOWN,
        after=UNKNOWN,
        replaces=replaced and replaces_any(resource.type, path),
        because=f"{cause.name} is replaced" if replaced else note,
    )
