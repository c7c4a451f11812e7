"""The GPU Operator in a real cluster: the same as under single charts, and a MIG layout that changes on nodes that stay."""

import pytest

from eks_accelerators.accelerators import instance_types
from eks_accelerators.accelerators.sharing import EXCLUSIVE, Partitioning, Sharing, advertised
from eks_accelerators.settings.gpu_servers import GpuServer, labels_of
from eks_accelerators.simulator.kubernetes.roles import NVIDIA_DEVICE_PLUGIN, ROLE_LABEL
from tests.simulator.kubernetes.paper_cluster import OPERATOR_NAMESPACE, operator_objects
from tests.simulator.small_clusters import (
    CLUSTER,
    add_group,
    eks,
    groups_that_take,
    nodes,
    shown,
    small_cluster,
    wait,
)

pytestmark = pytest.mark.thorough

MIXED = Partitioning.of("mixed", [{"3g.40gb": 1, "1g.10gb": 4}])
SINGLE = Partitioning.of("single", [{"1g.10gb": 7}])
GROUPS = {
    "time-sliced": ("g6.2xlarge", Sharing("timeSlicing", 4, renamed=True)),
    "by-mps": ("g6e.2xlarge", Sharing("mps", 8, renamed=True)),
    "divided": ("p5.48xlarge", Sharing("mig", mig=MIXED)),
    "of-one-kind": ("p5.48xlarge", Sharing("mig", mig=SINGLE)),
    "whole": ("p5.48xlarge", EXCLUSIVE),
    "fraction": ("g6f.xlarge", EXCLUSIVE),
}
PROMISED = {name: advertised(instance_types.get(kind), sharing) for name, (kind, sharing) in GROUPS.items()}
ALL = [sharing for _, sharing in GROUPS.values()]
BOTTLEROCKET = "bottlerocket"


def operator_labels(instance_type, sharing, server=GpuServer.GPU_OPERATOR):
    return labels_of(instance_types.get(instance_type), server, sharing)


def install(sim, *sharings):
    """As a deployment does it: new ConfigMaps before the release, old ones afterwards."""
    metadata = {"name": OPERATOR_NAMESPACE, "labels": {"pod-security.kubernetes.io/enforce": "privileged"}}
    api, objects = sim.cluster.api, operator_objects(*sharings)
    api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
    of_crd = [one for one in objects if one["kind"] == "ClusterPolicy"]
    for manifest in objects:
        if manifest not in of_crd:
            api.apply(manifest)
    wait(lambda: ("nvidia.com/v1", "ClusterPolicy") in api.kinds())
    for manifest in of_crd:
        api.apply(manifest)
    kept = {one["metadata"]["name"] for one in objects}
    for one in api.list("v1", "ConfigMap", OPERATOR_NAMESPACE):
        if one["metadata"]["name"].startswith("operator-") and one["metadata"]["name"] not in kept:
            api.delete("v1", "ConfigMap", one["metadata"]["name"], OPERATOR_NAMESPACE)
    sim.kubelets.sync()


@pytest.fixture(scope="module")
def sim(engines, tmp_path_factory):
    with small_cluster(tmp_path_factory.mktemp("operator"), engines) as running:
        for name, (instance_type, sharing) in GROUPS.items():
            add_group(running, name, instance_type, sharing=sharing, labels=operator_labels(instance_type, sharing))
        add_group(
            running,
            BOTTLEROCKET,
            ami_type="BOTTLEROCKET_x86_64_NVIDIA",
            labels=operator_labels("g6.2xlarge", EXCLUSIVE, GpuServer.NODE_IMAGE),
        )
        install(running, *ALL)
        yield running


def seen(sim):
    """What the one node of each group advertises. A kubelet keeps what nobody advertises any more, as 0."""
    return {group: {name: count for name, count in shown(sim, group)[0].items() if count} for group in GROUPS}


def uids(sim):
    return {group: [node["metadata"]["uid"] for node in nodes(sim, group)] for group in (*GROUPS, BOTTLEROCKET)}


