"""Whatever breaks in a simulated cluster is found, by the right code and by no other."""

import pytest

from eks_accelerators.simulator.metrics.fault_kinds import KINDS
from tests.verification.worlds import Level, verified, wrong

ONE = {}
SHARED = {"nodeGroups.gpu.sharing": {"strategy": "timeSlicing", "replicas": 4}}
EIGHT = {
    "nodeGroups.gpu": {
        "instanceType": "p5.48xlarge",
        "size": {"desired": 1, "max": 2},
        "disk": {"sizeGib": 500},
        "zones": ["us-east-2a"],
        "efa": {"enabled": True},
    },
    "workloads": {},
}
DIVIDED = {
    "nodeGroups.gpu": {
        "instanceType": "p5.48xlarge",
        "size": {"desired": 1, "max": 2},
        "disk": {"sizeGib": 500},
        "sharing": {"strategy": "mig", "mig": {"layout": {"1g.10gb": 7}, "strategy": "mixed"}},
    },
    "workloads": {},
}
TRAINIUM = {
    "nodeGroups.gpu": {
        "instanceType": "trn1.32xlarge",
        "size": {"desired": 1, "max": 1},
        "disk": {"sizeGib": 500},
        "zones": ["us-east-2a"],
        "efa": {"enabled": True},
    },
    "workloads": {},
}
TRAINIUMS = {**TRAINIUM, "nodeGroups.gpu": {**TRAINIUM["nodeGroups.gpu"], "size": {"desired": 2, "max": 2}}}
TRAINIUM2 = {
    "nodeGroups.gpu": {**TRAINIUM["nodeGroups.gpu"], "instanceType": "trn2.48xlarge", "zones": ["us-east-2b"]},
    "network": {"create": {"zones": ["us-east-2b", "us-east-2a"]}},
    "workloads": {},
}
T4 = {"nodeGroups.gpu.instanceType": "g4dn.xlarge", "nodeGroups.gpu.disk": {"sizeGib": 200}, "workloads": {}}
CLAIMED = {
    "nodeGroups.gpu": {
        "instanceType": "g6.12xlarge",
        "size": {"desired": 1, "max": 2},
        "disk": {"sizeGib": 200},
        "dynamicResourceAllocation": True,
    },
    "workloads": {},
}
MOUNTED = {
    "nodeGroups.gpu": {
        "instanceType": "g6.2xlarge",
        "size": {"desired": 1, "max": 2},
        "zones": ["us-east-2a"],
        "localNvme": "raid0",
    },
    "storage": {
        "data": {
            "fsxLustre": {"zone": "us-east-2a", "deploymentType": "PERSISTENT_2", "throughputMibpsPerTib": 125},
        },
        "models": {"s3Bucket": {"bucket": "example-models"}},
        "scratch": {"nodeCache": {}},
    },
    "workloads.vllm.qwen.volumes": {
        "data": {"mountPath": "/data"},
        "models": {"mountPath": "/weights", "readOnly": True},
        "scratch": {"mountPath": "/scratch"},
    },
}
STACKS = {
    "mounted": MOUNTED,
    "one": ONE,
    "shared": SHARED,
    "eight": EIGHT,
    "pair": EIGHT,
    "trainium pair": TRAINIUMS,
    "divided": DIVIDED,
    "trainium": TRAINIUM,
    "trainium2": TRAINIUM2,
    "t4": T4,
    "claimed": CLAIMED,
}
NODES = {"pair": 2, "trainium pair": 2}
"""Of each group; one of those that are not here."""


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("level", Level)
def test_nothing_is_wrong_where_nothing_is_broken(stack, level):
    findings = verified(STACKS[stack], level=level, nodes=NODES.get(stack, 1))

    assert wrong(findings) == []
    assert any(each.severity.value == "pass" for each in findings)


