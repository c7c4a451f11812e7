"""A file of YAML or JSON that a user hands to a command: a typed model, or every problem with it, each with its line."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.settings import stack_file
from eks_accelerators.settings.file_words import fix_of_file, not_utf8
from eks_accelerators.settings.paths import split
from eks_accelerators.settings.problems import Problem, Severity
from eks_accelerators.settings.validation import validate_as
from eks_accelerators.settings.yaml_nodes import YamlNode, compose

M = TypeVar("M", bound=BaseModel)
Rules = Callable[[Mapping[str, Any], Sequence[Problem]], Iterable[Problem]]
"""What holds beyond the shape: of what is written, and of the problems of its shape."""


class WrittenFileError(ValueError):
    """A file that does not hold what it is to hold; carries every problem with it."""

    def __init__(self, option: str, path: Path, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        told = "\n".join(map(str, self.problems))
        super().__init__(f"{option} {path}: {number_of(len(self.problems), 'problem')}\n{told}")


@dataclass(frozen=True, slots=True)
class FileKind(Generic[M]):
    """What a file is: the ``option`` that names it, the ``code`` of its problems, and what is in it, in words.

    ``keys`` are those that are usual, and ``example`` how a file begins.
    """

    option: str
    code: str
    noun: str
    model: type[M]
    keys: str
    example: str

    def read(self, path: Path, rules: Rules) -> M:
        """The model in the file at ``path``. Raises `WrittenFileError`."""
        text = self._text(path)
        try:
            root = compose(text)
            found = stack_file.plain_data(root)
        except stack_file.UNREADABLE as error:
            raise self._error(path, [stack_file.not_yaml(self.code, path, text, error)]) from None
        if root is None or not isinstance(found, Mapping):
            raise self._error(path, [self._without_keys(path, found)])
        return self._judged(path, root, found, rules)

    def _judged(self, path: Path, root: YamlNode, found: Mapping[str, Any], rules: Rules) -> M:
        parsed = validate_as(self.model, found, by_name=False)
        refused = parsed if isinstance(parsed, tuple) else ()
        problems = (*refused, *rules(found, refused))
        if isinstance(parsed, tuple) or problems:
            placed = (replace(each, line=stack_file.line_below(root, split(each.path), root.line)) for each in problems)
            raise self._error(path, sorted(placed, key=lambda each: each.line or 0))
        return parsed

    def _text(self, path: Path) -> str:
        try:
            return path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            message, found, fix = "it is no UTF-8 text", not_utf8(error), "save it as UTF-8"
        except OSError as error:
            message, found, fix = error.strerror or str(error), str(path), fix_of_file(error)
        problem = self._problem(path, f"the {self.noun} cannot be read: {message}", found, "UTF-8 text", fix)
        raise self._error(path, [problem])

    def _without_keys(self, path: Path, found: object) -> Problem:
        kind = "a list" if isinstance(found, list) else "text, or a number"
        if found is None:
            kind = "an empty file"
        return self._problem(path, f"the {self.noun} has no keys", kind, f"keys with values: {self.keys}", self.example)

    def _problem(self, path: Path, message: str, found: str, allowed: str, fix: str) -> Problem:
        return Problem(self.code, Severity.ERROR, path.name, message, found, allowed, fix)

    def _error(self, path: Path, problems: Iterable[Problem]) -> WrittenFileError:
        return WrittenFileError(self.option, path, problems)
