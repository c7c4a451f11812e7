"""The ledger: nothing in it is lost, and what a crash cut short does no harm."""

import sys

import pytest
from platformdirs.macos import MacOS

from eks_accelerators.capacity.blocks import ledger as ledgers
from eks_accelerators.capacity.blocks.ledger import FILE, LedgerError, PurchaseOutcome
from eks_accelerators.capacity.blocks.state_folder import NAME, state_folder
from tests.accel.plans import ROOT
from tests.capacity.blocks.offers import NOW, OFFER

WHAT = {"account": "1", "region": "us-east-2", "request": "r", "offering": OFFER, "what": "4 x p5.48xlarge"}


def filled(folder):
    with ledgers.alone(folder) as ledger:
        attempt = ledger.intend(NOW, **WHAT, stack="prod", block="training")
        bought = ledger.settle(attempt, PurchaseOutcome.BOUGHT, reservation="cr-1")
        ledger.written(bought)
    return bought


def test_what_was_written_is_read(tmp_path):
    bought = filled(tmp_path)

    (read,) = ledgers.attempts(tmp_path)

    assert (read.outcome, read.reservation, read.written, read.at, read.stack) == (
        PurchaseOutcome.BOUGHT,
        "cr-1",
        True,
        NOW,
        "prod",
    )
    assert read.id == bought.id
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0


def test_no_ledger_is_an_empty_one(tmp_path):
    assert ledgers.attempts(tmp_path / "nowhere") == []


def test_any_prefix_of_the_file_is_a_ledger_that_can_go_on(tmp_path):
    filled(tmp_path)
    whole = (tmp_path / FILE).read_bytes()
    ends = [0, *(index + 1 for index, byte in enumerate(whole) if byte == ord("\n"))]

    for length in range(len(whole) + 1):
        (tmp_path / FILE).write_bytes(whole[:length])
        with ledgers.alone(tmp_path) as ledger:
            ledger.intend(NOW, **WHAT)
        found = ledgers.attempts(tmp_path)
        assert len(found) == (1 if length < ends[1] else 2)
        assert found[-1].outcome is PurchaseOutcome.INTENDED
        if length >= ends[2]:
            assert found[0].reservation == "cr-1"


@pytest.mark.parametrize("line", [b"garbage\n", b"[]\n", b'{"event": "bought", "id": "unknown"}\n'])
def test_a_damaged_ledger_stops_everything(tmp_path, line):
    filled(tmp_path)
    with (tmp_path / FILE).open("ab") as file:
        file.write(line)

    with pytest.raises(LedgerError, match="is damaged in line 4: fix it before anything is bought"):
        ledgers.attempts(tmp_path)


def test_a_folder_that_cannot_be_made_stops_everything(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(LedgerError, match="which cannot be"), ledgers.alone(tmp_path / "file"):
        pass


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other places")
def test_the_folder_is_that_of_the_user(monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", "/somewhere")
    assert str(state_folder()) == "/somewhere/eks-accelerators"
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", "/home/ada")
    assert str(state_folder()) == "/home/ada/.local/state/eks-accelerators"


def test_the_folder_on_macos_is_where_the_documentation_says(monkeypatch):
    """A ledger that is looked for elsewhere after an upgrade is one that has forgotten what was bought."""
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setenv("HOME", "/Users/ada")
    folder = MacOS(NAME, appauthor=False).user_state_dir

    assert folder == "/Users/ada/Library/Application Support/eks-accelerators"
    assert f"macOS `{folder.replace('/Users/ada', '~')}`" in (ROOT / "docs/capacity-blocks.md").read_text()


def test_a_relative_folder_is_passed_over(monkeypatch):
    """As the XDG specification has it: it would be another ledger in every folder that a command is run in."""
    monkeypatch.setenv("XDG_STATE_HOME", "state")

    assert state_folder().is_absolute()
