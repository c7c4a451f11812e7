"""The journal of an account: what a kill leaves goes on, and everything else that is not whole is refused in a line."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eks_accelerators.simulator.aws.journal import Journal, JournalError

ENTRIES = [
    {"service": "ec2", "operation": "create_vpc", "parameters": {"CidrBlock": f"10.{n}.0.0/16"}} for n in range(8)
]


@pytest.fixture
def path(tmp_path):
    """A journal of eight lines."""
    journal = Journal(tmp_path / "aws.jsonl")
    for entry in ENTRIES:
        journal.add(entry)
    return journal.path


def had(path):
    return [{key: value for key, value in entry.items() if key != "check"} for entry in Journal(path).entries()]


def test_what_was_written_is_had_again_and_goes_on(path):
    journal = Journal(path)
    assert list(journal.entries()) == ENTRIES
    journal.add({"clock": "2026-11-23T09:00:00+00:00"})

    assert had(path) == [*ENTRIES, {"clock": "2026-11-23T09:00:00+00:00"}]


def test_a_journal_that_is_not_there_is_empty(tmp_path):
    assert had(tmp_path / "aws.jsonl") == []


@pytest.mark.parametrize("line", range(8))
@pytest.mark.parametrize("part", [0.0, 0.01, 0.5, 0.99], ids=lambda part: f"{part:.0%}")
def test_a_process_that_is_killed_while_it_writes_leaves_the_lines_before(path, line, part):
    """A line is written and then the end: a kill leaves part of the line, or all of it, without the end."""
    lines = path.read_bytes().splitlines(keepends=True)
    journal = Journal(path.with_name("killed.jsonl"))
    journal.begin()
    for entry in ENTRIES[:line]:
        journal.add(entry)
    torn = lines[line][: round(len(lines[line]) * part)]
    with journal.path.open("ab") as file:
        file.write(torn)

    again = Journal(journal.path)
    assert list(again.entries()) == ENTRIES[:line]
    again.add(ENTRIES[line])
    assert had(journal.path) == ENTRIES[: line + 1]


def test_a_line_that_has_no_end_yet_counts(path):
    end = path.with_suffix(".end").read_bytes()
    journal = Journal(path)
    list(journal.entries())
    journal.add(ENTRIES[0])
    path.with_suffix(".end").write_bytes(end)

    assert had(path) == [*ENTRIES, ENTRIES[0]]
    assert path.with_suffix(".end").read_bytes() != end, "a second kill would leave two lines without an end"


LINES = "has {} lines, and aws.end says 8; start again with --fresh"


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        pytest.param(lambda lines: lines[:2], LINES.format(2), id="cut-to-a-quarter"),
        pytest.param(lambda lines: lines[:7], LINES.format(7), id="without-the-last"),
        pytest.param(lambda lines: [], LINES.format(0), id="empty"),
        pytest.param(lambda lines: [*lines[:3], *lines[4:]], LINES.format(7), id="without-one-in-the-middle"),
        pytest.param(lambda lines: [lines[1], lines[0], *lines[2:]], "damaged in line 1", id="another-order"),
        pytest.param(lambda lines: [*lines, lines[7]], "damaged in line 9", id="the-last-one-twice"),
        pytest.param(lambda lines: [*lines[:7], lines[7][:-9]], "damaged in line 8", id="a-last-line-that-had-an-end"),
        pytest.param(lambda lines: [*lines[:4], b"\0" * 90 + b"\n", *lines[5:]], "damaged in line 5", id="zeros"),
        pytest.param(lambda lines: [line.replace(b"10.4", b"10.5") for line in lines], "line 5", id="another-number"),
        pytest.param(lambda lines: [b"{}\n"] * 8, "damaged in line 1", id="objects"),
    ],
)
def test_whatever_else_is_not_whole_is_said(path, damage, words):
    path.write_bytes(b"".join(damage(path.read_bytes().splitlines(keepends=True))))

    with pytest.raises(JournalError) as refused:
        had(path)
    assert str(refused.value).startswith(str(path))
    assert words in str(refused.value)


@pytest.mark.parametrize("content", [None, b"", b"8", b"8 xyz", b"\0" * 11, b"8 00000000\n", b"\xff\xfe"])
def test_an_end_that_is_not_whole_is_said(path, content):
    end = path.with_suffix(".end")
    end.unlink()
    if content is not None:
        end.write_bytes(content)

    with pytest.raises(JournalError, match=r"aws\.end.*start again with --fresh"):
        had(path)


@pytest.mark.parametrize("suffix", [".jsonl", ".end"])
def test_a_file_that_cannot_be_read_is_said(path, suffix):
    unreadable = path.with_suffix(suffix)
    unreadable.unlink()
    unreadable.mkdir()

    with pytest.raises(JournalError, match=rf"aws\{suffix} cannot be read: Is a directory; make it readable"):
        had(path)


@given(st.data())
def test_no_byte_changes_in_silence(tmp_path_factory, data):
    journal = Journal(Path(tmp_path_factory.mktemp("journal")) / "aws.jsonl")
    for entry in ENTRIES[:3]:
        journal.add(entry)
    content = bytearray(journal.path.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] = data.draw(st.integers(0, 255).filter(lambda byte: byte != content[place]))
    journal.path.write_bytes(content)

    with pytest.raises(JournalError):
        json.dumps(list(Journal(journal.path).entries()))
