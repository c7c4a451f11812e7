"""The page about simulated AWS says what the models are."""

import re

from eks_accelerators.simulator import models_page
from eks_accelerators.simulator.aws.operations import HANDLERS
from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.providers.aws import CHAPTERS, KINDS


def test_the_written_page_is_current():
    assert models_page.PATH.read_text(encoding="utf-8") == models_page.page(), (
        "run `python -m eks_accelerators.simulator.models_page`"
    )


def test_it_has_every_kind_and_every_property_once():
    """Of an object that replaces in part, the part is listed too."""
    listed = dict(re.findall(r"^#### (.+?)$(.+?)(?=^##)", models_page.page(), re.MULTILINE | re.DOTALL))

    for kind in KINDS.values():
        section = listed[kind.__class__.__doc__.split("`")[1]]
        rows = re.findall(r"^- (?:In place|Replaces|No change is known): (.+)$", section, re.MULTILINE)
        names = [name for row in rows for name in re.findall(r"`([^`]+)`", row) if "." not in name]
        assert sorted(names) == sorted(kind.properties)


def test_it_has_every_operation_of_ours_once():
    found = re.findall(r"^- \*\*(.+)\*\*", models_page.page(), re.MULTILINE)

    assert sorted(found) == sorted(".".join(each) for each in HANDLERS)


def test_every_operation_has_a_source():
    assert [each.name for each in HANDLERS.values() if not each.chapter.source] == []


def test_every_operation_says_what_it_does():
    assert [each.name for each in HANDLERS.values() if not each.handler.__doc__] == []


def test_every_kind_is_in_a_chapter_with_a_source():
    assert {kind for kinds in CHAPTERS.values() for kind in kinds} == set(KINDS.values())
    assert [chapter.title for chapter in CHAPTERS if not chapter.source] == []


def test_a_chapter_is_called_as_its_module_says():
    chapter = Chapter("Things that are lent.\n\n    One at\n    a time.\n    ", source="the library's rules")

    assert (chapter.title, chapter.about) == ("Things that are lent", "One at a time.")
