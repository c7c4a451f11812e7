"""The example of model servers, deployed once: the real API server admits every kind, and the real scheduler puts each on the
node group that it is meant for and nowhere else, spread or packed.
"""

from collections import Counter

import pytest

from eks_accelerators.accelerators.scheduling import NODE_GROUP_LABEL
from eks_accelerators.components import TfServing
from eks_accelerators.settings.load import load_stack_file
from eks_accelerators.simulator.stack import simulated_stack
from tests.components.examples import SERVED, deployed
from tests.polls import until
from tests.simulator.worlds import NOW, PROJECT, simulation

pytestmark = pytest.mark.slow

FILE = PROJECT / "examples" / "model-servers" / "Pulumi.servers.yaml"
SHARES = {
    **SERVED,
    "name": "shared",
    "size": {"desired": 2, "max": 2},
    "sharing": {"strategy": "timeSlicing", "replicas": 4, "rename_by_default": True},
}


@pytest.fixture(scope="module")
def sim(engines, tmp_path_factory):
    """The deployed example."""
    settings = load_stack_file(FILE, NOW).require().settings
    stack = simulated_stack("servers", FILE, PROJECT / "__main__.py", settings, NOW, None)
    with simulation(tmp_path_factory.mktemp("servers"), engines, stack) as opened:
        done = opened.run("up", stack.program)
        assert done.errors == []
        yield opened


def groups(sim):
    nodes = sim.cluster.api.list("v1", "Node")
    return {node["metadata"]["name"]: node["metadata"]["labels"].get(NODE_GROUP_LABEL) for node in nodes}


def bound(sim, name):
    """The nodes of the pods of one workload."""
    pods = sim.cluster.api.list("v1", "Pod", None, f"app.kubernetes.io/instance={name}")
    return [pod["spec"]["nodeName"] for pod in pods if pod["spec"].get("nodeName")]


@pytest.mark.parametrize(
    ("workload", "group", "pods"),
    [
        pytest.param("llama", "llamas", 5, id="five-llamas-on-one-node"),
        pytest.param("nim-llama", "a10g", 1, id="nim"),
        pytest.param("vision", "shared", 3, id="triton"),
        pytest.param("resnet", "shared", 4, id="tensorflow-serving"),
        pytest.param("gpu-demo", "whole", 1, id="gpu-demo"),
        pytest.param("cuda-vectoradd", "whole", 1, id="cuda-vectoradd"),
    ],
)
def test_each_is_on_its_group_and_nowhere_else(sim, workload, group, pods):
    until(lambda: len(bound(sim, workload)) == pods)

    found = groups(sim)
    assert {found[node] for node in bound(sim, workload)} == {group}


@pytest.mark.parametrize(("workload", "on_each"), [("resnet", [2, 2]), ("vision", [1, 2])])
def test_servers_are_on_both_nodes(sim, workload, on_each):
    until(lambda: sum(Counter(bound(sim, workload)).values()) == sum(on_each))

    assert sorted(Counter(bound(sim, workload)).values()) == on_each


def test_namespaces_are_as_strict_as_their_images_allow(sim):
    spaces = {each["metadata"]["name"]: each["metadata"]["labels"] for each in sim.cluster.api.list("v1", "Namespace")}

    levels = {name: labels.get("pod-security.kubernetes.io/enforce") for name, labels in spaces.items()}
    assert [levels[name] for name in ("nim", "triton", "tf-serving", "llm")] == [
        "restricted",
        "restricted",
        "baseline",
        "baseline",
    ]


def test_packed_servers_fill_a_node_before_the_next(sim):
    """The same pods as `resnet`, with nothing else on their nodes."""
    api = sim.cluster.api
    for name, namespace in (("resnet", "tf-serving"), ("vision", "triton")):
        api.patch("apps/v1", "Deployment", name, namespace, {"spec": {"replicas": 0}})
    until(lambda: not bound(sim, "resnet") and not bound(sim, "vision"))
    changes = {"serves_on": SHARES, "replicas": 4, "placement": "pack", "namespace": "tf-serving"}
    packed = deployed(TfServing, changes, name="packed")
    for kind in ("ServiceAccount", "Deployment"):
        api.apply({**packed.one(kind).inputs, "metadata": {**packed.one(kind).inputs["metadata"]}})

    until(lambda: len(bound(sim, "packed")) == 4)
    assert len(set(bound(sim, "packed"))) == 1


def test_a_policy_names_its_callers(sim):
    (policy,) = sim.cluster.api.list("networking.k8s.io/v1", "NetworkPolicy", "tf-serving")

    (rule,) = policy["spec"]["ingress"]
    assert rule["from"] == [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "web"}}}]
