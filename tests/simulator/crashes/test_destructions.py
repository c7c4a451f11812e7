"""A destruction writes its state once, at its end: where its engine is killed before, the next run knows what it deleted."""

import os
import signal

import pytest

from tests.simulator.crashes.stacks import FLAGS
from tests.simulator.worlds import load, simulation

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(1800)]


@pytest.fixture(autouse=True)
def checkpoints():
    """As everybody has them, in place of those of the other crashes."""


def killed_at(sim, program, token):
    """A destruction whose engine is killed before it hears that the first resource of a type is deleted; how many were."""
    before, killed = len(sim.done), []

    def strike(done):
        if done.token == token and not killed:  # its lock is there, and names it, when it is long gone
            killed.append(sim.engine.process())
            os.kill(killed[0], signal.SIGKILL)

    sim.watch = strike
    outcome = sim.run("destroy", program, flags=FLAGS)
    assert outcome.crashed
    return len(sim.done) - before


def told(outcome):
    return any("the destruction before was killed; its" in text for _, text in outcome.messages)


def test_what_was_deleted_is_known_to_the_next_run(engines, folder):
    stack = load(folder, "dev")
    with simulation(folder, engines, stack) as sim:
        assert sim.run("up", stack.program, flags=FLAGS).ok

        deleted = killed_at(sim, stack.program, "aws:eks/nodeGroup:NodeGroup")
        refreshed = sim.run("refresh", stack.program, flags=FLAGS)  # what was at work meanwhile nobody wrote down
        again = sim.run("up", stack.program, flags=FLAGS)

        assert told(refreshed)
        assert again.ok, again.errors
        assert again.changes["create"] >= deleted > 10
        assert (sim.run("refresh", stack.program).changes, sim.run("up", stack.program).changes) == ({}, {})
        assert not told(again)

        killed_at(sim, stack.program, "aws:eks/cluster:Cluster")  # whose objects nobody can read any more
        rest = sim.run("destroy", stack.program, flags=FLAGS)

        assert rest.ok, rest.errors
        assert sim.engine.state(stack.program.project, stack.program.stack).get("resources", []) == []
        assert sim.account.state.clusters == {}
