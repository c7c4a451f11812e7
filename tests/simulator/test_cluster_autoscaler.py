"""The real Cluster Autoscaler looks after scaling groups of the simulated account: what it raises, what it leaves alone, and
which node goes.
"""

from datetime import timedelta

import pytest

from eks_accelerators.accelerators import durations, scheduling
from eks_accelerators.accelerators.sharing import EXCLUSIVE, NVIDIA_GPU, NVIDIA_SHARED_GPU, Sharing
from eks_accelerators.simulator.node_autoscalers.cluster_autoscaler import cluster_autoscaler, paced
from eks_accelerators.simulator.pace import Pace
from tests.simulator.further import further
from tests.simulator.scaled_clusters import OWN_TAG, USUAL_TAGS, scaled_cluster
from tests.simulator.small_clusters import (
    NVIDIA_TOLERATION,
    REGION,
    ZONES,
    add_group,
    deployment,
    install_nvidia_plugin,
    pods,
    running_on,
)
from tests.simulator.worlds import NOW

PACE = Pace(30)
WAITS_FOR_GPUS = {"k8s.amazonaws.com/accelerator": "nvidia-l4"}
RENAMED = Sharing("timeSlicing", 4, renamed=True)
SHORT = {"instanceType": "g5.2xlarge", "zone": ZONES[0]}
UNNEEDED = timedelta(minutes=10)
BLOCK = "cr-0123456789abcde00"


@pytest.fixture(scope="module")
def program():
    return further("cluster-autoscaler")["cluster-autoscaler"]


@pytest.fixture(scope="module")
def loop(engines, program, tmp_path_factory):
    """A cluster with the device plugin, in whose first zone one type is not to be had; and a Capacity Block to come."""
    block = {
        "id": BLOCK,
        "instanceType": "p5.48xlarge",
        "instanceCount": 2,
        "zone": ZONES[0],
        "start": (NOW + timedelta(days=2)).isoformat(),
        "end": (NOW + timedelta(days=4)).isoformat(),
    }
    world = {"insufficientCapacity": [SHORT], "capacityReservations": [block]}
    with scaled_cluster(tmp_path_factory.mktemp("loop") / "sim", engines, PACE, **world) as made:
        install_nvidia_plugin(made.sim, EXCLUSIVE, RENAMED)
        yield made


@pytest.fixture(scope="module")
def autoscaler(loop, program):
    """It looks for groups with the tag of this package, and goes by priorities."""
    with started(loop, program, (*USUAL_TAGS, OWN_TAG), expander="priority") as running:
        yield running


def started(loop, program, tags, **flags):
    return cluster_autoscaler(
        program,
        loop.sim.cluster,
        aws_url=loop.aws.url,
        region=REGION,
        flags={"node-group-auto-discovery": f"asg:tag={','.join(tags)}", "v": "2", **flags},
        pace=PACE,
    )


def ask(loop, name, asks, group, replicas=1):
    """Pods that want nodes of one group."""
    selector = {scheduling.NODE_GROUP_LABEL: group}
    made = deployment(name, replicas, asks=asks, nodeSelector=selector, tolerations=[NVIDIA_TOLERATION])
    loop.sim.cluster.api.create(made)


def withdraw(loop, name):
    loop.sim.cluster.api.delete("apps/v1", "Deployment", name, "default")
    loop.when(lambda: pods(loop.sim, name) == [])


@pytest.mark.slow
def test_pods_that_wait_get_nodes_after_the_time_that_these_take_and_the_one_that_is_empty_goes(loop, autoscaler):
    add_group(loop.sim, "whole", nodes=0, labels=WAITS_FOR_GPUS)
    loop.offer("whole", {NVIDIA_GPU: 1})

    ask(loop, "first", {NVIDIA_GPU: 1}, "whole")
    wanted = loop.when(lambda: loop.group("whole").desired == 1)
    served = loop.when(lambda: running_on(loop.sim, "first"))
    assert served - wanted >= timedelta(seconds=durations.node_seconds("g6.2xlarge")) - timedelta(seconds=PACE.factor)
    (older,) = loop.nodes("whole")

    ask(loop, "second", {NVIDIA_GPU: 1}, "whole")
    loop.when(lambda: running_on(loop.sim, "second"))
    (newer,) = set(loop.nodes("whole")) - {older}

    withdraw(loop, "first")
    empty = loop.clock.now
    gone = loop.when(lambda: loop.nodes("whole") == [newer])
    assert gone - empty >= UNNEEDED - timedelta(seconds=PACE.factor)
    assert loop.group("whole").desired == 1
    assert [instance.id for instance in loop.group("whole").instances] == [newer]
    assert loop.aws.answered["autoscaling", "terminate_instance_in_auto_scaling_group"] == 1
    assert running_on(loop.sim, "second")

    withdraw(loop, "second")
    loop.when(lambda: loop.nodes("whole") == [] and loop.group("whole").desired == 0)
    assert loop.aws.unknown == {}


