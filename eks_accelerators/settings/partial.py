"""What the rules can still say of settings whose shape is wrong in places.

All problems come at once, so a misspelt key must not hide that a node group names an impossible image. What
is wrong is taken out, and the rules judge the rest; they are not asked about anything near what is missing.
"""

import copy
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from eks_accelerators.accelerators.instance_types import InstanceType
from eks_accelerators.settings.field_words import Field, field_at
from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.paths import Part, dotted, split
from eks_accelerators.settings.problems import Problem
from eks_accelerators.settings.resolved_stack import resolve_stack
from eks_accelerators.settings.rules import check
from eks_accelerators.settings.validation import meant_key, validate

_ROUNDS = 8
"""Taking out a value can leave its parent incomplete, and that its own; what is read as it was meant can be wrong inside."""

_SUMS = ("budget-missing", "budget-exceeded", "capacity-block-unused", "plugin-disabled", "storage-unused")
"""Rules that look at everything together: with a part missing they would be wrong."""

_FOR_PODS = ("dynamicResourceAllocation", "efa", "instanceType", "sharing", "size", "taints")
"""Keys of a node group that decide what its pods find: with one missing, rules would be wrong about its workloads."""

_NAMED = ("nodeGroups", "capacityBlocks", "storage", "instanceTypes")
"""Sections of things that others name."""

_PLACE = "us-east-2"
_STAND_INS: dict[str, Any] = {
    "region": _PLACE,
    "owner": "nobody",
    "network": {"create": {"zones": [f"{_PLACE}a", f"{_PLACE}b"]}},
}
"""In place of what no stack does without, so that the rest can be judged."""

OF_THE_PLACE = frozenset(
    (
        *("alert-receiver", "autoscaler-no-path", "capacity-block-zone", "control-plane-zones", "efa-several-zones"),
        *("managed-prometheus-region", "managed-prometheus-zones", "monitoring-no-path", "network-path-unknown"),
        *("network-one-source", "no-path-to-services", "training-accelerators-left"),
        *("network-cidr", "placement-group-several-zones", "price-unknown", "region-unknown", "s3-files-region"),
        *("single-nat-gateway", "storage-keeps-network", "storage-zone", "type-not-in-zone", "volume-zone"),
        *("volume-zone-crossed", "zone-not-in-network", "zone-without-control-plane", "zones-of-region"),
        *("weights-cached-twice", "zone-unknown"),
    )
)
"""Rules that ask for the region or the network: with a stand-in for one of them they would be wrong."""


def problems_elsewhere(values: Mapping[str, Any], now: datetime, own_types: tuple[InstanceType, ...]) -> list[Problem]:
    """Problems of the parts whose shape is right; none where too little is left to judge.

    A misspelt key is read as the one that was meant, so that what is below it is judged too.
    """
    rest = _Rest(values)
    inside: list[Problem] = []
    for _ in range(_ROUNDS):
        result = validate(rest.values)
        if not isinstance(result, tuple):
            found = check(resolve_stack(result, own_types), now)
            return rest.as_written([*inside, *(problem for problem in found if not rest.leaves_open(problem, result))])
        inside += [problem for problem in result if rest.is_new_inside_a_renamed(problem)]
        for problem in sorted(result, key=lambda each: str(split(each.path)), reverse=True):
            if not rest.take_out(problem):
                return []
    return []


_OF_PROMETHEUS = ("autoscaling-without-prometheus",)
"""Rules that ask, of something else, which Prometheus there is."""

_PROMETHEUS: frozenset[tuple[Part, ...]] = frozenset(
    {("monitoring",), ("monitoring", "prometheus"), ("monitoring", "prometheusAddress")}
)


