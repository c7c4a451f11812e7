"""What changes between two revisions: both planned, resource by resource, property by property."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from eks_accelerators.accel.plan.cascade import dragged_along
from eks_accelerators.accel.plan.git_worktree import GitError, checked_out, git
from eks_accelerators.accel.report import money
from eks_accelerators.accel.stacks import StackLocation
from eks_accelerators.accelerators.replacement import grave, replaces
from eks_accelerators.settings.launch_template_rules import UNKNOWN
from eks_accelerators.settings.problems import Problem, SettingsError, Severity


def compare(data: dict[str, Any], location: StackLocation, ref: str) -> dict[str, Any]:
    """The plan ``data``, with the key `changes`: what differs from the plan of the same stack at ``ref``.

    The other revision is checked out beside this one and planned by its own code in its own process.
    """
    return {**data, "changes": changes(_plan_at(location, ref), data, ref)}


def changes(before: dict[str, Any] | None, after: dict[str, Any], ref: str) -> dict[str, Any]:
    """What changes from the plan ``before`` to ``after``; ``before`` is None where the stack is new."""
    old = {r["urn"]: r for r in (before or {}).get("resources", [])}
    new = {r["urn"]: r for r in after["resources"]}
    entries = [_entry("add", new[urn], []) for urn in new.keys() - old.keys()]
    entries += [_entry("remove", old[urn], []) for urn in old.keys() - new.keys()]
    both = {urn: new[urn] for urn in new if urn in old}
    differences = {urn: found for urn in both if (found := _changed(old[urn], new[urn]))}
    for urn, found in dragged_along(both, differences).items():
        entries.append(_entry("replace" if any(p["replaces"] for p in found) else "change", new[urn], found))
    order = {"replace": 0, "remove": 1, "add": 2, "change": 3}
    entries.sort(key=lambda e: (e["grave"] is None, order[e["action"]], e["urn"]))
    return {
        "against": ref,
        "newStack": before is None,
        "againstFailed": any(p["severity"] == "error" for p in (before or {}).get("problems", [])),
        "summary": {action: sum(e["action"] == action for e in entries) for action in order},
        "resources": entries,
        "cost": _cost_difference(before, after),
    }


def _entry(action: str, resource: dict[str, Any], properties: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "action": action,
        "urn": resource["urn"],
        "type": resource["type"],
        "name": resource["name"],
        "grave": grave(resource["type"], action),
        "properties": properties,
    }


def _changed(old: dict[str, Any], new: dict[str, Any]) -> list[dict[str, Any]]:
    """What differs between two registrations of one resource, less what its program ignores."""
    ignored = set(new["ignoreChanges"])
    return [
        {"path": path, "before": before, "after": after, "replaces": replaces(new["type"], path), "because": None}
        for path, before, after in (*_differences(old["inputs"], new["inputs"]), *_other_sources(old, new))
        if not _ignored(path, ignored)
    ]


def _other_sources(old: dict[str, Any], new: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Properties that are unknown before and after, and come from other resources: another zone's subnet, say."""
    before, after = old.get("propertyDependencies", {}), new["propertyDependencies"]
    for name in sorted(before.keys() & after.keys()):
        value = new["inputs"].get(name)
        if before[name] != after[name] and value == old["inputs"].get(name) and _has_unknown(value):
            yield name, *([urn.rpartition("::")[2] for urn in sources[name]] for sources in (before, after))


def _has_unknown(value: Any) -> bool:
    if isinstance(value, dict | list):
        return any(_has_unknown(item) for item in (value.values() if isinstance(value, dict) else value))
    return bool(value == UNKNOWN)


def _differences(old: Any, new: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
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


def _cost_difference(before: dict[str, Any] | None, after: dict[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key in ("usdPerHourAtDesired", "usdPerHourAtMax", "usdPerMonthAtDesired", "usdPerMonthAtMax"):
        new = (after["cost"] or {}).get(key)
        old = ((before or {}).get("cost") or {}).get(key) or ("0" if before is None else None)
        result[key] = None if new is None or old is None else money(Decimal(new) - Decimal(old))
    result["unknown"] = sorted(
        {name for plan in (before, after) for name in ((plan or {}).get("cost") or {}).get("unknownAtMax", [])}
    )
    return result


def _plan_at(location: StackLocation, ref: str) -> dict[str, Any] | None:
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


def _plan_in(project: Path, location: StackLocation, ref: str) -> dict[str, Any] | None:
    relative = (location.file.parent.resolve() / location.file.name).relative_to(location.project.resolve())
    if not (project / relative).exists():
        return None
    # The other revision's own code: its folder comes before ours on the import path.
    run = subprocess.run(
        [sys.executable, "-m", "eks_accelerators.accel", "plan", "--json", "--", str(relative)],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(project)},
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        data: dict[str, Any] = json.loads(run.stdout)
    except ValueError:
        raise _cannot(ref, f"the stack cannot be planned at {ref}: {_gist(run.stderr)}") from None
    if "resources" not in data:
        raise _cannot(ref, f"{ref} has an `accel plan` that prints no resources")
    return data


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
