"""What the checks are about: settings, and somebody to ask."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from eks_accelerators.accelerators.zones import is_zone_id
from eks_accelerators.capacity.aws_calls import Answer, Aws
from eks_accelerators.capacity.aws_calls.caller_location import Here, Reach
from eks_accelerators.capacity.preflight import zones
from eks_accelerators.settings.load import PROJECT
from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.model.node_groups import CapacityType
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.resolved_stack import resolve_stack


@dataclass(frozen=True)
class Inquiry:
    """A stack's settings and AWS. ``policy`` gives what deploying the stack in an account must be allowed to do.

    ``locate`` finds out where the caller is; ``reach`` tries the API of a cluster, None where there is none to be tried.
    """

    stack: str
    settings: Settings
    aws: Aws
    now: datetime
    policy: Callable[[str], Mapping[str, Any]] | None = None
    locate: Callable[[], Here] = Here
    reach: Reach | None = None

    @property
    def region(self) -> str:
        """Where the stack is deployed, and where is asked."""
        return self.settings.region

    @property
    def cluster_name(self) -> str:
        """`cluster.name`, or the one that the program makes of project and stack."""
        return self.settings.cluster.name or f"{PROJECT}-{self.stack}"

    @cached_property
    def here(self) -> Here:
        """The machine that runs the preflight, as AWS sees it: located when it is first asked for."""
        return self.locate()

    @cached_property
    def groups(self) -> Mapping[str, ResolvedNodeGroup]:
        """The accelerator node groups by name."""
        return resolve_stack(self.settings).groups

    def groups_by_type(self, *bought_as: CapacityType) -> dict[str, list[ResolvedNodeGroup]]:
        """The node groups that are bought in one of these ways, by the name of the instance type."""
        found: dict[str, list[ResolvedNodeGroup]] = {}
        for group in self.groups.values():
            if group.settings.bought_as in bought_as:
                found.setdefault(group.type.name, []).append(group)
        return found

    def zones(self) -> Answer[list[zones.Zone]]:
        """Availability Zones of the stack's region, or why AWS does not tell them."""
        return self.aws.ask(zones.call(self.region))

    def zone_ids(self, names: Sequence[str]) -> Iterator[str]:
        """IDs of zones given by name or ID. A zone that is not there has none; `zone-exists` finds it."""
        ids = {zone.zone_name: zone.zone_id for zone in self.zones().value}
        for name in names:
            if is_zone_id(name):
                yield name
            elif name in ids:
                yield ids[name]
