"""What becomes of a data file with an answer in it."""

from datetime import date

import pytest

from eks_accelerators.capacity.facts.fact_values import ABSENT, FactValue, answered, merge
from eks_accelerators.capacity.facts.layout import written

DOCUMENT = {
    "sources": {"all": "somebody, 2026"},
    "rows": [{"name": "a.large", "vcpus": 2, "disks": None}, {"name": "b.large", "vcpus": 4, "disks": {"count": 1}}],
    "lists": [["a.large", "x86_64", {"us-east-1": 1.5}]],
    "prices": {"nat": {"usd": {"us-east-1": 1}, "source": {"us-east-1": "a page, 2026-01-01"}}},
}
TODAY = date(2027, 1, 15)


def found(path, value, source_at=None):
    return FactValue(path, value, "AWS", source_at)


@pytest.mark.parametrize(
    ("path", "value", "before", "name"),
    [
        pytest.param(("rows", "b.large", "vcpus"), 8, 4, 'rows["b.large"].vcpus', id="row-by-its-name"),
        pytest.param(("lists", "a.large", 1), "arm64", "x86_64", 'lists["a.large"][1]', id="row-that-is-a-list"),
        pytest.param(
            ("lists", "a.large", 2, "us-east-2"), 2, ABSENT, 'lists["a.large"][2].us-east-2', id="inside-a-row"
        ),
        pytest.param(("rows", "a.large", "disks", "count"), 1, ABSENT, 'rows["a.large"].disks.count', id="below-null"),
        pytest.param(("rows", "b.large", "vcpus"), None, 4, 'rows["b.large"].vcpus', id="no-longer-known"),
        pytest.param(("rows", "c.large"), {"name": "c.large"}, ABSENT, 'rows["c.large"]', id="new-row"),
    ],
)
def test_a_value_that_differs_changes_and_says_who_answered(path, value, before, name):
    merged = merge(DOCUMENT, [found(path, value)], TODAY)

    (change,) = merged.changes
    assert (change.path, change.after, change.source) == (path, value, "AWS, 2027-01-15")
    assert change.before == before
    assert merged.document["answered"] == {name: "AWS, 2027-01-15"}
    assert merge(merged.document, [found(path, value)], TODAY).changes == ()
    assert "answered" not in DOCUMENT, "the document itself stays as it is"


def test_a_value_that_is_the_same_keeps_its_source():
    merged = merge(DOCUMENT, [found(("rows", "a.large", "vcpus"), 2)], TODAY)

    assert (merged.changes, merged.document) == ((), DOCUMENT)


def test_a_source_is_beside_the_value_where_the_file_has_it_there():
    path = ("prices", "nat")

    merged = merge(DOCUMENT, [found((*path, "usd", "us-east-1"), 2, source_at=(*path, "source", "us-east-1"))], TODAY)

    assert merged.document["prices"]["nat"]["source"] == {"us-east-1": "AWS, 2027-01-15"}
    assert "answered" not in merged.document


def test_what_is_known_better_by_hand_stays():
    document = {**DOCUMENT, "by_hand": {'rows["a.large"].vcpus': "counted"}}

    merged = merge(document, [found(("rows", "a.large", "vcpus"), 3)], TODAY)

    (kept,) = merged.kept
    assert (merged.changes, kept.value, kept.answered, kept.reason) == ((), 2, 3, "counted")
    assert merged.document == document


def test_a_whole_row_answers_for_all_of_it():
    first = merge(DOCUMENT, [found(("rows", "c.large"), {"name": "c.large", "vcpus": 1})], TODAY).document
    second = merge(first, [FactValue(("rows", "c.large", "vcpus"), 2, "later")], TODAY).document

    assert answered(second, ("rows", "c.large", "name")) == "AWS, 2027-01-15"
    assert answered(second, ("rows", "c.large", "vcpus")) == "later, 2027-01-15"
    assert answered(second, ("rows", "a.large", "vcpus")) is None


def test_a_file_is_one_line_a_row():
    assert written({"a": {"b": [1, {"c": "ü"}]}, "d": []}, 2) == (
        '{\n "a": {\n  "b": [1, {"c": "ü"}]\n },\n "d": []\n}\n'
    )
