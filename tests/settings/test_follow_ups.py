"""One mistake is told once: what only follows from it is left out, and what has nothing to do with it is not."""

import inspect
import re

import pytest

from eks_accelerators.settings.partial import OF_THE_PLACE
from eks_accelerators.settings.problems import errors
from eks_accelerators.settings.rules import RULES
from eks_accelerators.settings.rules.consequences import CONSEQUENCES
from tests.settings.example import REMOVED, check
from tests.settings.stack_files import check_file

GROUP, QWEN = "nodeGroups.gpu", "workloads.vllm.qwen"
OTHERS = {
    "cluster.endpoint.privateAccess": False,
    "monitoring.alerts": {"enabled": True},
    "monitoring.prometheus": "none",
}
"""Mistakes by rule that have nothing to do with node groups, workloads, the region or the network."""
OF_OTHERS = [("alerts-without-prometheus", "monitoring.alerts.enabled"), ("endpoint-unreachable", "cluster.endpoint")]

GROUPS = {"gpu": {"instanceType": "g6.2xlarge", "size": {"desired": 1, "max": 2}}}
TRAIN = {
    "nodeGroup": "gpu",
    "acceleratorsPerNode": 1,
    "program": "train.py",
    "volumes": {"data": {"mountPath": "/data"}},
}

TOPIC = {"sns": {"topicArn": "arn:aws:sns:us-east-2:111122223333:alerts"}}
NEURON = {f"{GROUP}.zones": ["us-east-2a"], f"{GROUP}.localNvme": "raid0", "workloads": {}}

ALONE = {
    "no-nodes-with-a-storage": (
        {"workloads": {"pytorchJob": {"train": {**TRAIN, "nodes": 0}}}, "storage.data.efs": {"onDestroy": "delete"}},
        ("invalid-value", "workloads.pytorchJob.train.nodes"),
    ),
    "section-misspelt": ({"nodeGroups": REMOVED, "nodeGroup": GROUPS}, ("unknown-key", "nodeGroup")),
    "section-of-another-type": ({"nodeGroups": [GROUPS]}, ("wrong-type", "nodeGroups")),
    "group-of-nothing": ({GROUP: None}, ("wrong-type", GROUP)),
    "group-without-a-type": ({f"{GROUP}.instanceType": REMOVED}, ("missing-key", f"{GROUP}.instanceType")),
    "group-of-no-type": ({f"{GROUP}.instanceType": "g6.2xlrge"}, ("unknown-instance-type", f"{GROUP}.instanceType")),
    "required-key-misspelt": ({"owner": REMOVED, "ownr": "ml"}, ("unknown-key", "ownr")),
    "sizes-in-the-wrong-order": (
        {f"{GROUP}.size": {"desired": 3, "max": 2}, f"{QWEN}.replicas": 3},
        ("size-order", f"{GROUP}.size"),
    ),
    "more-nodes-than-there-are": ({f"{QWEN}.nodesPerReplica": 3}, ("server-nodes-size", f"{QWEN}.nodesPerReplica")),
    "server-on-the-other-maker-s-accelerators": (
        {"workloads.neuronVllm.other": {"model": "Qwen/Qwen2.5-0.5B-Instruct", "nodeGroup": "gpu"}},
        ("workload-not-on-neuron", "workloads.neuronVllm.other.nodeGroup"),
    ),
    "more-gpus-than-there-are": (
        {f"{QWEN}.tensorParallelSize": 2},
        ("workload-tensor-parallel", f"{QWEN}.tensorParallelSize"),
    ),
    "efa-that-is-not-there": (
        {f"{GROUP}.efa.enabled": True, f"{QWEN}.efaInterfaces": 1},
        ("efa-not-supported", f"{GROUP}.efa.enabled"),
    ),
    "image-by-a-part-of-its-key": (
        {f"{GROUP}.ami": {"type": "CUSTOM", "id": "ami-0123456789abcdef0"}},
        ("unknown-key", f"{GROUP}.ami.id"),
    ),
    "image-of-another-maker": (
        {f"{GROUP}.instanceType": "trn1.32xlarge", **NEURON, f"{GROUP}.ami.type": "BOTTLEROCKET_x86_64_NVIDIA"},
        ("ami-not-for-neuron", f"{GROUP}.ami.type"),
    ),
    "block-misspelt": (
        {
            f"{GROUP}.capacityBlock": "blok",
            f"{GROUP}.size": {"max": 2},
            "capacityBlocks.block.reservationId": "cr-0123456789abcdef0",
            "workloads": {},
        },
        ("capacity-block-not-named", f"{GROUP}.capacityBlock"),
    ),
    "sharing-misspelt": (
        {f"{GROUP}.sharing": {"strategy": "time-slicing", "replicas": 4}},
        ("not-allowed", f"{GROUP}.sharing.strategy"),
    ),
    "storage-misspelt": (
        {"storage.data.efs": {"onDestroy": "delete"}, f"{QWEN}.volumes.date": {"mountPath": "/data"}},
        ("volume-unknown", f"{QWEN}.volumes.date"),
    ),
    "region-misspelt": ({"region": "us-eats-2"}, ("zones-of-region", "region")),
    "region-that-nobody-knows": (
        {"region": "us-east-9", "network.create.zones": ["us-east-9a", "us-east-9b"]},
        ("region-unknown", "region"),
    ),
    "topic-of-the-region-that-was-meant": (
        {
            "region": "us-eats-2",
            "monitoring.prometheus": "amp",
            "monitoring.alerts": {"enabled": True, "receiver": TOPIC},
        },
        ("zones-of-region", "region"),
    ),
    "storage-of-nothing": (
        {"storage": {"data": None}, f"{QWEN}.volumes.data": {"mountPath": "/data"}},
        ("wrong-type", "storage.data"),
    ),
}


