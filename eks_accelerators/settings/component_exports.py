"""What `eks_accelerators.components` exports, made from its modules: `python -m eks_accelerators.settings.component_exports` writes
`components/__init__.py`.

A component is a class whose `__init__` takes `args` of the type `<its name>Args`, as Pulumi's multi-language packaging wants
it. Modules are only read as text here. `--check` exits 1 where the written module is stale.
"""

import ast
import sys
from collections.abc import Iterator

from eks_accelerators.settings.generated_files import ROOT, write_or_check

FOLDER = ROOT / "components"
PATH = FOLDER / "__init__.py"

_PACKAGE = "eks_accelerators.components"
_WIDTH = 120
_HEAD = '''"""Pulumi components that provision Amazon EKS clusters with NVIDIA GPUs and AWS Trainium.

Each stands alone: it takes one dictionary of typed arguments, and needs nothing of the others but their outputs.
Written by `python -m eks_accelerators.settings.component_exports` from the modules beside this one.
"""
'''
_OF_FUNCTIONS = frozenset({"capacity_block_rotation"})
"""Modules whose functions programs call beside the components."""


def source() -> str:
    """The Python source of the generated module."""
    components: set[str] = set()
    exported: dict[str, set[str]] = {}
    for path in sorted(FOLDER.glob("[!_]*.py")):
        defined = ast.parse(path.read_text(encoding="utf-8")).body
        if path.stem in _OF_FUNCTIONS:
            functions = {each.name for each in defined if isinstance(each, ast.FunctionDef)}
            exported[path.stem] = {name for name in functions if not name.startswith("_")}
        classes = {each.name: each for each in defined if isinstance(each, ast.ClassDef)}
        for name in filter(lambda each: _is_component(classes[each]), classes):
            components.add(name)
            exported.setdefault(path.stem, set()).add(name)
            written_by_hand = f"{name}Args" in classes
            exported.setdefault(path.stem if written_by_hand else "arguments", set()).add(f"{name}Args")
    imports = [_wrapped(f"from {_PACKAGE}.{module} import ", exported[module]) for module in sorted(exported)]
    every = _listed("ALL = (", components, ")")
    names = {f'"{name}"' for name in {"ALL", *set().union(*exported.values())}}
    return "\n".join([_HEAD, *imports, "", every, '"""Every component."""', "", _listed("__all__ = [", names, "]"), ""])


def _is_component(definition: ast.ClassDef) -> bool:
    takes = {
        argument.arg: argument.annotation
        for method in definition.body
        if isinstance(method, ast.FunctionDef) and method.name == "__init__"
        for argument in method.args.args
    }.get("args")
    return isinstance(takes, ast.Name) and takes.id == f"{definition.name}Args"


def _wrapped(start: str, names: set[str]) -> str:
    """An import, over several lines where one is too long."""
    line = start + ", ".join(_in_order(names))
    return line if len(line) <= _WIDTH else _listed(f"{start}(", names, ")")


def _listed(start: str, names: set[str], end: str) -> str:
    return "\n".join([start, *(f"    {name}," for name in _in_order(names)), end])


def _in_order(names: set[str]) -> Iterator[str]:
    """As the linter sorts them: constants, classes, functions; names regardless of case, texts by their characters."""

    def place(name: str) -> tuple[bool, bool, str]:
        bare = name.strip('"')
        return (not bare.isupper(), bare[0].islower(), bare.lower() if bare == name else bare)

    return iter(sorted(names, key=place))


if __name__ == "__main__":
    sys.exit(write_or_check(PATH, source(), sys.argv[1:], "python -m eks_accelerators.settings.component_exports"))
