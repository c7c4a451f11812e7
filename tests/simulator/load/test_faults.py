"""Faults in the midst of a load: how they are written, and what a GPU that fails does to its servers."""

import pytest

from eks_accelerators.simulator.load.crashes import crashed, show
from eks_accelerators.simulator.load.fleet import Placed
from eks_accelerators.simulator.load.timed_faults import parse_timed
from eks_accelerators.simulator.metrics.cluster import ClusterObjects
from eks_accelerators.simulator.metrics.faults import DeviceFaults, FaultError
from tests.simulator.load.models import LLAMA

GROUPS = ("l4-shared", "h100")


@pytest.mark.parametrize(
    ("text", "what", "at", "group"),
    [
        ("xid=79:l4-shared@+5m", "xid=79:l4-shared", 300, ""),
        ("lost-gpu@90s", "lost-gpu", 90, ""),
        ("exporter-down:l4-shared", "exporter-down=dcgm-exporter:l4-shared", 0, ""),
        ("no-capacity:h100@+1h", None, 3600, "h100"),
    ],
)
def test_what_can_be_written(text, what, at, group):
    fault = parse_timed(text, GROUPS)

    assert (str(fault.device) if fault.device else None, fault.at, fault.group) == (what, at, group)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("xid=79@soon", "found 'soon'; allowed: a time from the beginning; write xid=79@+5m"),
        ("no-capacity", "found ''; allowed: h100, l4-shared"),
        ("lost-gpu@+5m..later", "found '+5m..later'; allowed: a time from the beginning; write lost-gpu@+5m"),
        ("lost-gpu@+5m..+4m", "found '+4m'; allowed: an end after the begin; write lost-gpu@+5m..+15m"),
        ("no-capacity:a100", "found 'a100'; allowed: h100, l4-shared"),
        ("flood", "found 'flood'; allowed: xid"),
    ],
)
def test_mistakes_are_named(text, said):
    with pytest.raises(FaultError) as error:
        parse_timed(text, GROUPS)

    assert f"--fault {text}" in str(error.value) or "--fault flood" in str(error.value)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("text", "at", "ends"),
    [
        ("exporter-down@+5m..+20m", 300, 1200),
        ("no-capacity:h100@5m..20m", 300, 1200),
        ("plugin-down@+5m", 300, None),
        ("plugin-down", 0, None),
    ],
)
def test_it_can_end(text, at, ends):
    fault = parse_timed(text, GROUPS)

    assert (fault.at, fault.ends) == (at, ends)


def node(name):
    return {
        "metadata": {
            "name": name,
            "uid": name,
            "labels": {"node.kubernetes.io/instance-type": "g6.2xlarge", "eks-accelerators/node-group": "l4-shared"},
        },
        "spec": {},
        "status": {"conditions": [{"type": "Ready", "status": "True"}]},
    }


@pytest.mark.parametrize(
    ("text", "fails"), [("xid=79", True), ("lost-gpu", True), ("xid=13", False), ("throttle", False)]
)
def test_servers_of_a_gpu_that_fails_end(text, fails):
    """All that share it, and nobody on another node. XID 13 is a fault of a program."""
    placed = {
        ("llm", "a"): Placed("one/0", LLAMA),
        ("llm", "b"): Placed("one/0", LLAMA),
        ("llm", "c"): Placed("two/0", LLAMA),
    }
    nodes, faults = [node("one"), node("two")], DeviceFaults([parse_timed(text, GROUPS).device])
    faults.strike(ClusterObjects(nodes=nodes), 0.0)

    assert crashed(placed, nodes, faults) == ({("llm", "a"), ("llm", "b")} if fails else set())


def test_the_cluster_sees_that_they_do_not_answer():
    class Api:
        changes = []

        def patch(self, _version, _kind, name, _namespace, change, subresource):
            self.changes.append((name, subresource, change["status"]))

    ready = [{"type": "Ready", "status": "True"}, {"type": "Initialized", "status": "True"}]
    containers = [{"name": "vllm", "ready": True, "restartCount": 2}]
    pod = {
        "metadata": {"name": "a", "namespace": "llm"},
        "status": {"conditions": ready, "containerStatuses": containers},
    }

    show(Api(), [pod], {("llm", "a")})

    ((name, subresource, status),) = Api.changes
    assert (name, subresource) == ("a", "status")
    assert [(each["type"], each["status"]) for each in status["conditions"]] == [
        ("Ready", "False"),
        ("Initialized", "True"),
    ]
    assert (status["containerStatuses"][0]["ready"], status["containerStatuses"][0]["restartCount"]) == (False, 3)
