"""docs/benchmarks.md has every aim of the scripts."""

import ast
import re

import pytest

from tests.docs.pages import ROOT, text

SCRIPTS = {path.name: path for path in (ROOT / "benchmarks").glob("*.py")}


def aims(name):
    """The aims of a script: `AIM`, the values of `AIMS`, and those of its figures."""
    found = []
    for node in ast.walk(ast.parse(text(SCRIPTS[name]))):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("AIM", "AIMS"):
            value = ast.literal_eval(node.value)
            found += value.values() if isinstance(value, dict) else [value]
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "Figure":
            found.append(ast.literal_eval(node.args[2]))
    return {float(each) for each in found}


def rows():
    """Script and aim of each row of the page."""
    page = text(ROOT / "docs" / "benchmarks.md")
    return {(name, float(aim)) for name, aim in re.findall(r"\| `(\w+\.py)` \| ([\d.]+) \|", page)}


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_page_has_the_aims_of_each_script(name):
    assert {aim for script, aim in rows() if script == name} == aims(name)


def test_aims_are_read_from_the_scripts():
    assert aims("simulate.py") == {2.5, 3.0}
    assert len(aims("plan.py")) > 3
