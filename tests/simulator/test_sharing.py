"""Every kind of sharing in one cluster: what nodes advertise, who lands where, and what a change of one group touches."""

import pytest

from accelerators import instance_types
from accelerators.device_plugin import config_key
from accelerators.scheduling import DEVICE_PLUGIN_CONFIG_LABEL, NODE_GROUP_LABEL
from accelerators.sharing import EXCLUSIVE, Partitioning, Sharing, advertised
from components.mig_user_data import script
from components.user_data import mime
from tests.simulator.small_clusters import (
    CLUSTER,
    NVIDIA_TOLERATION,
    add_group,
    deployment,
    eks,
    install_nvidia_plugin,
    nodes,
    pods,
    running_on,
    shown,
    small_cluster,
    wait,
)

pytestmark = pytest.mark.slow

MIXED = Partitioning.of("mixed", [{"3g.40gb": 1, "1g.10gb": 4}])
GROUPS = {
    "time-sliced": ("g6.2xlarge", Sharing("timeSlicing", 4, renamed=True)),
    "by-mps": ("g6e.2xlarge", Sharing("mps", 8, renamed=True)),
    "divided": ("p5.48xlarge", Sharing("mig", mig=MIXED)),
    "whole": ("p5.48xlarge", EXCLUSIVE),
    "fraction": ("g6f.xlarge", EXCLUSIVE),
}
PROMISED = {name: advertised(instance_types.get(kind), sharing) for name, (kind, sharing) in GROUPS.items()}
ALL = [sharing for _, sharing in GROUPS.values()]


@pytest.fixture(scope="module")
def sim(engines, tmp_path_factory):
    with small_cluster(tmp_path_factory.mktemp("sharing"), engines) as running:
        for name, (instance_type, sharing) in GROUPS.items():
            kind = instance_types.get(instance_type)
            user_data = mime(None, script(kind, sharing.mig)) if sharing.mig else ""
            add_group(running, name, instance_type, sharing=sharing, user_data=user_data)
        install_nvidia_plugin(running, *ALL)
        yield running


def seen(sim):
    """What the one node of each group advertises."""
    return {group: shown(sim, group)[0] for group in GROUPS}


def test_every_node_advertises_what_its_sharing_says(sim):
    wait(lambda: seen(sim) == PROMISED)

    assert PROMISED == {
        "time-sliced": {"nvidia.com/gpu.shared": 4},
        "by-mps": {"nvidia.com/gpu.shared": 8},
        "divided": {"nvidia.com/mig-3g.40gb": 8, "nvidia.com/mig-1g.10gb": 32},
        "whole": {"nvidia.com/gpu": 8},
        "fraction": {"nvidia.com/gpu": 1},
    }


@pytest.mark.parametrize(
    ("app", "asks", "selects", "allowed"),
    [
        ("share", {"nvidia.com/gpu.shared": "1"}, {}, {"time-sliced", "by-mps"}),
        ("share-by-mps", {"nvidia.com/gpu.shared": "1"}, {NODE_GROUP_LABEL: "by-mps"}, {"by-mps"}),
        ("large-instance", {"nvidia.com/mig-3g.40gb": "1"}, {}, {"divided"}),
        ("small-instance", {"nvidia.com/mig-1g.10gb": "1"}, {}, {"divided"}),
        ("eight-gpus", {"nvidia.com/gpu": "8"}, {}, {"whole"}),
        ("fraction", {"nvidia.com/gpu": "1"}, {NODE_GROUP_LABEL: "fraction"}, {"fraction"}),
    ],
)
def test_a_pod_lands_where_what_it_asks_for_is(sim, app, asks, selects, allowed):
    wait(lambda: seen(sim) == PROMISED)
    made = deployment(app, asks=asks, nodeSelector=selects, tolerations=[NVIDIA_TOLERATION])
    sim.cluster.api.create(made)
    try:
        wait(lambda: len(running_on(sim, app)) == 1)
        names = {node["metadata"]["name"] for group in allowed for node in nodes(sim, group)}
        assert set(running_on(sim, app)) <= names
    finally:
        sim.cluster.api.delete("apps/v1", "Deployment", app, "default")
        wait(lambda: pods(sim, app) == [])


def relabel(sim, group, sharing):
    """As the component does it: the label of the node group, without a new node."""
    labels = {"addOrUpdateLabels": {DEVICE_PLUGIN_CONFIG_LABEL: config_key(sharing)}}
    eks(sim, "update_nodegroup_config", clusterName=CLUSTER, nodegroupName=group, labels=labels)
    sim.kubelets.sync()


@pytest.mark.parametrize("label_first", [True, False], ids=["label-first", "config-map-first"])
def test_a_change_of_one_group_touches_no_other_node_in_either_order(sim, label_first):
    """Between the two steps the group's own node may show nothing; afterwards it shows what it should, as the same node."""
    wait(lambda: seen(sim) == PROMISED)
    changed = Sharing("timeSlicing", 7, renamed=True)
    others = {group: resources for group, resources in PROMISED.items() if group != "time-sliced"}
    before = {group: [node["metadata"]["uid"] for node in nodes(sim, group)] for group in GROUPS}
    steps = [
        lambda: relabel(sim, "time-sliced", changed),
        lambda: install_nvidia_plugin(sim, changed, *ALL[1:]),
    ]
    try:
        for step in steps if label_first else steps[::-1]:
            step()
            assert seen(sim).items() >= others.items()
        wait(lambda: seen(sim) == {**others, "time-sliced": {"nvidia.com/gpu.shared": 7}})
        assert {group: [node["metadata"]["uid"] for node in nodes(sim, group)] for group in GROUPS} == before
    finally:
        install_nvidia_plugin(sim, *ALL)
        relabel(sim, "time-sliced", GROUPS["time-sliced"][1])
