"""The real Karpenter makes nodes of whole GPUs from nothing on the simulated account, and takes them away."""

import re
import urllib.request
from datetime import timedelta

import pytest

from eks_accelerators.accelerators import durations, instance_types, scheduling
from eks_accelerators.accelerators.device_plugin import config_key
from eks_accelerators.accelerators.sharing import EXCLUSIVE, NVIDIA_GPU
from eks_accelerators.monitoring.metrics import metrics
from eks_accelerators.simulator.kubernetes.definitions import install_definitions
from eks_accelerators.simulator.node_autoscalers.karpenter import karpenter, paced_pool
from eks_accelerators.simulator.pace import Pace
from tests.simulator.aws.accounts import role
from tests.simulator.further import further
from tests.simulator.scaled_clusters import scaled_cluster
from tests.simulator.small_clusters import (
    CLUSTER,
    NVIDIA_TOLERATION,
    REGION,
    ZONES,
    deployment,
    install_nvidia_plugin,
    pods,
    running_on,
)

PACE = Pace(30)
POOL_LABEL = "karpenter.sh/nodepool"
L4 = instance_types.find("g6.2xlarge")
TYPES = ["g5.2xlarge", "g6.2xlarge"]
CLASS = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "gpu"}


@pytest.fixture(scope="module")
def program():
    return further("karpenter")["karpenter"]


@pytest.fixture(scope="module")
def loop(engines, program, tmp_path_factory):
    """A cluster with the device plugin; of the cheaper of two types EC2 has none."""
    world = {"insufficientCapacity": [{"instanceType": "g6.2xlarge"}]}
    with scaled_cluster(tmp_path_factory.mktemp("loop") / "sim", engines, PACE, **world) as made:
        install_nvidia_plugin(made.sim, EXCLUSIVE)
        install_definitions(made.sim.cluster.api, program)
        role(made.sim.account, "karpenter-node", "ec2.amazonaws.com")
        yield made


def node_class(loop):
    config = loop.sim.account.call("eks", "describe_cluster", name=CLUSTER)["cluster"]["resourcesVpcConfig"]
    listed = loop.sim.account.call("ec2", "describe_subnets", SubnetIds=config["subnetIds"])["Subnets"]
    inside = [{"id": each["SubnetId"]} for each in listed if not each["MapPublicIpOnLaunch"]]
    vpc = [{"Name": "vpc-id", "Values": [listed[0]["VpcId"]]}]
    (group, *_) = loop.sim.account.call("ec2", "describe_security_groups", Filters=vpc)["SecurityGroups"]
    return {
        "apiVersion": "karpenter.k8s.aws/v1",
        "kind": "EC2NodeClass",
        "metadata": {"name": "gpu"},
        "spec": {
            "role": "karpenter-node",
            "amiSelectorTerms": [{"alias": "al2023@latest"}],
            "subnetSelectorTerms": inside,
            "securityGroupSelectorTerms": [{"id": group["GroupId"]}],
        },
    }


def pool(**disruption):
    identity = scheduling.identity_of(L4)
    labels = {**identity.node_selector, scheduling.DEVICE_PLUGIN_CONFIG_LABEL: config_key(EXCLUSIVE)}
    asked = {"node.kubernetes.io/instance-type": TYPES, "karpenter.sh/capacity-type": ["on-demand"]}
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": "gpu"},
        "spec": {
            "limits": {NVIDIA_GPU: 2},
            "disruption": {"consolidationPolicy": "WhenEmpty", "consolidateAfter": "5m", **disruption},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "nodeClassRef": CLASS,
                    "expireAfter": "Never",
                    "taints": [{"key": NVIDIA_GPU, "value": "true", "effect": "NoSchedule"}],
                    "requirements": [{"key": key, "operator": "In", "values": values} for key, values in asked.items()],
                },
            },
        },
    }


def nodes_of_pool(loop):
    return loop.sim.cluster.api.list("v1", "Node", None, f"{POOL_LABEL}=gpu")


