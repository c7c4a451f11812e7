"""What a stack needs of a quota: its largest size, and what an update adds for a while."""

from dataclasses import dataclass, field

from eks_accelerators.accelerators import quotas
from eks_accelerators.settings.model.node_groups import UpdateStrategy
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup


@dataclass(slots=True)
class QuotaNeed:
    """What counts against one quota, in vCPUs. ``parts`` say what they are for, by the path of a setting."""

    vcpus: int = 0
    parts: dict[str, str] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    """Paths of settings whose vCPUs are not known."""

    def add(self, path: str, count: int, kind: str, vcpus: int | None, surge: int = 0) -> None:
        """Add ``count`` instances, and ``surge`` more while they are updated."""
        if vcpus is None:
            self.unknown.append(path)
            return
        self.vcpus += (count + surge) * vcpus
        self.parts[path] = f"{count}{f' + {surge} while updating' if surge else ''} x {kind} ({vcpus} vCPUs)"

    @property
    def told(self) -> str:
        """The parts and their sum, in words."""
        return f"{', '.join(self.parts.values())} need {self.vcpus}"


def add_group(need: QuotaNeed, group: ResolvedNodeGroup) -> None:
    """Add the largest size of a node group, and what an update of it adds."""
    update = group.settings.update
    at_once = (
        update.max_unavailable or -(-group.settings.size.max * (update.max_unavailable_percentage or 0) // 100) or 1
    )
    surge = quotas.update_surge(
        zones=len(group.zones), max_unavailable=at_once, minimal=group.update_strategy is UpdateStrategy.MINIMAL
    )
    need.add(f"nodeGroups.{group.name}.size.max", group.settings.size.max, group.type.name, group.type.vcpus, surge)
