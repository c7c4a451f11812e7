"""The servers of a load are the pods of their Deployment, and of nothing else that has their name."""

import pytest

from eks_accelerators.simulator.load.cluster_view import look
from tests.components.examples import EXAMPLES, deployed

SERVERS = [
    component for component in EXAMPLES if component.__name__.endswith(("VllmServer", "NimServer", "TritonServer"))
]


class Cluster:
    """An API server that has one Deployment, and asks nothing of the labels of its pods but what it is told."""

    def __init__(self, deployment, *pods):
        self.deployment, self.pods = deployment, pods

    def get(self, _version, _kind, _name, _namespace):
        return self.deployment

    def list(self, _version, kind, _namespace=None, selector="", *, remembered):
        assert remembered
        wanted = dict(part.split("=") for part in selector.split(",")) if selector else {}
        return [pod for pod in self.pods if kind == "Pod" and wanted.items() <= pod["metadata"]["labels"].items()]


def pod(name, labels):
    return {
        "metadata": {"name": name, "namespace": "llm", "labels": labels},
        "spec": {},
        "status": {"phase": "Pending"},
    }


@pytest.mark.parametrize("component", SERVERS, ids=lambda component: component.__name__)
def test_pods_are_found_by_the_selector_that_is_deployed(component):
    made = deployed(component, name="server").one("Deployment").inputs
    own = made["spec"]["template"]["metadata"]["labels"]
    compiles = {**own, "app.kubernetes.io/name": "vllm-neuron-compiler"}

    found = look(Cluster(made, pod("serves", own), pod("compiles", compiles)), "llm", "server")

    assert [each["metadata"]["name"] for each in found.pods] == ["serves"]


def test_without_a_deployment_there_are_none():
    found = look(Cluster(None), "llm", "server")

    assert (found.pods, found.wanted) == ([], 0)
