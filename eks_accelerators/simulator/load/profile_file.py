"""A load from a file: YAML or JSON in, a profile or every problem with it out, each with its line."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.settings import stack_file
from eks_accelerators.settings.paths import split
from eks_accelerators.settings.problems import Problem, Severity
from eks_accelerators.settings.validation import validate_as
from eks_accelerators.settings.yaml_nodes import compose
from eks_accelerators.simulator.load.profile import LoadProfile
from eks_accelerators.simulator.load.step_rules import step_problems

_CODE = "load-profile"
_EXAMPLE = "write `for: 30m`, and below it `steps: [{requests: 40}]`"


class LoadProfileError(ValueError):
    """A file that holds no load; carries every problem with it."""

    def __init__(self, path: Path, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        told = "\n".join(map(str, self.problems))
        super().__init__(f"--profile {path}: {number_of(len(self.problems), 'problem')}\n{told}")


def read_profile(path: Path) -> LoadProfile:
    """The profile in a file of YAML or JSON. Raises `LoadProfileError`."""
    text = _text(path)
    try:
        root = compose(text)
        found = stack_file.plain_data(root)
    except stack_file.UNREADABLE as error:
        raise LoadProfileError(path, [stack_file.not_yaml(_CODE, path, text, error)]) from None
    if root is None or not isinstance(found, Mapping):
        raise LoadProfileError(path, [_no_profile(path, found)])
    parsed = validate_as(LoadProfile, found, by_name=False)
    refused = parsed if isinstance(parsed, tuple) else ()
    problems = (*refused, *step_problems(found, refused))
    if isinstance(parsed, tuple) or problems:
        placed = (replace(each, line=stack_file.line_below(root, split(each.path), root.line)) for each in problems)
        raise LoadProfileError(path, sorted(placed, key=lambda each: each.line or 0))
    return parsed


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        message, found, fix = "it is no UTF-8 text", "bytes that are no text", "save it as UTF-8"
    except OSError as error:
        message, found, fix = error.strerror or str(error), str(path), "name a file that you may read"
    problem = _problem(path, f"the profile cannot be read: {message}", found, "UTF-8 text", fix)
    raise LoadProfileError(path, [problem])


def _no_profile(path: Path, found: object) -> Problem:
    kind = "a list" if isinstance(found, list) else "text, or a number"
    if found is None:
        kind = "an empty file"
    return _problem(path, "the profile has no keys", kind, "keys with values: for, steps", _EXAMPLE)


def _problem(path: Path, message: str, found: str, allowed: str, fix: str) -> Problem:
    return Problem(_CODE, Severity.ERROR, path.name, message, found, allowed, fix)
