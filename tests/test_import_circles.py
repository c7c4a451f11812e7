"""No module needs itself through others, in the package, its tests and scripts; late imports and those for types included."""

import ast
from collections.abc import Collection, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest

from eks_accelerators.settings.generated_files import ROOT

SCRIPTS = ("benchmarks", "tools", "examples/*", ".github/scripts", "components/programs")
"""Folders of programs: what one of them imports is looked for beside it first."""


def circle(imports: Mapping[str, Collection[str]]) -> Sequence[str]:
    """Modules that import each other in a circle, the first again at the end; empty where none do."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        modules: Sequence[str] = error.args[1]
        return modules
    return []


def of_packages(*packages: str) -> dict[str, set[str]]:
    """Every module of ``packages`` with those that it imports."""
    graph = grimp.build_graph(*packages, cache_dir=None)
    return {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}


def of_scripts(*patterns: str, root: Path = ROOT) -> dict[str, set[str]]:
    """Every script in folders below ``root`` that match, with those beside it that it imports."""
    scripts = [file for pattern in patterns for folder in root.glob(pattern) for file in folder.glob("*.py")]
    return {
        file.relative_to(root).as_posix(): {
            beside.relative_to(root).as_posix()
            for name in _names(ast.parse(file.read_text(encoding="utf-8")))
            if (beside := file.with_name(f"{name}.py")) in scripts
        }
        for file in scripts
    }


def _names(module: ast.Module) -> set[str]:
    """The first part of every name that is imported, wherever that is done."""
    nodes = list(ast.walk(module))
    whole = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    whole |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level}
    return {name.partition(".")[0] for name in whole}


def test_there_is_no_circle_in_packages():
    assert circle(of_packages("eks_accelerators", "tests")) == []


def test_there_is_no_circle_in_scripts():
    imports = of_scripts(*SCRIPTS)

    assert circle(imports) == []
    assert {script.rpartition("/")[0] for script in imports} >= {"benchmarks", "tools", "components/programs"}
    assert "benchmarks/cases.py" in imports["benchmarks/plan.py"]


WAYS_BACK = pytest.mark.parametrize(
    "way_back",
    [
        "from {0}bottom import thing",
        "def late():\n    from {0}bottom import thing",
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    import {0}bottom",
    ],
    ids=["plain", "late", "for types only"],
)


@WAYS_BACK
def test_a_circle_of_packages_is_named(tmp_path, monkeypatch, request, way_back):
    name = f"round_{request.node.callspec.indices['way_back']}"
    package = tmp_path / name
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "apart.py").write_text("import json\n")
    (package / "bottom.py").write_text(f"from {name} import top\n")
    (package / "top.py").write_text(way_back.format(f"{name}."))
    monkeypatch.syspath_prepend(tmp_path)

    assert set(circle(of_packages(name))) == {f"{name}.bottom", f"{name}.top"}


@WAYS_BACK
def test_a_circle_of_scripts_is_named(tmp_path, way_back):
    folder = tmp_path / "scripts"
    folder.mkdir()
    (folder / "apart.py").write_text("import top\n")
    (folder / "bottom.py").write_text("import top\n")
    (folder / "top.py").write_text(way_back.format(""))

    assert set(circle(of_scripts("scr*", root=tmp_path))) == {"scripts/bottom.py", "scripts/top.py"}
