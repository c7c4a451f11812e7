"""The engine of a destruction is killed: what it had deleted is in its journal, and the next run goes on from there."""

import os
import signal

import pytest

from tests.simulator.crashes.stacks import FLAGS
from tests.simulator.worlds import load, simulation

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(1800)]


def resources(sim, stack):
    """How many the state has."""
    return len(sim.engine.state(stack.program.project, stack.program.stack)["resources"])


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


def test_what_was_deleted_is_known_to_the_next_run(engines, folder):
    stack = load(folder, "dev")
    with simulation(folder, engines, stack) as sim:
        assert sim.run("up", stack.program, flags=FLAGS).ok

        before = resources(sim, stack)
        deleted = killed_at(sim, stack.program, "aws:eks/nodeGroup:NodeGroup")
        assert before - resources(sim, stack) >= deleted // 2
        refreshed = sim.run("refresh", stack.program, flags=FLAGS)  # what was at work meanwhile nobody wrote down
        again = sim.run("up", stack.program, flags=FLAGS)

        assert refreshed.ok, refreshed.errors
        assert again.ok, again.errors
        assert again.changes["create"] >= deleted > 10
        assert (sim.run("refresh", stack.program).changes, sim.run("up", stack.program).changes) == ({}, {})

        killed_at(sim, stack.program, "aws:eks/cluster:Cluster")  # whose objects nobody can read any more
        rest = sim.run("destroy", stack.program, flags=FLAGS)

        assert rest.ok, rest.errors
        assert sim.engine.state(stack.program.project, stack.program.stack).get("resources", []) == []
        assert sim.account.state.clusters == {}
