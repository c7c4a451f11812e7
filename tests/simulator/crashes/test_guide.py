"""docs/after-a-crash.md has a place for everything that can be left of a crash."""

import re

import pytest

from tests.accel.plans import shipped
from tests.docs.pages import ROOT, text
from tests.simulator.crashes.fates import CHANGES_REFUSED, FOUND_AGAIN, LEFT_OVER, REFUSED

KNOWN = {*FOUND_AGAIN, *LEFT_OVER, *REFUSED}
GUIDE = text(ROOT / "docs" / "after-a-crash.md")


def section(title):
    return re.split(r"^## .*$", GUIDE.partition(f"## {title}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]


def last_parts(types):
    return {each.partition(" ")[0].rpartition(":")[2] for each in types}


@pytest.mark.parametrize(("title", "types"), [("In the way", REFUSED), ("Left over", LEFT_OVER)])
def test_a_row_for_every_type(title, types):
    firsts = [row.split("|")[1] for row in section(title).splitlines() if row.startswith("| `")]

    assert set(re.findall(r"`(\w+)`", " ".join(firsts))) == last_parts(types)


def test_what_is_found_again():
    assert set(re.findall(r"`(\w+)`", section("Found again"))) == last_parts(FOUND_AGAIN)


@pytest.mark.parametrize("words", sorted({*REFUSED.values(), *CHANGES_REFUSED.values()}))
def test_the_words_that_a_user_reads(words):
    assert words in GUIDE


def test_everything_of_the_stack_has_a_fate():
    """The matrix itself takes hours: what it would not know is found here."""
    made = [
        each
        for each in shipped("prod").report.as_data()["resources"]
        if each["type"].startswith(("aws:", "kubernetes:"))
    ]
    unknown = {each["type"] for each in made if not {each["type"], f"{each['type']} {each['name']}"} & KNOWN}

    assert len(made) > 100
    assert unknown == set()
