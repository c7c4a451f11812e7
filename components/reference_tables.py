"""The tables of arguments and outputs in `docs/components.md`: `python -m eks_accelerators.components.reference_tables` writes them anew.

The rest of the page is written by hand. `--check` exits 1 where a table is stale.
"""

import ast
import inspect
import itertools
import re
import sys
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any

from eks_accelerators import components
from eks_accelerators.components.arguments import ServedNodeGroupArgs
from eks_accelerators.settings.generated_files import ROOT, write_or_check

PATH = ROOT / "docs" / "components.md"

_ARGUMENTS = "| Argument | Type | Required | Meaning |\n| --- | --- | --- | --- |\n"
_KEYS = "| Key | Type | Required | Meaning |\n| --- | --- | --- | --- |\n"
"""Of the node group that a workload runs on."""
_OUTPUTS = "| Output | Type | Meaning |\n| --- | --- | --- |\n"


def page(current: str) -> str:
    """``current`` with the tables of every component as its code has them."""
    head, *sections = re.split(r"^(?=## )", current, flags=re.MULTILINE)
    known = {component.__name__: component for component in components.ALL}
    written = [head]
    for section in sections:
        name = section.partition("\n")[0].removeprefix("## ")
        written.append(_with_tables(section, known[name]) if name in known else section)
    return "".join(written)


def _with_tables(section: str, component: type) -> str:
    section = _replaced(section, _ARGUMENTS, list(_rows(getattr(components, f"{component.__name__}Args"))))
    section = _replaced(section, _KEYS, list(_rows(ServedNodeGroupArgs)))
    outputs = [f"| `{name}` | `{_output(kind)}` | {meaning} |" for name, kind, meaning in _fields(component)]
    return _replaced(section, _OUTPUTS, outputs)


def _rows(arguments: Any) -> Iterator[str]:
    for name, kind, meaning in _fields(arguments):
        required = "yes" if name in arguments.__required_keys__ else ""
        yield f"| `{name}` | `{_input(kind)}` | {required} | {meaning} |"


def _replaced(section: str, head: str, rows: list[str]) -> str:
    """``section`` with ``rows`` in place of those of its first table with that head."""
    before, found, after = section.partition(head)
    rest = re.sub(r"\A(\|.*\n)*", "", after)
    return "".join([before, found, *(f"{row}\n" for row in rows), rest]) if found else section


def _fields(cls: type) -> Iterator[tuple[str, str, str]]:
    """Name, annotation and docstring of each documented field of a class, as they are written."""
    module = inspect.getmodule(cls)
    assert module is not None
    definition = next(
        each for each in _parsed(module).body if isinstance(each, ast.ClassDef) and each.name == cls.__name__
    )
    for statement, after in itertools.pairwise(definition.body):
        if isinstance(statement, ast.AnnAssign) and isinstance(after, ast.Expr):
            meaning = " ".join(str(ast.literal_eval(after.value)).split())
            yield ast.unparse(statement.target), ast.unparse(statement.annotation), meaning.replace("|", "\\|")


@cache
def _parsed(module: ModuleType) -> ast.Module:
    return ast.parse(inspect.getsource(module))


def _input(annotation: str) -> str:
    return re.sub(r"^NotRequired\[(.*)\]$", r"\1", annotation).replace("pulumi.", "")


def _output(annotation: str) -> str:
    return re.sub(r"^pulumi\.Output\[(.*)\]$", r"\1", annotation)


if __name__ == "__main__":
    text = page(PATH.read_text(encoding="utf-8"))
    sys.exit(write_or_check(PATH, text, sys.argv[1:], "python -m eks_accelerators.components.reference_tables"))
