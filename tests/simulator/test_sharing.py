"""Every kind of sharing in one cluster: what nodes advertise, who lands where, and what a change of one group touches."""

import pytest
import yaml

from eks_accelerators.accelerators import instance_types
from eks_accelerators.accelerators.device_plugin import config_key
from eks_accelerators.accelerators.scheduling import DEVICE_PLUGIN_CONFIG_LABEL, NODE_GROUP_LABEL
from eks_accelerators.accelerators.sharing import EXCLUSIVE, Partitioning, Sharing, advertised
from eks_accelerators.components.mig_user_data import script
from eks_accelerators.components.user_data import mime
from eks_accelerators.settings.headroom import headroom_of
from eks_accelerators.settings.resolved_stack import resolve_stack
from eks_accelerators.simulator.kubernetes.report import Count
from tests.docs.pages import ROOT, blocks
from tests.settings.example import check
from tests.simulator.small_clusters import (
    CLUSTER,
    NVIDIA_TOLERATION,
    add_group,
    deployment,
    eks,
    groups_that_take,
    install_nvidia_plugin,
    nodes,
    pods,
    reports,
    running_on,
    shown,
    small_cluster,
    wait,
)

pytestmark = pytest.mark.slow

PAGE = ROOT / "docs" / "sharing.md"
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


def test_the_cluster_is_that_of_the_documentation():
    (shown,) = [
        yaml.safe_load(block) for block in blocks(PAGE, "yaml") if "by-mps:\n" in block and "fraction:" in block
    ]
    groups = resolve_stack(
        check({"nodeGroups": shown["config"]["eks-accelerators:nodeGroups"], "workloads": {}}).settings
    ).groups

    assert {name: (group.type.name, group.sharing) for name, group in groups.items()} == GROUPS


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

    assert groups_that_take(sim, app, asks, selects) <= allowed


SETTINGS = {
    "time-sliced": {"strategy": "timeSlicing", "replicas": 4, "renameByDefault": True},
    "by-mps": {"strategy": "mps", "replicas": 8, "renameByDefault": True},
    "divided": {"strategy": "mig", "mig": {"layout": {"3g.40gb": 1, "1g.10gb": 4}}},
    "whole": {},
    "fraction": {},
}
"""The sharing of `GROUPS`, as a stack file has it."""


def server(group, replicas, cpu="100m", **more):
    resources = {"cpu": cpu, "memoryGib": 1}
    model = "Qwen/Qwen2.5-0.5B-Instruct"
    return {"model": model, "nodeGroup": group, "replicas": replicas, "resources": resources, **more}


SERVERS = {
    "turns": server("time-sliced", 6),
    "parts": server("by-mps", 3),
    "more-parts": server("by-mps", 7),
    "large": server("divided", 9, resourceName="nvidia.com/mig-3g.40gb"),
    "small": server("divided", 5, cpu="60", resourceName="nvidia.com/mig-1g.10gb"),
    "pairs": server("whole", 5, tensorParallelSize=2),
    "fractions": server("fraction", 1),
}


def pod_counts(sim, app):
    """How many pods run, and what the scheduler says of the others."""
    found = pods(sim, app)
    waiting = [
        pod["status"].get("conditions", [{}])[0].get("message", "") for pod in found if not pod["spec"].get("nodeName")
    ]
    return len(running_on(sim, app)), waiting


def test_the_plan_counts_pods_and_shares_as_the_scheduler_places_them(sim):
    """Workloads come in the order in which they are written, and those that are too many wait for what the plan says."""
    wait(lambda: seen(sim) == PROMISED)
    groups = {
        name: {"instanceType": GROUPS[name][0], "size": {"desired": 1, "max": 1}, "sharing": sharing}
        for name, sharing in SETTINGS.items()
    }
    settings = check({"nodeGroups": groups, "workloads": {"vllm": SERVERS}}).settings
    resolved = resolve_stack(settings)
    assert {name: group.sharing for name, group in resolved.groups.items()} == {
        name: each for name, (_, each) in GROUPS.items()
    }
    rooms = {name: headroom_of(resolved, name) for name in resolved.groups}
    try:
        for room in rooms.values():
            for said in room.workloads:
                asks = {**said.asked.request, "cpu": f"{said.asked.request['cpu']}m", "memory": "1Gi"}
                asks.pop("pods")
                pod = {"nodeSelector": room.group.node_selector, "tolerations": [NVIDIA_TOLERATION]}
                sim.cluster.api.create(
                    deployment(
                        said.asked.name, said.asked.pods, asks={key: str(value) for key, value in asks.items()}, **pod
                    )
                )

                def is_as_said(said=said):
                    running, waiting = pod_counts(sim, said.asked.name)
                    return (running, len(waiting)) == (said.placed, said.pending) and all(
                        said.reason in message for message in waiting
                    )

                wait(is_as_said)
        for name, room in rooms.items():
            (node,) = reports(sim, name)
            counts = {share.share.resource: Count(share.offered, share.taken) for share in room.shares}
            assert node.accelerators == counts
    finally:
        for name in SERVERS:
            sim.cluster.api.delete("apps/v1", "Deployment", name, "default")
        wait(lambda: all(pods(sim, name) == [] for name in SERVERS))
    assert {said.asked.name: (said.placed, said.pending) for room in rooms.values() for said in room.workloads} == {
        "turns": (4, 2),
        "parts": (3, 0),
        "more-parts": (5, 2),
        "large": (8, 1),
        "small": (3, 2),
        "pairs": (4, 1),
        "fractions": (1, 0),
    }


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
