"""The real DaemonSet controller puts pods where `placement.obstacles` sees no obstacle, and nowhere else."""

import pytest

from eks_accelerators.accelerators.sharing import Sharing
from eks_accelerators.simulator.kubernetes.advertisement import advertised
from eks_accelerators.simulator.kubernetes.placement import obstacles
from tests.polls import until
from tests.simulator.kubernetes.paper_cluster import (
    CONFIG_MAP,
    RELEASED,
    configurations,
    daemon_sets,
    node,
    released,
)

SHARED = Sharing("timeSlicing", 4)
TEAM = {"key": "team", "value": "ml", "effect": "NoSchedule"}


@pytest.fixture
def nodes(cluster):
    """Nodes of all sorts, in the cluster for one test."""
    made = {
        "system": node("m7i.large", name="paper-system"),
        "l4": node("g6.12xlarge", SHARED, name="paper-l4"),
        "l4-of-a-team": node("g6.2xlarge", name="paper-team", taints=[TEAM]),
        "l4-unlabelled": node("g6.2xlarge", name="paper-unlabelled", labels={}),
        "h100-efa": node("p5.48xlarge", name="paper-h100", efa_interfaces=32),
        "trainium": node("trn1.2xlarge", name="paper-trainium"),
    }
    for one in made.values():
        cluster.api.create({key: value for key, value in one.items() if key != "status"})
        cluster.api.patch("v1", "Node", one["metadata"]["name"], None, {"status": one["status"]}, subresource="status")
    yield made
    for one in made.values():
        cluster.api.delete("v1", "Node", one["metadata"]["name"])


@pytest.fixture
def sets(cluster, namespace):
    """The DaemonSets of all charts in one namespace, with the ConfigMap of the plugin's configurations."""
    ((_, config),) = configurations(SHARED).items()
    objects = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": CONFIG_MAP}, **config},
        *(made for one in RELEASED for made in released(one) if made["kind"] in ("ServiceAccount", "ConfigMap")),
    ]
    found = [made for one in RELEASED for made in daemon_sets(*released(one))]
    for manifest in (*objects, *found):
        if manifest["kind"] != "Namespace":
            manifest["metadata"]["namespace"] = namespace
        cluster.api.apply(manifest)
    return found


def running(cluster, namespace):
    return [pod for pod in cluster.api.list("v1", "Pod", namespace) if pod.get("status", {}).get("phase") == "Running"]


def landed(pods):
    """Which DaemonSets have a running pod on which nodes."""
    return {(pod["metadata"]["ownerReferences"][0]["name"], pod["spec"]["nodeName"]) for pod in pods}


def test_pods_are_where_nothing_is_in_their_way(cluster, namespace, nodes, sets):
    names = {one["metadata"]["name"] for one in nodes.values()}
    expected = {
        (one["metadata"]["name"], here["metadata"]["name"])
        for one in sets
        for here in nodes.values()
        if not obstacles(one["spec"]["template"]["spec"], here, daemon=True)
    }

    def found():
        return {pair for pair in landed(running(cluster, namespace)) if pair[1] in names}

    until(lambda: found() == expected, why=lambda: f"missing {expected - found()}, too many {found() - expected}")

    # The GPU Operator's discovery looks at every node.
    served = {node for name, node in expected if not name.endswith("node-feature-discovery-worker")}
    assert served == {"paper-l4", "paper-h100", "paper-trainium"}

    # What the real pods advertise, from the ConfigMap that the API server has.
    config = cluster.api.get("v1", "ConfigMap", CONFIG_MAP, namespace)
    says = {
        key: advertised(here, running(cluster, namespace), {(namespace, CONFIG_MAP): config}).resources
        for key, here in nodes.items()
    }
    assert says == {
        "system": {},
        "l4": {"nvidia.com/gpu": 16},
        "l4-of-a-team": {},
        "l4-unlabelled": {},
        "h100-efa": {"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 32},
        "trainium": {"aws.amazon.com/neuron": 1, "aws.amazon.com/neuroncore": 2},
    }
