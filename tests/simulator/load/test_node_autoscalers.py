"""The node autoscalers of a loop: there is one for each setting, told what its own chart deploys."""

import pytest

from eks_accelerators.accelerators.start_times import start_time
from eks_accelerators.settings.autoscaling import Autoscaling, Policy
from eks_accelerators.settings.model.node_autoscaling import NodeAutoscaler
from eks_accelerators.simulator import engines
from eks_accelerators.simulator.folder import SimulationError
from eks_accelerators.simulator.kubernetes import charts
from eks_accelerators.simulator.kubernetes.finalizers import let_go
from eks_accelerators.simulator.load.node_autoscalers import AUTOSCALERS, deployed_flags
from eks_accelerators.simulator.load.parts import NewNode, parts_of
from eks_accelerators.simulator.node_autoscalers.karpenter_objects import deployed_settings
from tests.simulator.kubernetes.autoscaler_charts import CASES


class Cluster:
    """An API server that holds ``objects``."""

    def __init__(self, *objects):
        self.objects = list(objects)
        self.patches = []

    def list(self, api_version, kind, namespace=None, selector=None):
        key, _, value = (selector or "").partition("=")
        return [
            each
            for each in self.objects
            if each["kind"] == kind and (not key or each["metadata"].get("labels", {}).get(key) == value)
        ]

    def patch(self, api_version, kind, name, namespace, change):
        self.patches.append((kind, name, change["metadata"]["finalizers"]))


def deployed(name):
    release = CASES[name]()
    return Cluster(
        *charts.manifests(
            release["chart"],
            version=release["version"],
            release=name,
            namespace="kube-system",
            values=release["values"],
        )
    )


def test_every_setting_has_its_program():
    assert set(AUTOSCALERS) == set(NodeAutoscaler) - {NodeAutoscaler.NONE}
    assert {each.engine for each in AUTOSCALERS.values()} == set(engines.NODE_AUTOSCALERS)


def test_cluster_autoscaler_is_told_its_flags_but_where_it_is():
    flags = deployed_flags(deployed("cluster autoscaler"))

    assert flags["node-group-auto-discovery"].endswith(",eks-accelerators/autoscaled")
    assert not {"cloud-provider", "namespace"} & set(flags)


def test_karpenter_is_told_its_settings_but_its_queue():
    settings = deployed_settings(deployed("karpenter"))

    assert {"CLUSTER_NAME", "BATCH_MAX_DURATION", "FEATURE_GATES", "RESERVED_ENIS"} <= set(settings)
    assert not {"INTERRUPTION_QUEUE", "MEMORY_LIMIT", "SYSTEM_NAMESPACE"} & set(settings)


@pytest.mark.parametrize(("read", "name"), [(deployed_flags, "Cluster Autoscaler"), (deployed_settings, "Karpenter")])
def test_one_that_is_not_deployed_is_told(read, name):
    with pytest.raises(SimulationError, match=f"no {name} is deployed; run `accel simulate STACK up` first"):
        read(Cluster())


@pytest.mark.parametrize(
    ("autoscaler", "seconds"), [(NodeAutoscaler.CLUSTER_AUTOSCALER, 40), (NodeAutoscaler.KARPENTER, 10)]
)
def test_a_node_takes_the_time_of_who_asks_for_it(autoscaler, seconds):
    policy = Policy(2, 100, 360, 30)
    scaling = Autoscaling(1, 3, 1, 8, 12, ("concurrency",), 360, (), policy, policy)
    new = NewNode("g6.2xlarge", AUTOSCALERS[autoscaler])

    parts = {part.name: part.seconds for part in parts_of(scaling, start_time(2.5e9), new)}

    assert (parts["node autoscaler"], parts["node"]) == (seconds, 122)


def test_objects_are_let_go_by_the_program_that_is_gone_and_by_nobody_else():
    def node(name, *finalizers):
        return {"kind": "Node", "metadata": {"name": name, "finalizers": list(finalizers)}}

    cluster = Cluster(
        node("a", "karpenter.sh/termination"),
        node("b", "karpenter.sh/termination", "other/one"),
        node("c", "other/one"),
    )

    let_go(cluster, [("v1", "Node")], of=("karpenter.sh/",))

    assert cluster.patches == [("Node", "a", None), ("Node", "b", ["other/one"])]
