"""Faults in the midst of a load: how they are written, and what a GPU that fails does to its servers."""

import pytest

from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.simulator.load.crashes import crashed, show
from eks_accelerators.simulator.load.fault_targets import check_autoscaler
from eks_accelerators.simulator.load.fleet import Placed
from eks_accelerators.simulator.load.timed_faults import NO_CAPACITY, parse_timed
from eks_accelerators.simulator.metrics.cluster import ClusterObjects
from eks_accelerators.simulator.metrics.fault_kinds import KINDS
from eks_accelerators.simulator.metrics.faults import DeviceFaults, FaultError
from tests.simulator.load.models import LLAMA

GROUPS = ("l4-shared", "h100")
ALL = ", ".join([*KINDS, NO_CAPACITY])


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
        ("no-capacity:a100/us-east-2a", "found 'a100'; allowed: h100, l4-shared"),
        ("no-capacity:h100/", "found no zone after /; allowed: a zone of h100; write no-capacity:h100"),
        ("flood", f"found 'flood'; allowed: {ALL}; write one of them, such as xid=79:GROUP"),
        ("no-capcity:l4-shared", f"found 'no-capcity'; allowed: {ALL}; write no-capacity:GROUP"),
        ("autoscaler=keda", f"found 'autoscaler'; allowed: {ALL}; write autoscaler-down=keda"),
        ("lost-gpus:h100@+5m", f"found 'lost-gpus'; allowed: {ALL}; write lost-gpu:GROUP"),
    ],
)
def test_mistakes_are_named(text, said):
    with pytest.raises(FaultError) as error:
        parse_timed(text, GROUPS)

    assert f"--fault {text.partition('@')[0]}" in str(error.value)
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


@pytest.mark.parametrize(
    ("text", "zone"), [("no-capacity:h100", None), ("no-capacity:h100/us-east-2a@+5m..+20m", "us-east-2a")]
)
def test_a_shortage_is_of_all_zones_or_of_one(text, zone):
    fault = parse_timed(text, GROUPS)

    assert (fault.group, fault.zone) == ("h100", zone)


def autoscaler_refused(text, autoscalers):
    with pytest.raises(FaultError) as error:
        check_autoscaler(parse_timed(text, GROUPS), autoscalers)
    return str(error.value)


def test_an_autoscaler_that_goes_down_is_one_of_the_stack():
    check_autoscaler(parse_timed("autoscaler-down=keda@+5m", GROUPS), [Exporter.KEDA])

    assert autoscaler_refused("autoscaler-down=karpenter", [Exporter.KEDA, Exporter.CLUSTER_AUTOSCALER]) == (
        "--fault autoscaler-down=karpenter: found 'karpenter'; allowed: keda, cluster-autoscaler; write autoscaler-down=keda"
    )
    assert autoscaler_refused("autoscaler-down", []) == (
        "--fault autoscaler-down: found 'keda'; allowed: none, as nothing of this stack follows the load; write another fault"
    )
    assert autoscaler_refused("autoscaler-down=keda:h100", [Exporter.KEDA]) == (
        "--fault autoscaler-down=keda:h100: found 'h100'; allowed: no node group and no node; write autoscaler-down=keda"
    )


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
