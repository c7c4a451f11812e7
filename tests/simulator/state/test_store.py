"""Where states and journals lie: what was acknowledged is there, whatever was killed, and what does not fit is refused."""

import json
import os
import re

import pytest

from eks_accelerators.simulator.seal import DamageError
from eks_accelerators.simulator.state.locks import is_own, lock, lock_of, locks, process_of
from eks_accelerators.simulator.state.replay import EntryKind, UnknownEntryError
from eks_accelerators.simulator.state.store import StackName, Store
from tests.simulator.state.test_replay import begun, entry, resource, shown

STACK = StackName("shop", "dev")
CREATED = [
    {"sequenceID": 1, **begun(1, "creating", "a")},
    {"sequenceID": 2, **entry(EntryKind.SUCCESS, 1, state=resource("a"))},
]
BEGUN = [{"sequenceID": 3, **begun(2, "creating", "b")}]


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "pulumi"


@pytest.fixture
def store(folder):
    """With a stack in which nothing is deployed, and that an engine has begun to change."""
    store = Store(folder)
    store.create(STACK)
    store.begin(STACK, "v3.250.0", os.getpid())
    return store


def journal_of(folder):
    return folder / "journals" / "shop" / "dev.jsonl"


def checkpoint(folder):
    return json.loads((folder / ".pulumi" / "stacks" / "shop" / "dev.json").read_text())


def killed(folder):
    """What the next command finds."""
    store = Store(folder)
    store.settle()
    return store


def test_a_new_state_is_one_that_the_cli_reads(folder):
    Store(folder).create(STACK)

    assert checkpoint(folder) == {"version": 3, "checkpoint": {"stack": "organization/shop/dev"}}
    assert (folder / ".pulumi" / "meta.yaml").read_text() == "version: 1\n"


def test_there_is_one_state_of_a_stack(store):
    with pytest.raises(FileExistsError):
        store.create(STACK)


def test_the_journal_is_folded_at_the_end(store, folder):
    store.add(STACK, CREATED)
    assert shown(store.deployment(STACK)) == ["a-1"], "while the engine is at work"
    assert "latest" not in checkpoint(folder)["checkpoint"]

    store.end(STACK)
    assert shown(checkpoint(folder)["checkpoint"]["latest"]) == ["a-1"]
    assert journal_of(folder).read_bytes() == b""
    assert locks(folder) == []


def test_what_was_acknowledged_is_there_after_a_kill(store, folder):
    store.add(STACK, CREATED)
    store.add(STACK, BEGUN)

    deployment = killed(folder).deployment(STACK)
    assert shown(deployment) == ["a-1"]
    assert [(each["type"], each["resource"]["id"]) for each in deployment["pending_operations"]] == [
        ("creating", "b-1")
    ]
    assert [process_of(each) for each in locks(folder)] == [os.getpid()], (
        "who was at work is said by whoever removes it"
    )


@pytest.mark.parametrize("lost", range(1, 9))
def test_a_line_that_a_kill_has_torn_was_not_acknowledged(store, folder, lost):
    store.add(STACK, CREATED)
    store.add(STACK, BEGUN)
    journal = journal_of(folder)
    journal.write_bytes(journal.read_bytes()[:-lost])

    deployment = killed(folder).deployment(STACK)
    assert shown(deployment) == ["a-1"]
    assert "pending_operations" not in deployment


def test_a_kill_before_the_first_line_is_whole_changes_nothing(store, folder):
    journal_of(folder).write_bytes(journal_of(folder).read_bytes()[:-1])

    assert killed(folder).deployment(STACK) is None
    assert journal_of(folder).read_bytes() == b""


def test_entries_are_not_folded_into_what_they_have_become(store, folder):
    store.add(STACK, CREATED)
    entries = journal_of(folder).read_bytes()
    store.end(STACK)
    journal_of(folder).write_bytes(entries)

    with pytest.raises(DamageError, match="no longer fits"):
        killed(folder)
    assert shown(checkpoint(folder)["checkpoint"]["latest"]) == ["a-1"]


