"""A Capacity Block is paid at once and never given back: wherever a purchase breaks off, it is made once."""

import json
import os
import shutil
import signal
import subprocess
import sys

import pulumi_aws
import pytest
from typer.testing import CliRunner

from eks_accelerators.accel.cli import app
from eks_accelerators.components import CapacityBlockPurchase
from eks_accelerators.simulator.aws.errors import AwsError
from eks_accelerators.simulator.aws.world import put
from eks_accelerators.simulator.engine import Program
from eks_accelerators.simulator.providers.faults import Fault
from eks_accelerators.simulator.simulation import opened
from tests.simulator.crashes.how_much import ALL
from tests.simulator.crashes.sabotage import Killer
from tests.simulator.crashes.stacks import FLAGS, PROJECT, STACK, buying, naming
from tests.simulator.lives import ACCOUNT, BLOCK, NEXT_BLOCK, OFFERING
from tests.simulator.worlds import NOW, simulation, stack_file
from tests.simulator.worlds import PROJECT as REPOSITORY

pytestmark = pytest.mark.slow

RESERVATION = "aws:ec2/capacityBlockReservation:CapacityBlockReservation"
PURCHASE = {
    "region": "us-east-2",
    "offering_id": OFFERING,
    "instance_type": "p5.48xlarge",
    "instance_count": 4,
    "duration_hours": 48,
    "start": "2026-12-01T11:30:00Z",
    "max_upfront_fee_usd": "9000",
    "confirmation": f"Buy {OFFERING} for at most 9000 USD; I know it cannot be cancelled or refunded.",
}


def buys():
    purchase = CapacityBlockPurchase("training", PURCHASE)
    # Comes after it, so that the engine is still at work when the purchase is done.
    pulumi_aws.sns.Topic("delivered", tags={"block": purchase.reservation_id})


PROGRAM = Program(buys, PROJECT, STACK, {})


@pytest.fixture
def shop(engines, tmp_path):
    """A simulated account in which an offering is on sale."""
    with opened(tmp_path / "state", engines, region="us-east-2", now=NOW, world=ACCOUNT, kubernetes=False) as sim:
        yield sim


def up(sim, program=PROGRAM, **options):
    """Run the program; what it buys AWS would sell again."""
    outcome = sim.run("up", program, **{"flags": FLAGS, **options})
    put(sim.account.state, {"capacityBlockOfferings": ACCOUNT["capacityBlockOfferings"]}, sim.account.backend.zone)
    return outcome


def bought(sim):
    """Reservations, as often as they were paid for."""
    return [done.id for done in sim.done if (done.action, done.token) == ("create", RESERVATION)]


class KilledBefore(Fault):
    """The engine is killed when it has asked for the purchase, and AWS never hears of it."""

    def __init__(self, sim):
        super().__init__("any")
        self._simulation = sim

    def strikes(self, action, token, name):
        os.kill(self._simulation.engine.process(), signal.SIGKILL)
        return True


def killed(sim, program=PROGRAM, *, recorded):
    killer = Killer(sim, recorded=recorded, wanted=lambda operation: operation[1] == RESERVATION)
    with killer.at_work():
        outcome = up(sim, program, faults=[killer], listen=killer.hear)
    assert outcome.crashed, outcome.errors


def its_answer_is_lost(sim):
    """AWS has sold it, and the provider hears of an error."""

    def lose(done):
        raise AwsError("RequestTimeout", "the answer never came")

    sim.watch = lose
    outcome = up(sim)
    sim.watch = lambda _done: None
    assert any("the answer never came" in error for error in outcome.errors)


def its_state_is_lost(sim):
    assert up(sim).ok
    shutil.rmtree(sim.engine.backend / ".pulumi")


def killed_between(sim):
    killed(sim, recorded=False)


def test_killed_before_the_purchase_the_next_run_makes_it(shop):
    assert up(shop, faults=[KilledBefore(shop)]).crashed
    assert bought(shop) == []

    assert up(shop).ok
    assert len(bought(shop)) == 1
    assert up(shop).changes == {}


def test_killed_when_the_purchase_is_written_down_the_next_run_goes_on(shop):
    killed(shop, recorded=True)
    assert len(bought(shop)) == 1

    assert up(shop).ok
    assert up(shop).changes == {}
    assert len(bought(shop)) == 1


@pytest.mark.parametrize(
    "broken_off",
    [
        killed_between,
        pytest.param(its_answer_is_lost, marks=pytest.mark.thorough),
        pytest.param(its_state_is_lost, marks=pytest.mark.thorough),
    ],
)
def test_a_purchase_that_the_engine_does_not_know_is_not_made_again(shop, broken_off):
    broken_off(shop)
    (reservation,) = bought(shop)

    for action, flags in [("up", FLAGS), ("preview", ()), ("refresh", ("--clear-pending-creates",)), ("up", FLAGS)]:
        outcome = shop.run(action, PROGRAM, flags=flags)
        told = f"{OFFERING} was bought already, as {reservation} (scheduled). Write that as reservationId"
        assert action == "refresh" or any(told in error for error in outcome.errors), outcome.errors
    assert bought(shop) == [reservation]


