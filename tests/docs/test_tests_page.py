"""The page about the tests: every file is on it, and nothing that is not there."""

import re

import pytest

from tests import side_by_side
from tests.docs.pages import ROOT, spans, text

PAGE = ROOT / "docs" / "tests.md"
NAMED = sorted({span for span in spans(PAGE) if re.fullmatch(r"tests/[\w/]*(\.py)?", span)})
FILES = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "tests").rglob("test_*.py"))]
ROWS = text(PAGE).partition("\n## What `make test` leaves out\n")[2].partition("\n## ")[0].splitlines()[2:]
LEFT_OUT = {
    name for row in ROWS if row.count("|") > 2 for name in re.findall(r"`(tests/[\w/]+\.py)`", row.split("|")[2])
}


def folder(path: str) -> str:
    return path.rpartition("/")[0] + "/"


@pytest.mark.parametrize("file", FILES)
def test_every_file_says_what_it_guards(file):
    """By its own name, or by that of the folder in which it is with others that guard the same."""
    _, _, guards = text(PAGE).partition("\n## What guards what\n")

    assert f"`{file}`" in guards or f"`{folder(file)}`" in guards


@pytest.mark.parametrize("name", NAMED)
def test_what_is_named_is_there(name):
    assert (ROOT / name).exists()
    assert name.endswith(".py") or any(folder(file).startswith(name) for file in FILES)


def test_what_make_test_leaves_out_is_said():
    marked = {file for file in FILES if re.search(r"\bpytest\.mark\.thorough\b", text(ROOT / file))}

    assert marked == LEFT_OUT


@pytest.mark.parametrize("file", [*side_by_side.LIVES, *side_by_side.ON_ONE_CONTROL_PLANE])
def test_what_is_put_in_order_is_there(file):
    assert file in FILES


@pytest.mark.parametrize("file", side_by_side.LIVES)
def test_what_goes_to_workers_test_by_test_shares_no_fixture(file):
    """Each worker would make it anew."""
    assert 'scope="module"' not in text(ROOT / file)


@pytest.mark.parametrize("file", side_by_side.ON_ONE_CONTROL_PLANE)
def test_what_is_kept_together_shares_the_control_plane(file):
    assert re.search(r"^def test_\w+\(.*\b(cluster|namespace)\b", text(ROOT / file), re.MULTILINE)