def shown(running):
    """What it has of the metrics of the catalogue, as Prometheus reads them: value by name and labels."""
    text = urllib.request.urlopen(running.metrics_url, timeout=30).read().decode()
    lines = (re.fullmatch(r"(karpenter_\w+)\{(.*)\} (\S+)", line) for line in text.splitlines())
    return {
        (line[1], frozenset(re.findall(r'(\w+)="([^"]*)"', line[2]))): float(line[3])
        for line in lines
        if line and metrics().get(line[1])
    }


def of_pool(what, resource=NVIDIA_GPU):
    """The series of a resource of the pool, as alerts and dashboards ask for it."""
    return f"karpenter_nodepools_{what}", frozenset({("nodepool", "gpu"), ("resource_type", resource)})


@pytest.mark.thorough
def test_a_pool_of_whole_gpus_comes_from_nothing_goes_back_and_stays_within_its_limit(loop, program):
    api, state = loop.sim.cluster.api, loop.sim.account.state
    with karpenter(
        program, loop.sim.cluster, aws_url=loop.aws.url, region=REGION, cluster_name=CLUSTER, pace=PACE
    ) as running:
        api.apply(node_class(loop))
        api.apply(paced_pool(pool(), PACE))
        api.create(deployment("serve", 3, asks={NVIDIA_GPU: 1}, tolerations=[NVIDIA_TOLERATION]))

        launched = loop.when(lambda: state.fleet)
        served = loop.when(lambda: len(running_on(loop.sim, "serve")) == 2)

        takes = timedelta(seconds=durations.node_seconds("g5.2xlarge"))
        assert served - launched >= takes - timedelta(seconds=PACE.factor)
        assert {each.instance.instance_type for each in state.fleet} == {"g5.2xlarge"}
        assert {node["spec"]["providerID"] for node in nodes_of_pool(loop)} == {
            f"aws:///{each.instance.zone}/{each.instance.id}" for each in state.fleet
        }
        for node in nodes_of_pool(loop):
            labels, keys = node["metadata"]["labels"], [taint["key"] for taint in node["spec"].get("taints", [])]
            assert labels["karpenter.k8s.aws/instance-gpu-name"] == "a10g"
            assert labels["topology.kubernetes.io/zone"] in ZONES
            assert "karpenter.sh/unregistered" not in keys
        assert len(pods(loop.sim, "serve")) == 3
        assert len(state.fleet) == 2
        assert "all available instance types exceed limits" in running.log()

        loop.when(lambda: shown(running).get(of_pool("usage")) == 2)
        assert shown(running)[of_pool("limit")] == shown(running)[of_pool("usage", "nodes")] == 2
        assert [each for each in shown(running) if not {key for key, _ in each[1]} <= metrics()[each[0]].labels] == []

        api.delete("apps/v1", "Deployment", "serve", "default")
        loop.when(lambda: nodes_of_pool(loop) == [] and state.fleet == [])
        loop.when(lambda: api.list("karpenter.sh/v1", "NodeClaim") == [])
    assert loop.aws.unknown == {}


@pytest.mark.parametrize(
    ("disruption", "told"),
    [
        pytest.param({}, "15s", id="divided"),
        pytest.param({"consolidateAfter": "10s"}, "1s", id="at-least-a-second"),
        pytest.param({"consolidateAfter": "0s"}, "0s", id="at-once"),
        pytest.param({"consolidateAfter": "Never"}, "Never", id="never"),
    ],
)
def test_durations_of_a_pool_are_divided_by_the_pace(disruption, told):
    paced = paced_pool(pool(**disruption), Pace(20))

    assert paced["spec"]["disruption"]["consolidateAfter"] == told
    assert paced["spec"]["template"]["spec"]["expireAfter"] == "Never"


def test_a_duration_that_go_does_not_read_is_refused():
    with pytest.raises(ValueError, match="consolidateAfter: found '5 m'; allowed: a duration as Go writes it"):
        paced_pool(pool(consolidateAfter="5 m"), Pace(20))
