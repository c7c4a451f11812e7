"""`accel blocks` against a simulated account: bought once, written into the stack file, seen and extended."""

import json
import re

import pytest
from typer.testing import CliRunner

from accel.cli import app
from capacity.blocks import ledger as ledgers
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
    assert "exceeds the 1 instances in" in result.stderr
    assert place.attempts() == []


def test_a_file_that_is_read_only_loses_no_id_and_the_next_run_writes_it(place):
    offer, before = place.offer(), place.file.read_bytes()
    place.file.chmod(0o444)

    result = place.buy(offer)

    reservation = re.search(r"^Bought: (cr-[0-9a-f]{17})$", result.stdout, re.MULTILINE)[1]
    assert result.exit_code == 1
    assert f"as training: {{reservationId: {reservation}}}" in result.stdout
    assert place.file.read_bytes() == before
    assert [(a.reservation, a.written) for a in place.attempts()] == [(reservation, False)]

    place.file.chmod(0o644)
    again = place.buy(offer)

    assert again.exit_code == 0
    assert f"capacityBlocks.training.reservationId is {reservation}" in again.stdout
    assert [(a.reservation, a.written) for a in place.attempts()] == [(reservation, True)]


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


def test_a_block_is_extended_at_the_price_that_was_shown(place):
    reservation = place.bought()
    (offer,) = json.loads(place("extend", reservation, "--days", 2, "--json").stdout)["offerings"]
    price = ("--max-price", offer["upfrontFee"], "--confirm", offer["upfrontFee"])

    result = place("extend", reservation, "--days", 2, *price)

    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == f"Extended: {reservation} ends {offer['end'][:10]} 11:30 UTC"
    assert json.loads(place("list", "--json").stdout)["blocks"][0]["end"] == offer["end"]
    assert [(a.extends, a.outcome) for a in place.attempts()] == [(None, "bought"), (reservation, "bought")]


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