@pytest.mark.parametrize(("patch", "only"), ALONE.values(), ids=ALONE)
def test_a_mistake_is_told_alone(patch, only):
    problems = check(patch).problems

    assert [(each.code, each.path) for each in problems] == [only], [str(each) for each in problems]


@pytest.mark.parametrize(("patch", "only"), ALONE.values(), ids=ALONE)
def test_and_hides_no_other(patch, only):
    found = [(each.code, each.path) for each in check(patch | OTHERS).problems]

    assert sorted(found) == sorted([only, *OF_OTHERS])


FOLLOWED = {f"{QWEN}.autoscaling": {"max": 2}, f"{GROUP}.autoscaler": "clusterAutoscaler"}
NO_PROMETHEUS = {
    "address-with-a-password": (
        {"prometheus": "existing", "prometheusAddress": "http://me:secret@prometheus:9090"},
        ("invalid-value", "monitoring.prometheusAddress"),
    ),
    "kind-misspelt": ({"prometheus": "stak"}, ("not-allowed", "monitoring.prometheus")),
    "no-keys": (True, ("wrong-type", "monitoring")),
    "none-at-all": ({"prometheus": "none"}, ("autoscaling-without-prometheus", f"{QWEN}.autoscaling")),
}


@pytest.mark.parametrize(("monitoring", "only"), NO_PROMETHEUS.values(), ids=NO_PROMETHEUS)
def test_a_prometheus_that_is_written_wrongly_is_not_said_to_be_missing(monitoring, only):
    problems = check({**FOLLOWED, "monitoring": monitoring}).problems

    assert [(each.code, each.path) for each in problems] == [only]


def test_a_mistake_elsewhere_in_monitoring_hides_no_missing_prometheus():
    problems = check({**FOLLOWED, "monitoring.retentionDays": "long"}).problems

    assert [each.code for each in problems] == ["wrong-type", "autoscaling-without-prometheus"]


def test_replicas_beside_autoscaling_are_not_counted_as_well():
    follows = {f"{QWEN}.autoscaling": {"max": 2}, f"{QWEN}.replicas": 2}

    problems = check({**follows, "monitoring.prometheus": "stack"}).problems

    assert [each.code for each in problems] == ["autoscaling-beside-replicas", "autoscaling-waits-for-nodes"]


def test_a_node_without_efa_hides_nothing_else_that_a_pod_asks_for_in_vain():
    job = {"nodeGroup": "gpu", "nodes": 1, "acceleratorsPerNode": 8, "program": "train.py", "efaInterfaces": 32}
    asked = {"workloads": {"pytorchJob": {"train": {**job, "resources": {"cpu": "96", "memoryGib": 8}}}}}

    found = [(each.code, each.path.rpartition(".train.")[2], each.found) for each in errors(check(asked).problems)]

    assert found == [
        ("workload-request", "resources.cpu", "96 CPU"),
        ("workload-request", "acceleratorsPerNode", "8 nvidia.com/gpu"),
        ("workload-efa", "efaInterfaces", "32"),
    ]


HIDDEN_BEFORE = {
    "no-owner": {"owner": REMOVED},
    "no-region": {"region": REMOVED},
    "no-network": {"network": REMOVED},
    "wrong-network": {"network": ["us-east-2a"]},
    "no-zones": {"network.create.zones": REMOVED},
    "nothing-of-all": {"owner": REMOVED, "region": REMOVED, "network": REMOVED},
}


@pytest.mark.parametrize("patch", HIDDEN_BEFORE.values(), ids=HIDDEN_BEFORE)
def test_what_no_stack_does_without_hides_no_other_mistake(patch):
    found = [(each.code, each.path) for each in check(patch | OTHERS | {f"{QWEN}.replicas": 8}).problems]

    assert {*OF_OTHERS, ("workload-request", f"{QWEN}.replicas")} <= set(found)
    assert {code for code, _ in found} <= {
        "missing-key",
        "wrong-type",
        "workload-request",
        *(code for code, _ in OF_OTHERS),
    }


def test_below_a_misspelt_key_all_is_told_where_it_is_written(tmp_path):
    groups = {"gpu": {"instanceType": "g6.2xlrge", "size": {"max": "2"}}}
    problems = check_file(tmp_path, {"nodeGroups": REMOVED, "nodeGroup": groups}).problems
    lines = (tmp_path / "Pulumi.test.yaml").read_text(encoding="utf-8").splitlines()

    found = {(each.code, each.path): lines[(each.line or 0) - 1].strip() for each in problems}
    assert found == {
        ("unknown-key", "nodeGroup"): "eks-accelerators:nodeGroup:",
        ("wrong-type", "nodeGroup.gpu.size.max"): "max: '2'",
        ("unknown-instance-type", "nodeGroup.gpu.instanceType"): "instanceType: g6.2xlrge",
    }


def test_consequences_are_of_rules():
    assert {*CONSEQUENCES, *(code for codes in CONSEQUENCES.values() for code in codes)} <= set(RULES)
    assert [code for code, codes in CONSEQUENCES.items() if code in codes] == []


def test_rules_that_ask_where_the_stack_is_are_known():
    asks = re.compile(r"settings\.region\b|settings\.network|_zones\(|group\.zones")
    found = {code for code, rule in RULES.items() if asks.search(inspect.getsource(rule.check))}

    only_whether_there_is_a_stack = {"storage-class-unknown", "volume-unknown"}
    assert found - OF_THE_PLACE == only_whether_there_is_a_stack
