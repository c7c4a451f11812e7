"""What the rules can still say of settings whose shape is wrong in places.

All problems come at once, so a misspelt key must not hide that a node group names an impossible image. What
is wrong is taken out, and the rules judge the rest; they are not asked about anything near what is missing.
"""

import copy
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from eks_accelerators.accelerators.instance_types import InstanceType
from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.paths import Part, dotted, split
from eks_accelerators.settings.problems import Problem
from eks_accelerators.settings.resolved_stack import resolve_stack
from eks_accelerators.settings.rules import check
from eks_accelerators.settings.validation import validate

_ROUNDS = 4
"""Taking out a value can leave its parent incomplete, and that its own: no setting lies deeper."""

_SUMS = ("budget-missing", "budget-exceeded", "capacity-block-unused", "plugin-disabled")
"""Rules that look at everything together: with a part missing they would be wrong."""

_FOR_PODS = ("dynamicResourceAllocation", "efa", "instanceType", "sharing", "size", "taints")
"""Keys of a node group that decide what its pods find: with one missing, rules would be wrong about its workloads."""


def problems_elsewhere(
    values: Mapping[str, Any], now: datetime, own_types: tuple[InstanceType, ...] = ()
) -> list[Problem]:
    """Problems of the parts whose shape is right; none where too little is left to judge."""
    rest = copy.deepcopy(dict(values))
    removed: list[tuple[Part, ...]] = []
    for _ in range(_ROUNDS):
        result = validate(rest)
        if not isinstance(result, tuple):
            found = check(resolve_stack(result, own_types), now)
            doubtful = (*removed, *_workloads_on({path[1] for path in removed if _is_for_pods(path)}, result))
            return [problem for problem in found if problem.code not in _SUMS and not _near(problem, doubtful)]
        for path in sorted({_offending(problem) for problem in result}, key=str, reverse=True):
            if not path or not _remove(rest, path):
                return []
            removed.append(path)
    return []


def _offending(problem: Problem) -> tuple[Part, ...]:
    """What to take out: the value itself, or that which lacks one."""
    path = split(problem.path)
    return path[:-1] if problem.code == "missing-key" else path


def _remove(root: dict[str, Any], path: tuple[Part, ...]) -> bool:
    """Take the value at ``path`` out of ``root``; False where there is none, which nobody expects."""
    holder: Any = root
    for part in path[:-1]:
        try:
            holder = holder[part]
        except (KeyError, IndexError, TypeError):
            return True  # gone already, with its parent
    try:
        del holder[path[-1]]
    except (KeyError, IndexError, TypeError):
        return False
    return True


def _is_for_pods(path: tuple[Part, ...]) -> bool:
    return path[0] == "nodeGroups" and len(path) > 2 and path[2] in _FOR_PODS


def _workloads_on(groups: Collection[Part], settings: Settings) -> Iterator[tuple[Part, ...]]:
    for kind, name, workload in settings.workloads.each():
        if workload.node_group in groups:
            yield ("workloads", kind, name)


def _near(problem: Problem, removed: Iterable[tuple[Part, ...]]) -> bool:
    """Whether a problem lies at, above or below what was taken out, or speaks of it by name."""
    path = split(problem.path)
    for gone in removed:
        shorter = min(len(path), len(gone))
        if path[:shorter] == gone[:shorter] or str(gone[-1]) in problem.found or dotted(gone) in problem.message:
            return True
    return False
