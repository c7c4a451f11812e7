"""`accel verify --watch-block`: it waits for the begin of the block and then for its nodes, and refuses at once what would fail hours later."""

from contextlib import contextmanager
from datetime import timedelta

import pytest
from typer.testing import CliRunner

from eks_accelerators.accel.cli import app
from eks_accelerators.accel.verify import block_watch
from eks_accelerators.accel.verify.connection import Connected, VerifyRefusedError
from eks_accelerators.accel.verify.question import VerifyQuestion
from eks_accelerators.capacity.blocks.account_reservations import AccountReservation
from eks_accelerators.verification.cluster import ClusterError
from tests.conftest import NOW
from tests.settings.example import RESERVED
from tests.verification.worlds import PaperCluster, stack_of

BLOCK = "cr-0123456789abcdef0"
STARTS, ENDS = NOW + timedelta(hours=3), NOW + timedelta(hours=27)
QUESTION = VerifyQuestion(watch_block="block")
LAUNCH = timedelta(minutes=9)
"""From the begin of the block to the moment when its nodes are there."""


def bought(**changes):
    made = {
        "id": BLOCK,
        "block_id": None,
        "region": "us-east-2",
        "state": "scheduled",
        "instance_type": "p5.48xlarge",
        "count": 2,
        "available": 2,
        "zone": "us-east-2a",
        "zone_id": "use2-az1",
        "start": STARTS,
        "end": ENDS,
        "tags": {},
    }
    return AccountReservation(**{**made, **changes})


class World:
    """A clock that passes when somebody sleeps, and a cluster whose nodes come after the begin of the block."""

    def __init__(self, monkeypatch, stack, blocks, launch=LAUNCH, answers=True, plugins=timedelta()):
        self.now, self.began, self.launch, self.answers = NOW, [], launch, answers
        self.stack, self.told, self.noted = stack, [], []
        self.plugins = plugins
        self.empty, self.full = PaperCluster(stack, nodes=0), PaperCluster(stack, nodes=2)

        @contextmanager
        def connected(*_):
            yield Connected(self)

        @contextmanager
        def aws_of(*_):
            yield type("Reached", (), {"aws": None})

        monkeypatch.setattr(block_watch, "connected", connected)
        monkeypatch.setattr(block_watch, "aws_of", aws_of)
        monkeypatch.setattr(block_watch, "held", lambda *_: blocks)
        monkeypatch.setattr(block_watch.clock, "now", lambda: self.now)
        monkeypatch.setattr(block_watch.time, "sleep", self.sleep)

    def sleep(self, seconds):
        assert 0 < seconds <= 60
        self.now += timedelta(seconds=seconds)

    def list(self, kind, *arguments):
        if not self.answers:
            raise ClusterError("the API server does not answer")
        there = self.full if self.now >= STARTS + self.launch else self.empty
        listed = there.list(kind, *arguments)
        if kind == "nodes" and self.now < STARTS + self.launch + self.plugins:
            return [{**node, "status": {**node["status"], "allocatable": {"cpu": "192"}}} for node in listed]
        return listed

    def wait(self, question=QUESTION):
        return block_watch.wait_for_block(None, None, self.stack, question, self.told.append, self.noted.append)


@pytest.fixture
def stack():
    return stack_of(RESERVED)


def test_it_waits_for_the_begin_and_then_for_the_nodes(monkeypatch, stack):
    world = World(monkeypatch, stack, [bought(id="cr-another"), bought()])

    found = world.wait()

    assert list(found.groups) == ["gpu"]
    assert timedelta() <= world.now - (STARTS + LAUNCH) < timedelta(seconds=60)
    assert world.told[0] == f"block begins at {STARTS:%Y-%m-%d %H:%M} UTC, in 3:00:00"
    assert world.told[-1] == "0 of 2 nodes ready, 0 of them with their devices"
    assert world.noted == []


def test_nodes_that_are_ready_are_waited_for_until_their_plugins_have_advertised_devices(monkeypatch, stack):
    plugins = timedelta(minutes=3)
    world = World(monkeypatch, stack, [bought()], plugins=plugins)

    world.wait()

    assert timedelta() <= world.now - (STARTS + LAUNCH + plugins) < timedelta(seconds=60)
    assert world.told[-1] == "2 of 2 nodes ready, 0 of them with their devices"


def test_plugins_that_do_not_come_are_not_waited_for_longer_than_nodes(monkeypatch, stack):
    world = World(monkeypatch, stack, [bought()], plugins=timedelta(days=9))

    world.wait()

    assert timedelta(minutes=40) <= world.now - STARTS < timedelta(minutes=41)


def test_a_device_less_than_planned_is_looked_at_and_not_waited_for(monkeypatch, stack):
    world = World(monkeypatch, stack, [bought()])
    for node in world.full.paper.nodes:
        node["status"]["allocatable"]["nvidia.com/gpu"] = "7"

    world.wait()

    assert world.now - (STARTS + LAUNCH) < timedelta(seconds=60)


def test_whose_pods_take_the_nodes_is_said_before_the_wait(monkeypatch):
    job = {"nodeGroup": "gpu", "nodes": 2, "acceleratorsPerNode": 8}
    world = World(monkeypatch, stack_of({**RESERVED, "workloads": {"pytorchJob": {"train": job}}}), [bought()])

    world.wait()

    assert world.noted == [
        "workloads.pytorchJob.train: pods that wait for block take its nodes at once; "
        "what needs idle nodes is not verified"
    ]


def test_nodes_that_do_not_come_are_not_waited_for_longer_than_they_take(monkeypatch, stack):
    world = World(monkeypatch, stack, [bought()], launch=timedelta(days=9))

    world.wait()

    assert timedelta(minutes=40) <= world.now - STARTS < timedelta(minutes=41)


def test_one_that_has_begun_is_looked_at_at_once(monkeypatch, stack):
    world = World(
        monkeypatch, stack, [bought(start=NOW - timedelta(hours=5), state="active")], launch=-timedelta(days=1)
    )

    world.wait()

    assert (world.now, world.told) == (NOW, [])


@pytest.mark.parametrize(
    ("blocks", "said"),
    [
        ([], f"the account has no Capacity Block {BLOCK} in us-east-2"),
        ([bought(end=NOW)], f"{BLOCK} is over since"),
        ([bought(state="payment-failed")], f"{BLOCK} is payment-failed"),
    ],
    ids=["not there", "over", "never paid"],
)
def test_what_will_not_begin_is_refused(monkeypatch, stack, blocks, said):
    world = World(monkeypatch, stack, blocks)

    with pytest.raises(VerifyRefusedError, match=said):
        world.wait()
    assert world.now == NOW


def test_a_cluster_that_does_not_answer_is_told_before_the_wait(monkeypatch, stack):
    world = World(monkeypatch, stack, [bought()], answers=False)

    with pytest.raises(ClusterError):
        world.wait()
    assert world.now == NOW


def test_nobody_is_asked_when_a_block_begins():
    found = CliRunner().invoke(app, ["verify", "prod", "--watch-block", "training", "--level", "thorough"])

    assert found.exit_code == 2
    assert "would ask when the block begins: add --yes" in found.output
