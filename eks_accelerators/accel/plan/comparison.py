"""What changes between two revisions: both planned, resource by resource, property by property."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import get_args

from pydantic import JsonValue, ValidationError

from eks_accelerators.accel.plan.cascade import dragged_along
from eks_accelerators.accel.plan.git_worktree import GitError, checked_out, git
from eks_accelerators.accel.plan.registrations import RegisteredPlan, RegisteredResource
from eks_accelerators.accel.reports.plan import (
    Action,
    ChangeCounts,
    ChangedResource,
    Changes,
    CostDifference,
    DifferenceReport,
    PlanReport,
)
from eks_accelerators.accel.stacks import StackLocation
from eks_accelerators.accelerators.replacement import grave, replaces
from eks_accelerators.settings.launch_template_rules import UNKNOWN
from eks_accelerators.settings.problems import Problem, SettingsError, Severity

_ORDER: tuple[Action, ...] = get_args(Action)


def compare(plan: PlanReport, location: StackLocation, ref: str) -> PlanReport:
    """The plan, and what differs from that of the same stack at ``ref``.

    The other revision is checked out beside this one and planned by its own code in its own process.
    """
    return plan.model_copy(update={"changes": changes(_plan_at(location, ref), plan, ref)})


def changes(before: PlanReport | RegisteredPlan | None, after: PlanReport | RegisteredPlan, ref: str) -> Changes:
    """What changes from the plan ``before`` to ``after``; ``before`` is None where the stack is new."""
    earlier, later = RegisteredPlan.model_validate(before or {"resources": ()}), RegisteredPlan.model_validate(after)
    old, new = ({each.urn: each for each in plan.resources} for plan in (earlier, later))
    entries = [_entry("add", new[urn], []) for urn in new.keys() - old.keys()]
    entries += [_entry("remove", old[urn], []) for urn in old.keys() - new.keys()]
    both = {urn: new[urn] for urn in new if urn in old}
    differences = {urn: found for urn in both if (found := _changed(old[urn], new[urn]))}
    for urn, found in dragged_along(both, differences).items():
        entries.append(_entry("replace" if any(each.replaces for each in found) else "change", new[urn], found))
    entries.sort(key=lambda entry: (entry.grave is None, _ORDER.index(entry.action), entry.urn))
    return Changes(
        against=ref,
        new_stack=before is None,
        against_failed=earlier.failed,
        summary=ChangeCounts(**{action: sum(entry.action == action for entry in entries) for action in _ORDER}),
        resources=entries,
        cost=_cost_difference(earlier if before else None, later),
    )


def _entry(action: Action, resource: RegisteredResource, properties: list[DifferenceReport]) -> ChangedResource:
    return ChangedResource(
        action=action,
        urn=resource.urn,
        type=resource.type,
        name=resource.name,
        grave=grave(resource.type, action),
        properties=properties,
    )


def _changed(old: RegisteredResource, new: RegisteredResource) -> list[DifferenceReport]:
    """What differs between two registrations of one resource, less what its program ignores."""
    ignored = set(new.ignore_changes)
    return [
        DifferenceReport(path=path, before=before, after=after, replaces=replaces(new.type, path))
        for path, before, after in (*_differences(old.inputs, new.inputs), *_other_sources(old, new))
        if not _ignored(path, ignored)
    ]


def _other_sources(old: RegisteredResource, new: RegisteredResource) -> Iterator[tuple[str, JsonValue, JsonValue]]:
    """Properties that are unknown before and after, and come from other resources: another zone's subnet, say."""
    before, after = old.property_dependencies, new.property_dependencies
    for name in sorted(before.keys() & after.keys()):
        value = new.inputs.get(name)
        if before[name] != after[name] and value == old.inputs.get(name) and _has_unknown(value):
            yield name, _names(before[name]), _names(after[name])


def _names(urns: Iterable[str]) -> JsonValue:
    return [urn.rpartition("::")[2] for urn in urns]


def _has_unknown(value: JsonValue) -> bool:
    if isinstance(value, dict | list):
        return any(_has_unknown(item) for item in (value.values() if isinstance(value, dict) else value))
    return bool(value == UNKNOWN)


def _differences(old: JsonValue, new: JsonValue, path: str = "") -> Iterator[tuple[str, JsonValue, JsonValue]]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            yield from _differences(old.get(key), new.get(key), f"{path}.{key}" if path else key)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _differences(one, other, f"{path}[{index}]")
    elif old != new:
        yield path, old, new


def _ignored(path: str, ignored: set[str]) -> bool:
    return any(path == entry or path.startswith((f"{entry}.", f"{entry}[")) for entry in ignored)


def _cost_difference(before: RegisteredPlan | None, after: RegisteredPlan) -> CostDifference:
    """``before`` is None where the stack is new, and costs nothing before."""
    costs = [plan.cost for plan in (before, after) if plan and plan.cost]

    def difference(field: str) -> Decimal | None:
        new = getattr(after.cost, field, None)
        old = getattr(before.cost, field, None) if before else Decimal(0)
        return None if new is None or old is None else new - old

    return CostDifference(
        **{field: difference(field) for field in CostDifference.model_fields if field.startswith("usd")},
        unknown=sorted({name for cost in costs for name in cost.unknown_at_max}),
    )


def _plan_at(location: StackLocation, ref: str) -> RegisteredPlan | None:
    """The plan of the stack at ``ref``, or None where that revision does not have the stack."""
    if ref.startswith("-"):  # to Git it would be an option; no revision begins so
        raise _cannot(ref, f"{ref} is no revision here")
    root = Path(_git(location.project, "rev-parse", "--show-toplevel", found=ref))
    named = ("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
    commit = _git(location.project, *named, found=ref, problem=f"{ref} is no revision here")
    try:
        with checked_out(root, commit) as tree:
            return _plan_in(tree / location.project.resolve().relative_to(root.resolve()), location, ref)
    except GitError as error:
        raise _cannot(ref, str(error)) from None


def _plan_in(project: Path, location: StackLocation, ref: str) -> RegisteredPlan | None:
    relative = (location.file.parent.resolve() / location.file.name).relative_to(location.project.resolve())
    if not (project / relative).exists():
        return None
    # The other revision's own code: its folder comes before ours on the import path. Of old it had no package around it.
    package = "eks_accelerators.accel" if (project / "eks_accelerators").is_dir() else "accel"
    run = subprocess.run(
        [sys.executable, "-m", package, "plan", "--json", "--", str(relative)],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(project)},
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        printed = json.loads(run.stdout)
    except ValueError:
        raise _cannot(ref, f"the stack cannot be planned at {ref}: {_gist(run.stderr)}") from None
    try:
        return RegisteredPlan.model_validate(printed)
    except ValidationError:
        raise _cannot(ref, f"{ref} has an `accel plan` that prints no resources") from None


def _gist(printed: str) -> str:
    """The line that says what went wrong: of our own problems the first, of a traceback the last."""
    lines = printed.strip().splitlines() or ["it printed nothing"]
    return next((line.removeprefix("error: ") for line in lines if line.startswith("error: ")), lines[-1])


def _git(folder: Path, *arguments: str, found: str, problem: str = "") -> str:
    try:
        return git(folder, *arguments)
    except GitError as error:
        raise _cannot(found, problem or str(error)) from None


def _cannot(found: str, message: str) -> SettingsError:
    return SettingsError(
        [
            Problem(
                "against",
                Severity.ERROR,
                "--against",
                message,
                found,
                "a revision of this repository",
                "fetch it, or name another",
            )
        ]
    )
