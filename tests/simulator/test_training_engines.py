"""The examples of Kubeflow Trainer and KubeRay, deployed: their pods run on the node group that they are meant for, and end.

One deployment has each engine in turn, since the examples differ in nothing else.
"""

import pytest
import yaml

from eks_accelerators.accelerators.scheduling import NODE_GROUP_LABEL
from eks_accelerators.settings.load import load_stack_file
from eks_accelerators.simulator.kubernetes.controllers import job_sets, ray_clusters, ray_jobs, train_jobs
from eks_accelerators.simulator.stack import simulated_stack
from tests.simulator.small_clusters import wait
from tests.simulator.worlds import NOW, PROJECT, simulation

pytestmark = pytest.mark.slow

KUBEFLOW = PROJECT / "examples" / "training-kubeflow" / "Pulumi.kubeflow.yaml"
RAY = PROJECT / "examples" / "training-ray" / "Pulumi.ray.yaml"
JOB, NAMESPACE, GROUP = "l4-bf16", "training", "l4"


def config(file):
    return yaml.safe_load(file.read_text(encoding="utf-8"))["config"]


def program(file):
    settings = load_stack_file(file, NOW).require().settings
    return simulated_stack("engines", file, PROJECT / "__main__.py", settings, NOW, None)


def by_job_set(folder):
    """The example without anything between JobSet and the user, which no example has."""
    changed = config(KUBEFLOW)
    changed["eks-accelerators:workloads"]["pytorchJob"][JOB]["controller"] = "jobSet"
    file = folder / "Pulumi.engines.yaml"
    file.write_text(yaml.safe_dump({"config": changed}), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def sim(engines, tmp_path_factory):
    """The example of Kubeflow Trainer, deployed."""
    stack = program(KUBEFLOW)
    with simulation(tmp_path_factory.mktemp("engines"), engines, stack) as opened:
        assert opened.run("up", stack.program).errors == []
        opened.settle()
        yield opened


def placed(sim):
    """Node and node group of every pod of the namespace that was ever put on one, also of those that are gone."""
    nodes = {each["metadata"]["name"]: each["metadata"]["labels"] for each in sim.cluster.api.list("v1", "Node")}
    found = {}
    for event in sim.cluster.api.list("v1", "Event", NAMESPACE):
        if event["reason"] == "Scheduled":
            node = event["message"].rpartition(" ")[2]
            found[event["involvedObject"]["name"]] = (node, nodes[node].get(NODE_GROUP_LABEL))
    return found


def status(sim, api_version, kind):
    return (sim.cluster.api.get(api_version, kind, JOB, NAMESPACE) or {}).get("status", {})


def holds(sim, api_version, kind, condition):
    return any(each["type"] == condition for each in status(sim, api_version, kind).get("conditions", ()))


def assert_one_on_each_node(there):
    """Nodes of the group, and no other."""
    assert len(there) == 2
    assert {group for _, group in there.values()} == {GROUP}
    assert len({node for node, _ in there.values()}) == 2


def change(sim, file):
    """Deploy another engine, and return what was placed before."""
    before = placed(sim)
    assert sim.run("up", program(file).program).errors == []
    sim.settle()
    return before


def new(sim, before):
    return {name: where for name, where in placed(sim).items() if name not in before}


def test_the_examples_differ_in_the_engine_alone():
    kubeflow, ray = config(KUBEFLOW), config(RAY)
    for each, engine in ((kubeflow, "trainJob"), (ray, "rayJob")):
        assert each["eks-accelerators:workloads"]["pytorchJob"][JOB].pop("controller") == engine

    assert kubeflow == ray


def test_by_kubeflow_trainer(sim):
    wait(lambda: holds(sim, train_jobs.API_VERSION, train_jobs.KIND, "Complete"))

    assert_one_on_each_node(placed(sim))
    assert {name.rpartition("-")[0] for name in placed(sim)} == {f"{JOB}-node-0-0", f"{JOB}-node-0-1"}


def test_by_kuberay(sim):
    before = change(sim, RAY)
    wait(lambda: status(sim, ray_jobs.API_VERSION, ray_jobs.KIND).get("jobDeploymentStatus") == "Complete")
    wait(lambda: not sim.cluster.api.list(ray_clusters.API_VERSION, ray_clusters.KIND))

    there = new(sim, before)
    assert_one_on_each_node({name: where for name, where in there.items() if "-workers-worker-" in name})
    assert len([name for name in there if name.endswith("-head")]) == 1
    assert {group for _, group in there.values()} == {GROUP}
    assert len(there) == 4  # the one that submits too


def test_by_job_set(sim, tmp_path):
    before = change(sim, by_job_set(tmp_path))
    wait(lambda: holds(sim, job_sets.API_VERSION, job_sets.KIND, "Completed"))

    assert_one_on_each_node(new(sim, before))


def test_nothing_is_left_of_an_engine_that_another_has_replaced(sim):
    left = {each["metadata"]["name"].rpartition("-")[0] for each in sim.cluster.api.list("v1", "Pod", NAMESPACE)}

    assert left == {f"{JOB}-workers-0-0", f"{JOB}-workers-0-1"}
