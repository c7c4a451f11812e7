"""A whole stack, resolved once: what report, rules and program all read."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from eks_accelerators.accelerators import efa, instance_types
from eks_accelerators.accelerators.instance_types import InstanceType
from eks_accelerators.settings.described_types import described_types
from eks_accelerators.settings.fit import Demand, PodFit, demand
from eks_accelerators.settings.gpu_memory import sized_group
from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.model.workload import Workload
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup, resolve
from eks_accelerators.settings.storage_use import claims, driver_of
from eks_accelerators.settings.workload_kinds import fit_of


@dataclass(frozen=True)
class StackWorkload:
    """One workload as it is written. ``kind`` is its key in the stack file, such as `vllm`."""

    kind: str
    name: str
    workload: Workload

    @property
    def path(self) -> str:
        """Its property path in a stack file, such as `workloads.vllm.llama`."""
        return f"workloads.{self.kind}.{self.name}"


@dataclass(frozen=True)
class PlacedWorkload(StackWorkload):
    """A workload, and the node group that it runs on."""

    group: ResolvedNodeGroup

    @cached_property
    def fit(self) -> PodFit:
        """How its pods sit on the node group; of a kind that is more than its pods, that kind's own fit."""
        return fit_of(self.workload, self.group)


@dataclass(frozen=True)
class ResolvedStack:
    """Settings with every default applied. ``groups`` are those that can be resolved, by name.

    ``own_types`` are the instance types of the user's own facts.
    """

    settings: Settings
    groups: Mapping[str, ResolvedNodeGroup]
    own_types: tuple[InstanceType, ...] = ()

    @cached_property
    def managed(self) -> tuple[ResolvedNodeGroup, ...]:
        """The groups whose nodes EKS makes, in managed node groups."""
        return tuple(group for group in self.groups.values() if not group.is_karpenters)

    @cached_property
    def karpenters(self) -> tuple[ResolvedNodeGroup, ...]:
        """The groups whose nodes Karpenter makes."""
        return tuple(group for group in self.groups.values() if group.is_karpenters)

    @cached_property
    def every_workload(self) -> tuple[StackWorkload, ...]:
        """All workloads in the order in which they are written; those whose node group can be resolved are placed."""
        return tuple(
            PlacedWorkload(kind, name, workload, self.groups[workload.node_group])
            if workload.node_group in self.groups
            else StackWorkload(kind, name, workload)
            for kind, name, workload in self.settings.workloads.each()
        )

    @cached_property
    def workloads(self) -> tuple[PlacedWorkload, ...]:
        """The workloads whose node group can be resolved, in the order in which they are written."""
        return tuple(each for each in self.every_workload if isinstance(each, PlacedWorkload))

    def workloads_on(self, group: str) -> tuple[PlacedWorkload, ...]:
        """The workloads of a node group, by its name."""
        return self._by_group.get(group, ())

    @cached_property
    def _by_group(self) -> Mapping[str, tuple[PlacedWorkload, ...]]:
        found: dict[str, tuple[PlacedWorkload, ...]] = {}
        for one in self.workloads:
            found[one.group.name] = (*found.get(one.group.name, ()), one)
        return found

    @cached_property
    def demands(self) -> Mapping[str, Demand]:
        """What the workloads of each node group ask for together, by its name."""
        return {
            name: demand([(one.workload, one.fit) for one in self.workloads_on(name)], group)
            for name, group in self.groups.items()
        }


def resolve_stack(settings: Settings, own_types: tuple[InstanceType, ...] = ()) -> ResolvedStack:
    """Resolve every accelerator node group that can be; what stops the others is a rule's finding.

    From here on the instance types that the settings describe are known, and those of the user's own facts.
    """
    instance_types.know((*own_types, *described_types(settings)))
    storage_drivers = len({driver_of(each.storage) for each in claims(settings)} - {None})
    groups = {}
    for name in settings.node_groups:
        try:
            group = resolve(
                name,
                sized_group(settings, name),
                kubernetes_version=settings.cluster.kubernetes_version,
                zones=settings.network.zones,
                nvidia_stack=settings.nvidia.stack,
                pool=_pool_of(settings, name),
            )
            groups[name] = replace(group, storage_drivers=storage_drivers)
        except (instance_types.UnknownInstanceTypeError, efa.EfaNotSupportedError):
            continue
    return ResolvedStack(settings, groups, own_types)


def _pool_of(settings: Settings, name: str) -> str | None:
    """The on-demand group of the pool of the group ``name``: its fallback, or itself where others fall back to it."""
    fallback = settings.node_groups[name].spot_fallback
    has_others = any(group.spot_fallback == name for group in settings.node_groups.values())
    return fallback or (name if has_others else None)
