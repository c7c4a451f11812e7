"""What Helm runs when a release of ours goes: Jobs for which it waits without an end, so as few as can be."""

import pytest

from eks_accelerators.components.charts import catalogue, values_of
from eks_accelerators.simulator.kubernetes import charts
from eks_accelerators.simulator.kubernetes.api import ApiError
from eks_accelerators.simulator.kubernetes.feature_labels import is_discovered
from eks_accelerators.simulator.providers import helm_hooks
from tests.simulator.kubernetes.paper_cluster import node

CLEANUP = ("pre-delete", "gpu-operator-cleanup-gpucluster")
PRUNE = ("post-delete", "r-node-feature-discovery-prune")


def hooks(chart, values):
    made = charts.hooks(chart, version=catalogue()[chart]["version"], release="r", namespace="n", values=values)
    return [(hook.when, hook.job) for hook in made]


@pytest.mark.parametrize("chart", [name for name, entry in catalogue().items() if "chart" in entry])
def test_with_our_values_only_the_hook_that_has_no_value_runs(chart):
    """Those of the operator's chart v26.7.0 alone has one that nothing switches off."""
    assert hooks(chart, values_of(chart, {})) == ([CLEANUP] if chart == "gpu-operator" else [])


@pytest.mark.parametrize(
    ("chart", "values", "expected"),
    [
        ("nvidia-device-plugin", {"gfd": {"enabled": True}}, [PRUNE]),
        ("nvidia-device-plugin", {}, []),
        ("nvidia-device-plugin", {"nfd": {"enabled": False}, "gfd": {"enabled": True}}, []),
        ("gpu-operator", {}, [CLEANUP, PRUNE]),
        ("gpu-operator", {"nfd": {"enabled": False}}, [CLEANUP]),
        ("gpu-operator", {"node-feature-discovery": {"postDeleteCleanup": False}}, [CLEANUP]),
    ],
)
def test_what_the_charts_themselves_would_run(chart, values, expected):
    assert hooks(chart, values) == expected


class Nodes:
    """In place of an API server: it has nodes, and keeps what is changed on them."""

    def __init__(self, *nodes):
        self.nodes, self.patched = nodes, {}

    def list(self, api_version, kind):
        return list(self.nodes)

    def patch(self, api_version, kind, name, namespace, change):
        self.patched[name] = change["metadata"]["labels"]


SYSTEM, GPU = node("m7i.large", name="system"), node("g6.2xlarge", name="gpu")
OPERATOR = {"chart": "gpu-operator", "version": "v26.7.0", "name": "r", "values": values_of("gpu-operator", {})}


def run(api, release, when):
    helm_hooks.run(api, release, "gpu-operator", when)


def test_a_hook_that_no_node_can_run_is_waited_for_without_an_end():
    run(Nodes(GPU, SYSTEM), OPERATOR, "pre-delete")

    for nodes in ((), (GPU,)):  # it does not tolerate the taint of GPUs
        with pytest.raises(ApiError) as refused:
            run(Nodes(*nodes), OPERATOR, "pre-delete")
        assert refused.value.status == 408
        assert "kubectl -n gpu-operator delete job gpu-operator-cleanup-gpucluster" in str(refused.value)


def test_pruning_takes_what_discovery_wrote_from_every_node_and_nothing_else():
    written = {
        "nvidia.com/gpu.count": "1",
        "nvidia.com/mps.capable": "true",
        "feature.node.kubernetes.io/pci-10de.present": "true",
    }
    labelled = {**GPU, "metadata": {**GPU["metadata"], "labels": {**GPU["metadata"]["labels"], **written}}}
    api = Nodes(SYSTEM, labelled)

    run(api, {**OPERATOR, "values": {}}, "post-delete")

    assert api.patched == {"gpu": dict.fromkeys(written)}
    assert not [key for key in GPU["metadata"]["labels"] if is_discovered(key)]


def test_with_our_values_labels_stay():
    api = Nodes({"metadata": {"name": "gpu", "labels": {"nvidia.com/gpu.count": "1"}}})

    run(api, OPERATOR, "post-delete")

    assert api.patched == {}
