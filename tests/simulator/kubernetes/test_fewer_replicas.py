"""Where the last servers are after a peak: the real ReplicaSet controller takes pods away where a node has most of them.

Source: Kubernetes documentation, ReplicaSet, "Scaling a ReplicaSet"; `docs/autoscaling.md` says what follows for `min`.
"""

from collections import Counter

import pytest

from tests.polls import until
from tests.simulator.kubernetes.paper_cluster import node

NODES = tuple(f"peak-{number}" for number in range(3))
LABEL = {"peak": "true"}
TAINT = {"key": "peak", "value": "true", "effect": "NoSchedule"}


@pytest.fixture
def servers(cluster, namespace):
    """Two servers on each of three nodes, and who counts them by node."""
    api = cluster.api
    for name in NODES:
        made = node("m7i.large", name=name, labels=LABEL, taints=[TAINT])
        api.create({key: value for key, value in made.items() if key != "status"})
        api.patch("v1", "Node", name, None, {"status": made["status"]}, subresource="status")
    api.apply(deployment(namespace, 2 * len(NODES)))

    def on_nodes():
        pods = [each for each in api.list("v1", "Pod", namespace) if "deletionTimestamp" not in each["metadata"]]
        return Counter(each["spec"].get("nodeName", "none") for each in pods)

    until(lambda: on_nodes() == dict.fromkeys(NODES, 2), why=lambda: str(on_nodes()))
    yield on_nodes
    api.delete("apps/v1", "Deployment", "server", namespace)
    for name in NODES:
        api.delete("v1", "Node", name)


def deployment(namespace, replicas):
    labels = {"app": "server"}
    spread = {
        "maxSkew": 1,
        "topologyKey": "kubernetes.io/hostname",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": labels},
    }
    pod = {
        "containers": [{"name": "main", "image": "image"}],
        "nodeSelector": LABEL,
        "tolerations": [{"key": "peak", "operator": "Exists"}],
        "topologySpreadConstraints": [spread],
        "terminationGracePeriodSeconds": 0,
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "server", "namespace": namespace},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pod},
        },
    }


def test_the_last_servers_are_on_a_node_each(cluster, namespace, servers):
    """One after the other, as an autoscaler takes them: as many nodes stay in use as there are servers."""
    in_use = {}
    for replicas in (5, 4, 3, 2, 1):
        cluster.api.patch(
            "apps/v1", "Deployment", "server", namespace, {"spec": {"replicas": replicas}}, subresource="scale"
        )
        until(lambda replicas=replicas: servers().total() == replicas)
        in_use[replicas] = len(servers())

    assert in_use == {5: 3, 4: 3, 3: 3, 2: 2, 1: 1}