def plugins_on(sim, group):
    """Pods of a device plugin on the nodes of a group."""
    names = {node["metadata"]["name"] for node in nodes(sim, group)}
    listed = sim.cluster.api.list("v1", "Pod", None, f"{ROLE_LABEL}={NVIDIA_DEVICE_PLUGIN}")
    return [pod for pod in listed if pod["spec"].get("nodeName") in names]


def relabel(sim, group, sharing):
    """As the component does it: labels of the node group, without a new node."""
    labels = operator_labels(GROUPS[group][0], sharing)
    eks(sim, "update_nodegroup_config", clusterName=CLUSTER, nodegroupName=group, labels={"addOrUpdateLabels": labels})
    sim.kubelets.sync()


def test_every_node_advertises_what_its_sharing_says(sim):
    """With two strategies of MIG in one cluster, and MPS beside them."""
    wait(lambda: seen(sim) == PROMISED)

    states = {
        group: nodes(sim, group)[0]["metadata"]["labels"].get("nvidia.com/mig.config.state") for group in PROMISED
    }
    assert states == {
        "time-sliced": None,
        "by-mps": None,
        "divided": "success",
        "of-one-kind": "success",
        "whole": "success",
        "fraction": None,
    }


def test_each_node_has_one_plugin(sim):
    wait(lambda: seen(sim) == PROMISED and shown(sim, BOTTLEROCKET) == [{"nvidia.com/gpu": 1}])

    assert {group: len(plugins_on(sim, group)) for group in (*GROUPS, BOTTLEROCKET)} == {
        **dict.fromkeys(GROUPS, 1),
        BOTTLEROCKET: 0,
    }
    (node,) = nodes(sim, BOTTLEROCKET)
    assert node["metadata"]["labels"]["nvidia.com/gpu.present"] == "true"


@pytest.mark.parametrize(
    ("app", "asks", "selects", "allowed"),
    [
        ("share", {"nvidia.com/gpu.shared": "1"}, {}, {"time-sliced", "by-mps"}),
        ("large-instance", {"nvidia.com/mig-3g.40gb": "1"}, {}, {"divided"}),
        ("small-instance", {"nvidia.com/mig-1g.10gb": "1"}, {}, {"divided"}),
        ("many-of-one-kind", {"nvidia.com/gpu": "40"}, {}, {"of-one-kind"}),
        ("eight-gpus", {"nvidia.com/gpu": "8"}, {"nvidia.com/mig.config": "all-disabled"}, {"whole"}),
    ],
)
def test_a_pod_lands_where_what_it_asks_for_is(sim, app, asks, selects, allowed):
    wait(lambda: seen(sim) == PROMISED)

    assert groups_that_take(sim, app, asks, selects) <= allowed


CHANGES = [
    pytest.param("time-sliced", Sharing("timeSlicing", 7, renamed=True), {"nvidia.com/gpu.shared": 7}, id="sharing"),
    pytest.param(
        "divided",
        Sharing("mig", mig=Partitioning.of("mixed", [{"7g.80gb": 1}, *[{"2g.20gb": 3}] * 7])),
        {"nvidia.com/mig-7g.80gb": 1, "nvidia.com/mig-2g.20gb": 21},
        id="mig-layout",
    ),
    pytest.param("divided", EXCLUSIVE, {"nvidia.com/gpu": 8}, id="back-from-mig"),
]


@pytest.mark.parametrize(("group", "changed", "expected"), CHANGES)
def test_a_change_of_one_group_changes_that_node_alone_and_replaces_none(sim, group, changed, expected):
    wait(lambda: seen(sim) == PROMISED)
    before, others = uids(sim), {name: found for name, found in PROMISED.items() if name != group}
    wanted = [changed if name == group else sharing for name, (_, sharing) in GROUPS.items()]
    try:
        install(sim, *wanted)
        relabel(sim, group, changed)

        wait(lambda: seen(sim) == {**others, group: expected})
        assert uids(sim) == before
    finally:
        install(sim, *ALL)
        relabel(sim, group, GROUPS[group][1])
        wait(lambda: seen(sim) == PROMISED)
