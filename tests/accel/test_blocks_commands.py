"""`accel blocks` against a simulated account: bought once, written into the stack file, seen and extended."""

import json
import re
import shlex

import pytest
from typer.testing import CliRunner

from eks_accelerators.accel.cli import app
from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.capacity.blocks import ledger as ledgers
from eks_accelerators.settings.stack_file_edit import CannotEditError
from eks_accelerators.simulator.aws.model import ACCOUNT_ID
from tests.accel.plans import ROOT

BEFORE = """\
    training:
      reservationId: cr-0123456789abcdef0 # an example: write the ID of your reservation
      expect: {instanceType: p5.48xlarge, instanceCount: 4}
"""
TO_BE_BOUGHT = """\
    training: # to be bought
      expect: {instanceType: p5.48xlarge, instanceCount: 4}
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A stack whose Capacity Block is yet to be bought, and the command line over a simulation of its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return Place(tmp_path)


class Place:
    def __init__(self, folder):
        self.file, self.simulation = folder / "Pulumi.prod.yaml", folder / "simulation"
        text = (ROOT / "stacks" / "Pulumi.prod.yaml").read_text(encoding="utf-8")
        assert BEFORE in text
        self.file.write_text(text.replace(BEFORE, TO_BE_BOUGHT), encoding="utf-8")

    def rewrite(self, before, after):
        text = self.file.read_text(encoding="utf-8")
        assert before in text
        self.file.write_text(text.replace(before, after), encoding="utf-8")

    def move(self, file):
        """Go on with another stack, which has the same in its file and no ID yet; the account stays."""
        text = self.file.read_text(encoding="utf-8")
        file.write_text(re.sub(" +reservationId: cr-.*\n", "", text), encoding="utf-8")
        self.file = file

    def __call__(self, command, *arguments):
        words = ["--simulation", self.simulation, "blocks", command, *arguments, "--stack", self.file]
        return CliRunner().invoke(app, [str(word) for word in words])

    def offer(self, days=2, index=0):
        return json.loads(self("search", "--group", "h100", "--days", days, "--json").stdout)["offerings"][index]

    def buy(self, offer, *arguments):
        price = ("--max-price", offer["upfrontFee"], "--confirm", offer["upfrontFee"])
        return self("buy", offer["id"], "--group", "h100", *price, *arguments)

    def bought(self):
        result = self.buy(self.offer(), "--json")
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)["reservation"]

    def attempts(self):
        return ledgers.attempts(self.simulation)


def test_search_buy_and_the_id_is_in_the_file(place):
    before, offer = place.file.read_text(encoding="utf-8"), place.offer()

    result = place.buy(offer)

    assert result.exit_code == 0
    reservation = re.search(r"^Bought: (cr-[0-9a-f]{17})$", result.stdout, re.MULTILINE)[1]
    assert result.stdout.splitlines()[-1] == f"{place.file}: capacityBlocks.training.reservationId is {reservation}"
    assert "It is paid at once. It cannot be cancelled, changed or refunded." in result.stdout
    line = "      notificationEmail: ml-platform@example.com\n"
    assert place.file.read_text(encoding="utf-8") == before.replace(line, f"{line}      reservationId: {reservation}\n")
    assert [(a.outcome, a.reservation, a.written) for a in place.attempts()] == [("bought", reservation, True)]


def test_the_second_time_nothing_is_bought(place):
    offer = place.offer()
    place.buy(offer)

    again = place.buy(offer)

    assert (again.exit_code, again.stdout) == (2, "")
    assert re.fullmatch(r"Bought already, as cr-[0-9a-f]{17}\. Nothing was bought now\.\n", again.stderr)
    assert len(place.attempts()) == 1


def test_another_block_for_the_same_time_is_refused(place):
    place.bought()
    first = next(block for block in json.loads(place("list", "--json").stdout)["blocks"])
    found = json.loads(place("search", "--group", "h100", "--days", 3, "--json").stdout)["offerings"]
    offer = next(each for each in found if each["start"] <= first["end"])

    result = place.buy(offer, "--block", "second")

    assert result.exit_code == 2
    assert f"the stack prod holds {first['id']} already" in result.stderr


def test_a_dry_run_buys_nothing(place):
    offer = place.offer()

    result = place("buy", offer["id"], "--group", "h100", "--max-price", "99999", "--dry-run")

    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == "Dry run: AWS would take the order. Nothing was bought."
    assert place.attempts() == []


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        pytest.param(["--max-price", "1"], "above the limit of 1 USD", id="above-the-ceiling"),
        pytest.param(["--max-price", "99999"], "to buy, add --confirm ", id="nobody-at-the-terminal"),
        pytest.param(["--max-price", "99999", "--confirm", "1.00"], "and 1.00 was given", id="another-price"),
        pytest.param(["--max-price", "99999", "--confirm", "yes"], "and yes was given", id="no-price"),
        pytest.param(["--max-price", "lots"], "--max-price lots: write a price in USD", id="no-ceiling"),
        pytest.param(["--max-price", "inf"], "--max-price inf: write a price in USD", id="an-endless-ceiling"),
        pytest.param(["--max-price", "99999", "--count", "8"], "and not what --type, --count", id="another-size"),
        pytest.param(["--max-price", "99999", "--group", "l4-shared"], "names no capacityBlock", id="no-block"),
    ],
)
def test_what_is_refused_buys_nothing(place, arguments, line):
    offer = place.offer()
    before = place.file.read_bytes()

    result = place("buy", offer["id"], "--group", "h100", *arguments)

    assert (result.exit_code, place.attempts(), place.file.read_bytes()) == (2, [], before)
    assert line in result.stderr
    assert "Traceback" not in result.output


def test_what_was_never_shown_is_not_bought_by_its_id_alone(place):
    result = place("buy", "cb-0123456789abcdef0", "--max-price", "1")

    assert result.exit_code == 2
    assert "`accel blocks search` has not shown cb-0123456789abcdef0 on this machine" in result.stderr


def test_a_block_that_does_not_suit_the_group_is_refused(place):
    found = json.loads(place("search", "--group", "h100", "--count", 1, "--days", 1, "--json").stdout)["offerings"]

    result = place.buy(found[0])

    assert result.exit_code == 2
    assert "exceeds the 1 instance in" in result.stderr
    assert place.attempts() == []


LAST = "      notificationEmail: ml-platform@example.com\n"
UNEDITABLE = {
    "read-only": (None, "is read-only"),
    "a-tab-before-a-comment": ((LAST, LAST.replace("\n", "\t# told\n")), "found character '\\t'"),
    "an-alias-on-the-block": (
        (
            "    training: # to be bought\n",
            "    spare: &block\n      expect: {instanceCount: 4}\n    training: *block\n    was:\n",
        ),
        "written in a way that this edit would break",
    ),
    "a-folded-scalar-last": (
        (LAST, "      notificationEmail: >-\n        ml-platform@example.com\n"),
        "not valid YAML: ",
    ),
}


@pytest.mark.parametrize("dry", [["--dry-run"], []], ids=["dry-run", "for-money"])
@pytest.mark.parametrize(("change", "why"), UNEDITABLE.values(), ids=UNEDITABLE)
def test_a_file_that_would_not_take_the_id_is_known_before_it_is_paid(place, change, why, dry):
    offer = place.offer()
    if change is None:
        place.file.chmod(0o444)
    else:
        place.rewrite(*change)
    before = place.file.read_bytes()

    result = place.buy(offer, *dry)

    assert (result.exit_code, result.stdout, place.attempts(), place.file.read_bytes()) == (2, "", [], before)
    assert f"not bought: the ID could not be written into {place.file} afterwards: " in result.stderr
    assert why in result.stderr


def test_a_folder_that_takes_no_file_is_known_before_it_is_paid(place, monkeypatch):
    """The file is replaced whole: the new one has to find room beside it."""
    offer = place.offer()
    monkeypatch.setattr("eks_accelerators.settings.stack_file_edit.os.fsync", no_space)

    result = place.buy(offer)

    assert (result.exit_code, place.attempts()) == (2, [])
    assert "no space left" in result.stderr
    assert [each.name for each in place.file.parent.iterdir() if ".new" in each.name] == []


def no_space(_descriptor):
    raise OSError(28, "no space left")


def test_a_file_that_breaks_meanwhile_loses_no_id_and_the_next_run_writes_it(place, monkeypatch):
    offer, before = place.offer(), place.file.read_bytes()

    def fail(path, block, reservation):
        raise CannotEditError("it went away")

    with monkeypatch.context() as patched:
        patched.setattr("eks_accelerators.accel.blocks.buy.write_reservation", fail)
        result = place.buy(offer)

    reservation = re.search(r"^Bought: (cr-[0-9a-f]{17})$", result.stdout, re.MULTILINE)[1]
    assert result.exit_code == ExitStatus.FAILED
    assert f"as training: {{reservationId: {reservation}}}" in result.stdout
    assert place.file.read_bytes() == before
    assert [(a.reservation, a.written) for a in place.attempts()] == [(reservation, False)]

    again = place.buy(offer)

    assert again.exit_code == 0
    assert f"capacityBlocks.training.reservationId is {reservation}" in again.stdout
    assert [(a.reservation, a.written) for a in place.attempts()] == [(reservation, True)]


def test_another_stack_or_key_does_not_get_what_was_bought(place, tmp_path):
    offer = place.offer()
    reservation = json.loads(place.buy(offer, "--json").stdout)["reservation"]
    owner = f"Bought already, as {reservation}. Nothing was bought now.\nIt was bought for capacityBlocks.training of the stack prod"

    key = place.buy(offer, "--block", "second")
    place.move(tmp_path / "Pulumi.dev.yaml")
    stack = place.buy(offer)

    for result in (key, stack):
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(owner)
    assert reservation not in place.file.read_text(encoding="utf-8")
    assert len(place.attempts()) == 1


def test_the_account_is_shown_before_anything_is_bought(place):
    offer = place.offer()

    dry = place("buy", offer["id"], "--group", "h100", "--max-price", "99999", "--dry-run")
    answer = json.loads(place.buy(offer, "--json").stdout)

    assert f"  where  {offer['zone']}, us-east-2, account {ACCOUNT_ID}\n" in dry.stdout
    assert answer["account"] == ACCOUNT_ID


def test_what_was_bought_is_listed_shown_and_on_the_calendar(place):
    reservation = place.bought()

    listed, shown = (json.loads(place(*words, "--json").stdout) for words in (["list"], ["show", reservation]))
    drawn = json.loads(place("calendar", "--json").stdout)

    (block,) = listed["blocks"]
    assert (block["id"], block["state"], block["instanceCount"], block["usedBy"]) == (
        reservation,
        "scheduled",
        4,
        "h100",
    )
    assert shown["tags"]["eks-accelerators/capacity-block-stack"] == "prod"
    assert [lane["name"] for lane in drawn["lanes"]] == ["h100"]
    assert place("status").stdout == "No active Capacity Block in us-east-2\n"
    assert f"{reservation} is scheduled" in place("watch", reservation).stdout


def until_of(offer):
    return ("--until", f"{offer['end'][:10]}T11:30")


def test_a_block_is_extended_at_the_price_that_was_shown(place):
    reservation = place.bought()
    shown = place("extend", reservation, "--days", 2).stdout
    (offer,) = json.loads(place("extend", reservation, "--days", 2, "--json").stdout)["offerings"]
    words = shlex.split(shown.splitlines()[-1].partition("To buy it: ")[2])

    result = place(*words[words.index("extend") : -2], *words[-2:], "--confirm", offer["upfrontFee"])

    assert result.exit_code == 0
    assert f"  where  account {ACCOUNT_ID}\n" in shown
    assert result.stdout.splitlines()[-1] == f"Extended: {reservation} ends {offer['end'][:10]} 11:30 UTC"
    assert json.loads(place("list", "--json").stdout)["blocks"][0]["end"] == offer["end"]
    assert [(a.extends, a.outcome) for a in place.attempts()] == [(None, "bought"), (reservation, "bought")]


def test_the_same_extension_is_bought_once_however_the_end_is_written(place):
    reservation = place.bought()
    (offer,) = json.loads(place("extend", reservation, "--days", 2, "--json").stdout)["offerings"]
    price = ("--max-price", offer["upfrontFee"], "--confirm", offer["upfrontFee"])
    assert place("extend", reservation, *until_of(offer), *price).exit_code == 0

    day = offer["end"][:10]
    for end in (day, f"{day}T11:30", f"{day}T12:30:00+01:00"):
        again = place("extend", reservation, "--until", end, *price)
        assert (again.exit_code, again.stdout) == (2, "")
        assert again.stderr == f"{reservation} is extended until {day} 11:30 UTC already\n"
    assert len(place.attempts()) == 2


@pytest.mark.parametrize(
    ("words", "line"),
    [
        pytest.param([], "until when? Say either --until", id="no-end"),
        pytest.param(["--days", "2", "--until", "2026-12-09"], "until when? Say either --until", id="both"),
        pytest.param(["--until", "soon"], "--until soon: write a day or a time, such as 20", id="no-time"),
        pytest.param(["--until", "+2d"], "--until +2d: write a day or a time", id="from-now-on"),
        pytest.param(["--days", "2", "--max-price", "99999"], "T11:30 in place of --days 2", id="days-for-money"),
    ],
)
def test_an_extension_names_its_end(place, words, line):
    reservation = place.bought()

    result = place("extend", reservation, *words)

    assert (result.exit_code, result.stdout, len(place.attempts())) == (2, "", 1)
    assert line in result.stderr


def test_a_page_is_written(place, tmp_path):
    reservation = place.bought()

    result = place("calendar", "--html", tmp_path / "blocks.html")

    assert result.exit_code == 0
    assert f"{reservation}<br>4 x p5.48xlarge" in (tmp_path / "blocks.html").read_text(encoding="utf-8")
    assert place("calendar", "--html", tmp_path).exit_code == 2


@pytest.mark.parametrize(
    "words",
    [
        ["show", "cr-0fffffffffffffff0"],
        ["extend", "cr-0fffffffffffffff0", "--days", "2"],
        ["watch", "cr-0fffffffffffffff0"],
    ],
    ids=lambda words: words[0],
)
def test_a_block_that_is_not_there(place, words):
    result = place(*words)

    assert (result.exit_code, result.stderr) == (2, "there is no Capacity Block cr-0fffffffffffffff0 in us-east-2\n")


def test_there_is_nothing_to_clear(place):
    result = place("clear", "cb-0123456789abcdef0")

    assert result.exit_code == 2
    assert result.stderr == "there is no purchase of cb-0123456789abcdef0 without a known outcome\n"


def test_two_at_once(place):
    offer = place.offer()
    with ledgers.alone(place.simulation):
        result = place.buy(offer)

    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "another purchase is being made on this machine; wait for it\n"
