"""A stack from its first preview to its end: what is planned is done, nothing is done twice, and nothing is left."""

import shutil

import pytest

from simulator.stack import SimulatedStack
from tests.examples.planning import REQUIRED
from tests.simulator.lives import ACCOUNT, left, objects
from tests.simulator.worlds import changed, example, load, simulation

pytestmark = pytest.mark.slow

EXISTING = {
    "cluster": {
        "name": "shared-services",
        "kubernetesVersion": "1.35",
        "zones": ["us-east-2a", "us-east-2b", "us-east-2c"],
    },
    "kubeContexts": ["kind-gpu"],
}
"""A cluster that somebody else made."""
CHARTS_LEAVE = {"CustomResourceDefinition"}
"""Helm never deletes them."""


def stack(name, change=None):
    return lambda folder: load(folder, name, change, ACCOUNT)


def on_a_cluster(name, **config):
    program = example(name, {**REQUIRED[name], **config})
    return lambda folder: SimulatedStack(program, "us-east-2", {**EXISTING, **ACCOUNT}, ())


LIVES = [
    pytest.param(stack("dev"), 76, id="dev"),
    pytest.param(on_a_cluster("device-plugin-alone"), 9, id="device-plugin-alone"),
]


@pytest.fixture
def folder(tmp_path):
    yield tmp_path
    shutil.rmtree(tmp_path / "state")  # etcd's log of writes alone is 64 MB


@pytest.mark.parametrize(("life", "resources"), LIVES)
def test_a_whole_life(engines, folder, life, resources):
    made = life(folder)
    with simulation(folder, engines, made) as sim:
        found, found_objects = left(sim.account), objects(sim)

        planned = sim.run("preview", made.program)
        deployed = sim.run("up", made.program)
        assert planned.ok, planned.errors
        assert deployed.ok, deployed.errors
        assert changed(planned) == changed(deployed)
        assert deployed.changes == {"create": resources}
        assert sim.run("up", made.program).changes == {}

        there = left(sim.account)
        assert found <= there

    with simulation(folder, engines, made) as sim:
        assert left(sim.account) == there
        assert sim.run("refresh", made.program).changes == {}
        assert sim.run("up", made.program).changes == {}

        destroyed = sim.run("destroy", made.program)
        assert destroyed.ok, destroyed.errors
        assert {("create", *what) for _, *what in changed(destroyed)} == changed(deployed)
        assert left(sim.account) == found
        assert {kind for kind, _, _ in objects(sim) ^ found_objects} <= CHARTS_LEAVE