@pytest.mark.slow
def test_whole_gpus_that_nobody_can_ask_for_start_no_nodes_where_a_tag_says_so(loop, autoscaler):
    """It takes `nvidia.com/gpu` from the instance type, unless a tag says that there is none."""
    for name, resources in [("told", {NVIDIA_GPU: 0, NVIDIA_SHARED_GPU: 4}), ("untold", {NVIDIA_SHARED_GPU: 4})]:
        add_group(loop.sim, name, nodes=0, sharing=RENAMED)
        loop.offer(name, resources)
        ask(loop, f"whole-{name}", {NVIDIA_GPU: 1}, name)

    loop.when(lambda: loop.group("untold").desired > 0)
    assert loop.group("told").desired == 0

    ask(loop, "share", {NVIDIA_SHARED_GPU: 1}, "told")
    loop.when(lambda: running_on(loop.sim, "share"))
    # A second one comes where it looks while the first is ready and its plugin is not yet: no label makes it wait for shares.
    assert loop.group("told").desired in (1, 2)
    assert not running_on(loop.sim, "whole-told")
    assert not running_on(loop.sim, "whole-untold")
    for name in ("whole-told", "whole-untold", "share"):
        withdraw(loop, name)


@pytest.mark.thorough
def test_a_group_without_capacity_is_left_for_the_next_one(loop, autoscaler):
    pool = {"eks-accelerators/pool": "a10g"}
    for name, zone in [("scarce", ZONES[0]), ("plenty", ZONES[1])]:
        add_group(loop.sim, name, "g5.2xlarge", nodes=0, zone=zone, labels={**WAITS_FOR_GPUS, **pool})
        loop.offer(name, {NVIDIA_GPU: 1})
    priorities = "20:\n  - ^eks-scarce-\n10:\n  - .*\n"
    metadata = {"name": "cluster-autoscaler-priority-expander", "namespace": "kube-system"}
    loop.sim.cluster.api.apply(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"priorities": priorities}}
    )

    made = deployment("a10g", asks={NVIDIA_GPU: 1}, nodeSelector=pool, tolerations=[NVIDIA_TOLERATION])
    loop.sim.cluster.api.create(made)

    loop.when(lambda: loop.group("scarce").activities)
    assert "InsufficientInstanceCapacity" in (loop.group("scarce").activities[0].failure or "")
    loop.when(lambda: running_on(loop.sim, "a10g"))
    assert loop.group("plenty").desired == 1
    loop.when(lambda: loop.group("scarce").desired == 0)
    withdraw(loop, "a10g")


@pytest.mark.thorough
def test_a_capacity_block_is_touched_by_who_goes_by_the_usual_tags_and_not_by_ours(loop, autoscaler, program):
    """Its nodes would be taken away before it ends, and asked for before it begins."""
    market = {"MarketType": "capacity-block"}
    target = {"CapacityReservationTarget": {"CapacityReservationId": BLOCK}}
    data = {"InstanceType": "p5.48xlarge", "InstanceMarketOptions": market, "CapacityReservationSpecification": target}
    made = loop.sim.account.call("ec2", "create_launch_template", LaunchTemplateName="block", LaunchTemplateData=data)
    template = {"id": made["LaunchTemplate"]["LaunchTemplateId"], "version": "1"}
    add_group(
        loop.sim,
        "block",
        "p5.48xlarge",
        nodes=0,
        capacityType="CAPACITY_BLOCK",
        launchTemplate=template,
        instanceTypes=None,
    )
    ask(loop, "train", {NVIDIA_GPU: 8}, "block")
    seen = loop.aws.answered["autoscaling", "describe_auto_scaling_groups"]
    loop.when(lambda: loop.aws.answered["autoscaling", "describe_auto_scaling_groups"] >= seen + 3)

    assert loop.group("block").desired == 0
    assert loop.group("block").name not in autoscaler.log()

    with started(loop, program, USUAL_TAGS) as usual:
        loop.when(lambda: loop.group("block").activities)
        assert loop.group("block").name in usual.log()
    assert "Capacity Block" in (loop.group("block").activities[0].failure or "")
    withdraw(loop, "train")


@pytest.mark.parametrize(
    ("given", "flag", "told"),
    [
        pytest.param({}, "scan-interval", "500000000ns", id="default"),
        pytest.param({"scale-down-unneeded-time": "5m"}, "scale-down-unneeded-time", "15000000000ns", id="given"),
        pytest.param({}, "scale-down-delay-after-delete", "0s", id="none"),
        pytest.param({"expander": "priority"}, "expander", "priority", id="no-duration"),
        pytest.param({"max-inactivity": "10m"}, "max-inactivity", "10m", id="bounds-its-own-computing"),
    ],
)
def test_durations_are_divided_by_the_pace(given, flag, told):
    assert paced(given, Pace(20))[flag] == told


def test_a_duration_that_go_does_not_read_is_refused():
    with pytest.raises(ValueError, match=r"--scan-interval: found '10 s'; allowed: a duration as Go writes it"):
        paced({"scan-interval": "10 s"}, Pace(20))
