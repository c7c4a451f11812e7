"""No module needs itself through others: neither in the package nor in the tests, late imports included."""

from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter

import grimp
import pytest


def circle(*packages: str) -> Sequence[str]:
    """Modules of ``packages`` that import each other in a circle, the first again at the end; empty where none do.

    By all their imports: those inside of functions, and those for types only, count too.
    """
    graph = grimp.build_graph(*packages, cache_dir=None)
    found = TopologicalSorter({module: graph.find_modules_directly_imported_by(module) for module in graph.modules})
    try:
        found.prepare()
    except CycleError as error:
        modules: Sequence[str] = error.args[1]
        return modules
    return []


def test_there_is_no_circle():
    assert circle("eks_accelerators", "tests") == []


@pytest.mark.parametrize(
    "way_back",
    [
        "from {0}.bottom import thing",
        "def late():\n    from {0} import bottom",
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    import {0}.bottom",
    ],
    ids=["plain", "late", "for types only"],
)
def test_a_circle_is_named(tmp_path, monkeypatch, request, way_back):
    name = f"round_{request.node.callspec.indices['way_back']}"
    package = tmp_path / name
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "apart.py").write_text("import json\n")
    (package / "bottom.py").write_text(f"from {name} import top\n")
    (package / "top.py").write_text(way_back.format(name))
    monkeypatch.syspath_prepend(tmp_path)

    assert set(circle(name)) == {f"{name}.bottom", f"{name}.top"}
