"""The example of a large model, deployed: one server on both nodes of a Capacity Block, whose pods come and go together."""

from datetime import datetime, timedelta

import pytest

from eks_accelerators.settings.load import load_stack_file
from eks_accelerators.simulator.kubernetes.leader_worker_sets import API_VERSION, KIND, WORKER_INDEX
from eks_accelerators.simulator.stack import simulated_stack
from tests.simulator.small_clusters import wait
from tests.simulator.worlds import NOW, PROJECT, simulation

pytestmark = pytest.mark.slow

FILE = PROJECT / "examples" / "large-model" / "Pulumi.large.yaml"
BOTH = ["llama-405b-nodes-0", "llama-405b-nodes-0-1"]


@pytest.fixture(scope="module")
def sim(engines, tmp_path_factory):
    """The deployed example, before its block begins."""
    settings = load_stack_file(FILE, NOW).require().settings
    stack = simulated_stack("large", FILE, PROJECT / "__main__.py", settings, NOW, None)
    with simulation(tmp_path_factory.mktemp("large"), engines, stack) as opened:
        assert opened.run("up", stack.program).errors == []
        opened.settle()
        yield opened


def pods(sim):
    """The pods of the server, by name."""
    found = sim.cluster.api.list("v1", "Pod", "llm", "app.kubernetes.io/instance=llama-405b")
    return {each["metadata"]["name"]: each for each in found}


def phases(sim):
    return {name: pod["status"]["phase"] for name, pod in pods(sim).items()}


def status(sim):
    return sim.cluster.api.get(API_VERSION, KIND, "llama-405b-nodes", "llm")["status"]


def test_the_server_waits_for_its_block_and_then_has_both_nodes(sim):
    assert phases(sim) == dict.fromkeys(BOTH, "Pending")
    assert status(sim)["readyReplicas"] == 0

    (block,) = sim.account.call("ec2", "describe_capacity_reservations")["CapacityReservations"]
    sim.set_clock(datetime.fromisoformat(str(block["StartDate"])) + timedelta(minutes=30))
    sim.settle()

    assert phases(sim) == dict.fromkeys(BOTH, "Running")
    assert len({pod["spec"]["nodeName"] for pod in pods(sim).values()}) == 2
    wait(lambda: status(sim)["readyReplicas"] == 1)
    assert {each["type"]: each["status"] for each in status(sim)["conditions"]} == {
        "Available": "True",
        "Progressing": "False",
    }


def test_clients_reach_the_leader_alone(sim):
    leader = pods(sim)["llama-405b-nodes-0"]
    (subset,) = sim.cluster.api.get("v1", "Endpoints", "llama-405b", "llm")["subsets"]

    assert leader["metadata"]["labels"][WORKER_INDEX] == "0"
    assert [each["ip"] for each in subset["addresses"]] == [leader["status"]["podIP"]]


def test_each_pod_knows_its_leader_and_its_rank(sim):
    for index, name in enumerate(BOTH):
        variables = {each["name"]: each.get("value") for each in pods(sim)[name]["spec"]["containers"][0]["env"]}
        assert variables["LWS_LEADER_ADDRESS"] == "llama-405b-nodes-0.llama-405b-nodes.llm"
        assert variables["LWS_WORKER_INDEX"] == str(index)
        assert pods(sim)[name]["spec"]["subdomain"] == "llama-405b-nodes"


def test_the_pods_of_one_server_are_near_each_other(sim):
    """The API server has merged the label of `matchLabelKeys` into the selector: that of the group."""
    (term, _) = pods(sim)[BOTH[1]]["spec"]["affinity"]["podAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"]

    assert term["podAffinityTerm"]["labelSelector"]["matchExpressions"] == [
        {"key": "leaderworkerset.sigs.k8s.io/group-index", "operator": "In", "values": ["0"]}
    ]


def test_where_one_pod_is_lost_both_are_made_anew(sim):
    before = {name: pod["metadata"]["uid"] for name, pod in pods(sim).items()}
    sim.cluster.api.delete("v1", "Pod", BOTH[1], "llm", grace_seconds=0)

    def is_new():
        now = pods(sim)
        return phases(sim) == dict.fromkeys(BOTH, "Running") and not {
            pod["metadata"]["uid"] for pod in now.values()
        } & set(before.values())

    wait(is_new)
    wait(lambda: status(sim)["readyReplicas"] == 1)