@pytest.mark.parametrize(
    "last",
    [
        pytest.param("store.write", id="before-the-state-is-written"),
        pytest.param("journal.EngineJournal.empty", id="before-the-journal-is-emptied"),
    ],
)
def test_a_kill_while_it_is_folded_loses_nothing(store, folder, monkeypatch, last):
    store.add(STACK, CREATED)
    with monkeypatch.context() as patch:
        patch.setattr(f"eks_accelerators.simulator.state.{last}", _die)
        with pytest.raises(KeyboardInterrupt):
            store.end(STACK)

    assert shown(killed(folder).deployment(STACK)) == ["a-1"]
    assert journal_of(folder).read_bytes() == b""


def test_a_kill_while_the_journal_of_a_kill_is_folded_loses_nothing(store, folder, monkeypatch):
    store.add(STACK, CREATED)
    store.add(STACK, BEGUN)
    journal_of(folder).write_bytes(journal_of(folder).read_bytes()[:-1])
    with monkeypatch.context() as patch:
        patch.setattr("eks_accelerators.simulator.state.journal.EngineJournal.empty", _die)
        with pytest.raises(KeyboardInterrupt):
            killed(folder)

    assert shown(killed(folder).deployment(STACK)) == ["a-1"]


def _die(*_arguments):
    raise KeyboardInterrupt


def test_a_state_that_somebody_has_changed_meanwhile_is_not_mixed_with_a_journal(store, folder):
    store.add(STACK, CREATED)
    file = store.file(STACK)
    file.write_text(file.read_text().replace('"version": 3', '"version":  3'))

    told = re.escape(f"{file} was changed after a command on it was killed") + ".*" + re.escape(str(journal_of(folder)))
    with pytest.raises(DamageError, match=told):
        killed(folder)


@pytest.mark.parametrize("place", [0, 3, 12, 60])
def test_a_journal_that_is_garbled_is_named(store, folder, place):
    store.add(STACK, CREATED)
    content = bytearray(journal_of(folder).read_bytes())
    content[place] ^= 1
    journal_of(folder).write_bytes(content)

    with pytest.raises(DamageError, match=re.escape(f"{journal_of(folder)} is damaged")):
        killed(folder)


def test_a_journal_without_a_line_in_the_middle_is_named(store, folder):
    store.add(STACK, CREATED)
    store.add(STACK, BEGUN)
    lines = journal_of(folder).read_bytes().splitlines(keepends=True)
    journal_of(folder).write_bytes(lines[0] + lines[2])

    with pytest.raises(DamageError, match="is damaged"):
        killed(folder)


def test_a_journal_whose_state_is_missing_is_named(store, folder):
    store.add(STACK, CREATED)
    store.file(STACK).unlink()

    with pytest.raises(DamageError, match=re.escape(f"{store.file(STACK)} is missing")):
        killed(folder)


def test_an_engine_without_a_journal_sends_its_state(store, folder):
    store.add(STACK, CREATED)
    store.save(STACK, {"resources": [resource("b", viewOf="urn")]})

    assert shown(store.deployment(STACK)) == ["b-1"]
    assert (checkpoint(folder)["version"], checkpoint(folder)["features"]) == (4, ["views"])
    assert shown(killed(folder).deployment(STACK)) == ["b-1"]


def test_what_is_not_known_is_not_written(store, folder):
    before = journal_of(folder).read_bytes()
    with pytest.raises(UnknownEntryError):
        store.add(STACK, [{"sequenceID": 1, **entry(99)}])

    assert journal_of(folder).read_bytes() == before


def test_nothing_is_added_once_it_was_settled(store):
    """A request of an engine that was killed may still be on its way."""
    store.settle()
    with pytest.raises(LookupError):
        store.add(STACK, CREATED)


def test_somebody_who_runs_the_cli_is_heeded(folder):
    theirs = lock_of(folder, "shop", "dev").with_name("other.json")
    store = Store(folder)
    store.create(STACK)
    lock(theirs, 1)

    with pytest.raises(FileExistsError):
        store.begin(STACK, "v3.250.0", os.getpid())
    assert [is_own(each) for each in locks(folder)] == [False]