class _Rest:
    """What is left of ``values`` without what is wrong."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = copy.deepcopy(dict(values))
        self._removed: list[tuple[Part, ...]] = []
        self._stood_in: set[tuple[Part, ...]] = set()
        self._renamed: dict[tuple[Part, ...], tuple[Part, ...]] = {}

    def take_out(self, problem: Problem) -> bool:
        """Take out what is wrong, or what lacks something; False where there is nothing to take, which nobody expects."""
        path = split(problem.path)
        if problem.code == "unknown-key":
            return self._rename(path) or self._remove(path)
        if problem.code == "not-allowed" and not _is_named(path[:-1]):
            self._removed.append(path[:-1])  # what stands beside a word depends on it
        if problem.code == "missing-key":
            self._removed.append(path)
        if self._stand_in(path):
            return True
        return self._remove(path[:-1] if problem.code == "missing-key" else path)

    def _stand_in(self, path: tuple[Part, ...]) -> bool:
        """Put a value in place of one that is required, so that what is beside it can be judged; False where none is known."""
        holder = _at(self.values, path[:-1])
        if len(path) == 1 and path[0] in _STAND_INS:
            value = _STAND_INS[str(path[0])]
        elif isinstance(holder, dict) and path[-1] in field_at(path[:-1], Settings).required:
            value = _value_of(field_at(path, Settings))
        else:
            value = None
        if value is None or path in self._stood_in:
            return False
        holder[path[-1]] = value
        self._stood_in.add(path)
        self._removed.append(path)
        return True

    def _rename(self, path: tuple[Part, ...]) -> bool:
        """Give the value at ``path`` the key that was meant."""
        holder, meant = _at(self.values, path[:-1]), meant_key(path, Settings)
        if meant is None or not isinstance(holder, dict) or meant in holder or path[-1] not in holder:
            return False
        holder[meant] = holder.pop(path[-1])
        self._renamed[(*path[:-1], meant)] = path
        return True

    def _remove(self, path: tuple[Part, ...]) -> bool:
        """Take out the value at ``path``; False where there is none."""
        holder = _at(self.values, path[:-1])
        if holder is None:
            return True  # gone already, with its parent
        try:
            del holder[path[-1]]
        except (KeyError, IndexError, TypeError):
            return False
        self._removed.append(path)
        return True

    def _stands_in_beside(self, path: tuple[Part, ...]) -> bool:
        """Whether another volume of the workload has a made-up directory, which may be that of the one at ``path``."""
        return any(each[-1] == path[-1] == "mountPath" and each[:3] == path[:3] for each in self._stood_in)

    def is_new_inside_a_renamed(self, problem: Problem) -> bool:
        """Whether it is about something below a misspelt key, at which nobody looked before."""
        path = split(problem.path)
        is_inside = any(path[: len(meant)] == meant for meant in self._renamed)
        return is_inside and not _near(problem, self._removed)

    def as_written(self, problems: Iterable[Problem]) -> list[Problem]:
        """The problems with the keys that the user wrote in their paths."""
        return [replace(problem, path=dotted(self._written(split(problem.path)))) for problem in problems]

    def _written(self, path: tuple[Part, ...]) -> tuple[Part, ...]:
        for meant, written in reversed(self._renamed.items()):
            if path[: len(meant)] == meant:
                path = (*written, *path[len(meant) :])
        return path

    def leaves_open(self, problem: Problem, settings: Settings) -> bool:
        """Whether what was taken out could make the problem go away."""
        if problem.code in _SUMS:
            return True
        if problem.code in _OF_PROMETHEUS and not _PROMETHEUS.isdisjoint(self._removed):
            return True
        if problem.code == "volume-path" and self._stands_in_beside(split(problem.path)):
            return True
        if problem.code in OF_THE_PLACE and any(path[0] in ("region", "network") for path in self._removed):
            return True
        return _near(problem, (*self._removed, *_users_of(self._removed, settings)))


def _value_of(field: Field) -> int | str | None:
    """The example of a number or of a text as a value; None where there is none."""
    if field.kind == "integer":
        return int(field.example)
    text = field.example if field.kind == "string" else ""
    return (str(json.loads(text)) if text.startswith('"') else text) or None


def _at(root: Any, path: tuple[Part, ...]) -> Any:
    """What is at ``path``, None where nothing is."""
    for part in path:
        try:
            root = root[part]
        except (KeyError, IndexError, TypeError):
            return None
    return root


def _users_of(removed: Collection[tuple[Part, ...]], settings: Settings) -> Iterator[tuple[Part, ...]]:
    """Paths of what runs on, mounts or is bought by what is incomplete."""

    def is_incomplete(section: str, name: str | None) -> bool:
        return any(path == (section,) or (path[:2] == (section, name) and _is_for_users(path)) for path in removed)

    for kind, name, workload in settings.workloads.each():
        if is_incomplete("nodeGroups", workload.node_group):
            yield ("workloads", kind, name)
        for volume in workload.volumes:
            if is_incomplete("storage", volume):
                yield ("workloads", kind, name, "volumes", volume)
    for name, group in settings.node_groups.items():
        for key, blocks in (
            ("capacityBlock", (group.capacity_block,)),
            ("nextCapacityBlocks", group.next_capacity_blocks),
        ):
            if any(block and is_incomplete("capacityBlocks", block) for block in blocks):
                yield ("nodeGroups", name, key)


def _is_named(path: tuple[Part, ...]) -> bool:
    """Whether something with a name is at ``path``, or everything."""
    if path and path[0] == "workloads":
        return len(path) == 3
    return not path or (len(path) == 2 and path[0] in _NAMED)


def _is_for_users(path: tuple[Part, ...]) -> bool:
    return path[0] != "nodeGroups" or len(path) == 2 or path[2] in _FOR_PODS


def _near(problem: Problem, removed: Iterable[tuple[Part, ...]]) -> bool:
    """Whether a problem lies at, above or below what was taken out, or speaks of it by name."""
    path = split(problem.path)
    for gone in removed:
        shorter = min(len(path), len(gone))
        is_named = len(gone) == 2 and gone[0] in _NAMED and str(gone[1]) in problem.found
        if path[:shorter] == gone[:shorter] or is_named or dotted(gone) in problem.message:
            return True
    return False