FOUND = {
    ("shared", "xid=79:gpu", Level.QUICK): ("gpu-xid", "reboot"),
    ("shared", "xid=48", Level.QUICK): ("gpu-xid", "reset"),
    ("eight", "xid=54", Level.QUICK): ("gpu-xid", "isolate"),
    ("eight", "xid=79", Level.THOROUGH): ("gpu-xid", "reboot"),
    ("shared", "lost-gpu", Level.QUICK): ("gpu-count", "isolate"),
    ("eight", "lost-gpu", Level.QUICK): ("gpu-count", "isolate"),
    ("one", "lost-gpu", Level.API): ("gpu-count", "isolate"),
    ("one", "ecc", Level.API): ("gpu-xid", "reset"),
    ("one", "row-remap=failed", Level.API): ("gpu-xid", "reset"),
    ("one", "throttle", Level.QUICK): ("gpu-clocks", "monitor"),
    ("one", "throttle=power-brake", Level.QUICK): ("gpu-clocks", "monitor"),
    ("eight", "nvlink", Level.QUICK): ("gpu-links", "isolate"),
    ("eight", "slow-link", Level.STANDARD): ("collective-bandwidth", "isolate"),
    ("pair", "slow-link", Level.THOROUGH): ("collective-bandwidth", "isolate"),
    ("trainium pair", "slow-link", Level.THOROUGH): ("network-bandwidth", "monitor"),
    ("pair", "slow-network", Level.THOROUGH): ("network-bandwidth", "monitor"),
    ("pair", "slow-network=tcp", Level.THOROUGH): ("network-over-efa", "monitor"),
    ("mounted", "slow-volume", Level.STANDARD): ("volume-bandwidth", "monitor"),
    ("claimed", "lost-gpu", Level.QUICK): ("gpu-count", "isolate"),
    ("divided", "mig-layout", Level.QUICK): ("gpu-mig-layout", "reboot"),
    ("shared", "kubelet-down", Level.API): ("node-ready", "reboot"),
    ("one", "plugin-down", Level.QUICK): ("node-allocatable", "monitor"),
    ("one", "condition=NetworkingReady", Level.QUICK): ("node-condition", "reboot"),
    ("trainium", "neuron-ecc", Level.QUICK): ("node-condition", "isolate"),
    ("eight", "pcie-replays", Level.THOROUGH): ("dcgm-diagnostic", "isolate"),
}


@pytest.mark.parametrize(("stack", "fault", "level"), FOUND)
def test_each_fault_is_found_by_its_code_alone(stack, fault, level):
    found = verified(STACKS[stack], fault, level=level, nodes=NODES.get(stack, 1))

    assert wrong(found) == [FOUND[stack, fault, level]]


@pytest.mark.parametrize(("stack", "fault", "level"), FOUND)
def test_a_finding_says_what_was_expected_by_whom_what_was_found_and_what_to_do(stack, fault, level):
    for each in verified(STACKS[stack], fault, level=level, nodes=NODES.get(stack, 1)):
        assert all((each.code, each.where, each.expected, each.source, each.found)), each
        assert bool(each.next_step) == bool(each.runbook) == each.severity.failed


HARMLESS = {
    "xid=13": "a program's own fault: the node is well",
    "exporter-down": "an exporter that is there, and does not answer, is for alerts",
    "autoscaler-down": "an autoscaler that does nothing is for alerts",
}


@pytest.mark.parametrize("fault", HARMLESS)
def test_what_is_no_fault_of_the_node_is_not_reported(fault):
    assert wrong(verified(ONE, fault)) == []


def test_of_every_kind_of_fault_it_is_known_whether_it_is_found():
    tried = {fault.partition(":")[0].partition("=")[0] for _, fault, _ in FOUND} | {
        fault.partition("=")[0] for fault in HARMLESS
    }
    seen_by_alerts_alone = {
        "recovery",
        "efa",
        "neuron",
    }  # counters of exporters, which nothing in the API or a tool shows
    of_users_pods = {"memory-full", "pod-unready", "pod-crashes"}  # a server that does not answer is found as that

    assert tried | seen_by_alerts_alone | of_users_pods == set(KINDS)


def test_further_signs_of_a_cause_are_told_with_it():
    (found,) = [each for each in verified(SHARED, "xid=79:gpu") if each.severity.failed]

    assert [each.partition(":")[0] for each in found.evidence] == [
        "node-allocatable",
        "gpu-count",
        "gpu-shares",
        "server-answers",
    ]


def test_two_faults_are_two_findings():
    assert wrong(verified(EIGHT, "throttle", "nvlink")) == [("gpu-links", "isolate"), ("gpu-clocks", "monitor")]


def test_a_cause_on_one_node_explains_nothing_on_another():
    findings = verified(ONE, "lost-gpu", nodes=2, level=Level.API)

    assert wrong(findings) == [("gpu-count", "isolate")]
    assert {each.nodes for each in findings if each.code == "node-ready"} == {
        ("ip-10-20-0-0.ec2.internal",),
        ("ip-10-20-0-1.ec2.internal",),
    }


def test_what_two_levels_could_not_look_at_for_one_reason_is_told_once():
    (found,) = [each for each in verified(SHARED, level=Level.THOROUGH) if each.code == "dcgm-diagnostic"]

    assert found.severity == "notVerified"
    assert found.expected == "dcgmi diag -r 1 passes; dcgmi diag -r 2 passes"