COMMAND = """
import os, signal, sys
from pathlib import Path
from eks_accelerators.simulator.engines import find
from eks_accelerators.simulator.simulation import opened
from tests.simulator.crashes.test_purchase import ACCOUNT, NOW, PROGRAM

with opened(Path(sys.argv[1]), find(), region="us-east-2", now=NOW, world=ACCOUNT, kubernetes=False) as sim:
    sim.watch = lambda done: os.kill(os.getpid(), signal.SIGKILL)
    sim.run("up", PROGRAM)
"""


def test_a_command_that_is_killed_with_all_it_knows_has_bought_once(engines, tmp_path):
    command = [sys.executable, "-c", COMMAND, str(tmp_path / "state")]
    assert subprocess.run(command, cwd=REPOSITORY, check=False).returncode == -signal.SIGKILL

    with opened(tmp_path / "state", engines, region="us-east-2", now=NOW, kubernetes=False) as sim:
        (reservation,) = sim.account.state.blocks.keys() - {BLOCK, NEXT_BLOCK}
        errors = up(sim).errors
        assert any(f"{OFFERING} was bought already, as {reservation}" in error for error in errors), errors
        assert bought(sim) == []


KILLED_COMMAND = """
import os, signal, sys
from eks_accelerators.accel.cli import app
from eks_accelerators.capacity.blocks.ledger import Ledger
from eks_accelerators.simulator.aws.account import Account

step, words = sys.argv[1], sys.argv[2:]

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

def killed_after(kind, name, is_it=lambda *_, **__: True):
    real = getattr(kind, name)
    def then(*given, **named):
        found = real(*given, **named)
        if is_it(*given, **named):
            die()
        return found
    setattr(kind, name, then)

def pays(_account, _service, operation, **parameters):
    return operation == "purchase_capacity_block_extension" and not parameters.get("DryRun")

if step == "before-the-call":
    killed_after(Ledger, "intend")
elif step == "when-aws-has-answered":
    killed_after(Account, "call", pays)
elif step == "before-it-is-written-down":
    Ledger.settle = die
elif step == "when-it-is-written-down":
    killed_after(Ledger, "settle")
app(words)
"""


class Extending:
    """A block in a simulated account, extended by commands: in processes that may be killed, or here."""

    def __init__(self, folder, file):
        self._journal = folder / "simulation" / "aws.jsonl"
        self._simulated = ["--simulation", str(folder / "simulation"), "blocks"]
        self._stack = ["--stack", str(file)]
        shown = self.run("extend", BLOCK, "--days", "2", "--json")
        (offer,) = json.loads(shown.stdout)["offerings"]
        price = ["--max-price", offer["upfrontFee"], "--confirm", offer["upfrontFee"]]
        self.words = ["extend", BLOCK, "--until", offer["end"][:10], *price]

    def run(self, *words):
        return CliRunner().invoke(app, [*self._simulated, *words, *self._stack])

    def start(self, step):
        command = [sys.executable, "-c", KILLED_COMMAND, step, *self._simulated, *self.words, *self._stack]
        return subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def extensions(self):
        """How many were paid for."""
        return self._journal.read_text().count('"purchase_capacity_block_extension"')


@pytest.fixture
def extending(tmp_path):
    return Extending(tmp_path, stack_file(tmp_path / "stacks", "prod"))


STEPS = {
    "before-the-call": (0, 2, "has no known outcome"),
    "when-aws-has-answered": (1, 0, "by a run of"),
    "before-it-is-written-down": (1, 0, "by a run of"),
    "when-it-is-written-down": (1, 2, "is extended until"),
}


@pytest.mark.thorough
@pytest.mark.parametrize(("step", "expected"), STEPS.items(), ids=STEPS)
def test_an_extension_that_is_killed_and_asked_for_again_is_bought_once(extending, step, expected):
    paid, status, told = expected
    assert extending.start(step).wait(timeout=120) == -signal.SIGKILL
    assert extending.extensions() == paid

    again = extending.run(*extending.words)

    assert again.exit_code == status, again.output
    assert told in again.output
    assert extending.run(*extending.words).exit_code == 2
    assert extending.extensions() == paid


@pytest.mark.thorough
def test_two_extensions_at_once_and_one_after_them_are_one(extending):
    both = [extending.start("never") for _ in range(2)]
    statuses = [process.wait(timeout=120) for process in both]

    assert sorted(statuses) == [0, 2]
    assert extending.run(*extending.words).exit_code == 2
    assert extending.extensions() == 1


@pytest.mark.skipif(not ALL, reason="a matter of `make crash-matrix`")
@pytest.mark.parametrize("recorded", [True, False], ids=["recorded", "unrecorded"])
def test_prod_buys_once(engines, folder, recorded):
    stack = buying(folder)
    with simulation(folder, engines, stack) as sim:
        sim.account.set_up(ACCOUNT)
        killed(sim, stack.program, recorded=recorded)
        (reservation,) = bought(sim)
        outcome = up(sim, stack.program)
        if not recorded:
            assert any(f"was bought already, as {reservation}" in error for error in outcome.errors)
            stack = naming(folder, reservation)
            outcome = up(sim, stack.program)
        assert outcome.ok, outcome.errors
        assert up(sim, stack.program).changes == {}
        assert bought(sim) == [reservation]
