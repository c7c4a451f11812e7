"""Tests of GPUs as a stack switches them on: Jobs beside servers on one shared GPU, from the first `up` to `destroy`."""

import pytest

from eks_accelerators.simulator.kubernetes.report import Count, node_reports, pod_reports
from tests.polls import until
from tests.simulator.lives import objects
from tests.simulator.worlds import changed, load, simulation

pytestmark = pytest.mark.thorough

GPU = "nvidia.com/gpu"
JOB = "kubernetes:batch/v1:Job"


def with_tests(config):
    """Two nodes with four shares each, any of which has room for all: a server, a test and a pair that loads one GPU."""
    config["eks-accelerators:nodeGroups"]["l4-shared"]["size"]["desired"] = 2
    workloads = config["eks-accelerators:workloads"]
    workloads["vllm"]["llama"]["replicas"] = 1
    workloads["cudaVectorAdd"] = {"hello-gpu": {"nodeGroup": "l4-shared"}}
    workloads["dcgmProfTester"] = {"load": {"nodeGroup": "l4-shared"}}


def with_another_image(config):
    with_tests(config)
    config["eks-accelerators:workloads"]["cudaVectorAdd"]["hello-gpu"]["image"] = "registry.example.com/add:2"


def with_a_late_group(config):
    """No node at first: nobody knows when a test can run."""
    with_tests(config)
    config["eks-accelerators:nodeGroups"]["l4-shared"]["size"]["desired"] = 0


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("gpu-tests")


@pytest.fixture(scope="module")
def sim(engines, folder):
    """The deployed stack; each test leaves it so."""
    stack = load(folder, "dev", with_tests)
    with simulation(folder, engines, stack) as running:
        up(running, stack)
        yield running


def up(sim, stack):
    outcome = sim.run("up", stack.program)
    assert outcome.ok, outcome.errors
    return outcome


def requested(sim):
    """Shares that are offered and taken, all nodes together."""
    found = [node.accelerators[GPU] for node in node_reports(sim.cluster.api, sim.notes) if not node.is_system]
    return Count(sum(each.allocatable for each in found), sum(each.requested for each in found))


def pods(sim):
    """Owner, phase and count of the pods that are alike."""
    found = [pod for pod in pod_reports(sim.cluster.api) if pod.owner.startswith(("Job/", "Deployment/llama"))]
    return {(pod.owner, pod.phase, pod.count) for pod in found}


def test_an_up_ends_when_the_test_has_passed(sim):
    job = sim.cluster.api.get("batch/v1", "Job", "hello-gpu", "gpu-tests")

    assert job["status"]["succeeded"] == 1


def test_a_pair_is_on_one_node_and_what_has_ended_holds_no_share(sim):
    until(lambda: ("Job/load", "Succeeded", 2) in pods(sim))

    (pair,) = [pod for pod in pod_reports(sim.cluster.api) if pod.owner == "Job/load"]
    assert (pair.requests, len(pair.nodes)) == ({GPU: 1}, 1)
    assert pods(sim) == {
        ("Job/hello-gpu", "Succeeded", 1),
        ("Job/load", "Succeeded", 2),
        ("Deployment/llama", "Running", 1),
    }
    assert requested(sim) == Count(allocatable=8, requested=1)


def test_a_second_up_changes_nothing(sim, folder):
    assert changed(up(sim, load(folder, "dev", with_tests))) == set()


def test_a_test_that_changes_runs_anew(sim, folder):
    def uid():
        return sim.cluster.api.get("batch/v1", "Job", "hello-gpu", "gpu-tests")["metadata"]["uid"]

    before = uid()
    outcome = up(sim, load(folder / "changed", "dev", with_another_image))

    assert {(kind, name) for _, kind, name in changed(outcome)} == {(JOB, "hello-gpu")}
    assert uid() != before
    up(sim, load(folder, "dev", with_tests))


def test_a_destroy_leaves_nothing_and_without_a_node_an_up_does_not_wait(sim, folder):
    """The last test: the stack is not as it was."""
    outcome = sim.run("destroy", load(folder, "dev", with_tests).program)
    assert outcome.ok, outcome.errors
    assert objects(sim) == set()

    up(sim, load(folder / "late", "dev", with_a_late_group))
    until(lambda: {("Job/hello-gpu", "Pending", 1), ("Job/load", "Pending", 2)} <= pods(sim))
