"""The examples, from first preview to last object, one after the other on a cluster that is there already."""

import shutil

import pytest

from eks_accelerators.accel.plan.recorder import record
from eks_accelerators.accel.resource_counts import resource_counts
from eks_accelerators.settings.pulumi_values import as_engine_config
from eks_accelerators.simulator.simulation import opened
from tests.examples.example_plans import REQUIRED
from tests.simulator.lives import ACCOUNT, left, objects, words
from tests.simulator.worlds import NOW, example

pytestmark = pytest.mark.thorough

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


@pytest.fixture(scope="module")
def shared_services(engines, tmp_path_factory):
    """A cluster that somebody else made: every example leaves it as it was."""
    folder = tmp_path_factory.mktemp("shared-services")
    with opened(folder / "state", engines, region="us-east-2", now=NOW, world={**EXISTING, **ACCOUNT}) as simulation:
        yield simulation
    shutil.rmtree(folder)  # etcd's log of writes alone is 64 MB


def planned_resources(program):
    """How many resources a plan of the program counts."""
    recording = record(
        program.run,
        project=program.project,
        stack_name=program.stack,
        config=as_engine_config(program.config),
        secrets=set(),
    )
    return resource_counts(recording.resources)[0]


@pytest.mark.parametrize("name", ["device-plugin-alone", "l4-on-existing-cluster", "p5-capacity-block", "trn-neuron"])
def test_a_whole_life(shared_services, name):
    program, sim = example(name, REQUIRED[name]), shared_services
    resources = planned_resources(program)
    before, objects_before = left(sim.account), objects(sim)

    planned, deployed = sim.run("preview", program), sim.run("up", program)
    assert (words(planned), deployed.errors) == (words(deployed), [])
    assert planned.changes == deployed.changes == {"create": resources}
    assert before <= left(sim.account)
    assert words(sim.run("up", program)) == set()
    assert words(sim.run("refresh", program)) == set()
    assert words(sim.run("up", program)) == set()

    destroyed = sim.run("destroy", program)
    assert (destroyed.errors, destroyed.changes) == ([], {"delete": resources})
    assert left(sim.account) == before
    assert {kind for kind, _, _ in objects(sim) ^ objects_before} <= CHARTS_LEAVE
