"""How long AWS and Kubernetes usually take to create, change and delete a resource, by its Pulumi type.

Sources: each figure of `resource_types` names its own: public logs of deployments, and where none was found an estimate
that says so. A log's `0s` counts as one second. Real deployments differ by minutes, most of all
in the control plane and the nodes.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal

from eks_accelerators.accelerators import data, resource_types

Action = Literal["create", "update", "delete"]

_ESTIMATE = "estimate:"
"""How the source of an estimate begins."""
_NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"


@dataclass(frozen=True, slots=True)
class Duration:
    """Usual seconds of one operation, where the figure is from, and whether it is an estimate."""

    seconds: float
    source: str
    estimate: bool


def seconds(resource_type: str, action: Action, detail: str | None = None) -> Duration | None:
    """Usual seconds of ``action`` on a resource of ``resource_type``, such as `aws:eks/cluster:Cluster`.

    ``detail`` tells apart what one type covers: the name of an add-on, the instance type of a node group or `0 nodes`,
    `Gateway` or `Interface` of an endpoint, the image of a Deployment, `skipAwait` of a Kubernetes object.
    None where nothing is known: neither guessed nor zero.
    """
    known = resource_types.find(resource_type)
    if known is None:
        return None
    special = _match(known.durations.get("details", {}), detail) if detail else None
    found = (special or {}).get(action) or known.durations.get(action)
    if found is None:
        return None
    source = known.sources[found["source"]]
    return Duration(found["seconds"], source, estimate=source.startswith(_ESTIMATE))


def node_seconds(instance_type: str) -> float:
    """Usual seconds from the launch of an instance to a Node that is ready: what a node group with nodes takes longer than
    one without.
    """
    of_group, of_nothing = (seconds(_NODE_GROUP, "create", detail) for detail in (instance_type, "0 nodes"))
    assert of_group is not None and of_nothing is not None  # noqa: PT018  (both are in the table)
    return of_group.seconds - of_nothing.seconds


def name(resource_type: str, resource_name: str) -> str:
    """What people call a resource of this type; types of one name are one part of a deployment."""
    known = resource_types.find(resource_type)
    template = known.name if known and known.name else resource_type.rpartition(":")[2]
    return template.format(name=resource_name.capitalize())


def component_name(component_type: str, component_name: str) -> str:
    """What people call a component: in the words of `data/resource-types.json`, or else in those of its type, with its name
    where that says more.
    """
    template: str | None = data.load("resource-types")["components"].get(component_type)
    if template is not None:
        return template.format(name=component_name)
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", component_type.rpartition(":")[2]).capitalize()
    return words if component_name == words.lower().replace(" ", "-") else f"{words} {component_name}"


def _match(rows: Mapping[str, Any], key: str) -> Mapping[str, Any] | None:
    """The row of ``key`` itself, or the first whose pattern fits it."""
    row: Mapping[str, Any] | None = rows.get(key)
    return row or next((found for pattern, found in rows.items() if fnmatchcase(key, pattern)), None)
