"""What the crash matrix is compared with, and what it reports."""

import json
import os
import shutil

import pytest
from filelock import FileLock

from tests.simulator.crashes.contents import contents
from tests.simulator.crashes.stacks import FLAGS, life
from tests.simulator.worlds import simulation


@pytest.fixture
def folder(tmp_path):
    yield tmp_path
    shutil.rmtree(tmp_path / "state")  # etcd's log of writes alone is 64 MB


@pytest.fixture(scope="session")
def undisturbed(engines, tmp_path_factory):
    """A life in which nothing goes wrong, once for all workers: by stage, its operations and what is there after it."""
    own = tmp_path_factory.getbasetemp()
    shared = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "undisturbed"
    shared.mkdir(exist_ok=True)
    with FileLock(shared / "lock"):
        found = shared / "found.json"
        if not found.exists():
            found.write_text(json.dumps(_lived(engines, shared)))
    lived = json.loads(found.read_text())
    return {stage: ([tuple(each) for each in operations], there) for stage, (operations, there) in lived.items()}


def _lived(engines, folder):
    stack, stages = life(folder)
    lived = {}
    with simulation(folder, engines, stack) as sim:
        for stage in stages:
            before = len(sim.done)
            outcome = sim.run(stage.action, stage.program, flags=FLAGS)
            assert outcome.ok, outcome.errors
            lived[stage.name] = ([(done.action, done.token, done.name) for done in sim.done[before:]], contents(sim))
    shutil.rmtree(folder / "state")
    return lived


@pytest.fixture
def report(record_property):
    """Takes what a stage of a chain came to; the summary of all tests prints it."""

    def say(stage, chain):
        tried = ", ".join(f"{count} {action}" for action, count in sorted(chain.tally.items()))
        survived = f"{len(chain.survived)} of {len(chain.struck)} survived by themselves"
        record_property("report", f"{stage}: operations tried: {tried}; {survived}; {chain.runs} runs of the engine")

    return say
