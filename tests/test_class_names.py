"""A name says which class is meant, wherever it is read: no two public classes of the package have the same."""

import ast
from collections import defaultdict

from eks_accelerators.settings.generated_files import ROOT

# Programs of pods are left out: each is a file that stands alone, and is read so.
FILES = [*(ROOT / "eks_accelerators").rglob("*.py"), *(ROOT / "components").glob("*.py")]


def test_no_two_public_classes_have_one_name():
    places = defaultdict(set)
    for file in FILES:
        for statement in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(statement, ast.ClassDef) and not statement.name.startswith("_"):
                places[statement.name].add(file.resolve().relative_to(ROOT).as_posix())

    assert {name: sorted(found) for name, found in places.items() if len(found) > 1} == {}
    assert len(places) > 500
