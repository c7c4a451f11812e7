"""What node repair does, and when."""

import pytest

from eks_accelerators.settings.model.node_groups import NodeRepair, RepairAction
from eks_accelerators.simulator.load.node_repair import NodeRepairs


class Account:
    """Writes down what was asked."""

    def __init__(self):
        self.terminated = []

    def call(self, service, name, **parameters):
        assert (service, name) == ("autoscaling", "terminate_instance_in_auto_scaling_group")
        assert parameters["ShouldDecrementDesiredCapacity"] is False
        self.terminated.append(parameters["InstanceId"])


def node(name, condition=None, reason=""):
    conditions = [{"type": condition, "status": "False", "reason": reason}] if condition else []
    return {
        "metadata": {"name": name, "uid": name},
        "spec": {"providerID": f"aws:///us-east-2a/i-{name}"},
        "status": {"conditions": [{"type": "Ready", "status": "True"}, *conditions]},
    }


def acted(nodes, settings=NodeRepair(), until=3600):  # noqa: B008  (it does not change)
    """When which instances were terminated."""
    account = Account()
    repairs = NodeRepairs(account, lambda: None, {"gpu": settings})
    found = {}
    for now in range(0, until, 10):
        repairs.look({"gpu": nodes}, float(now))
        for instance in account.terminated:
            found.setdefault(instance, now)
    return found


HARDWARE = "AcceleratedHardwareReady"
OVERRIDE = {
    "node_monitoring_condition": HARDWARE,
    "node_unhealthy_reason": "NvidiaXID79Error",
    "min_repair_wait_time_mins": 2,
}


@pytest.mark.parametrize(
    ("broken", "settings", "expected"),
    [
        (node("a", HARDWARE, "NvidiaXID79Error"), NodeRepair(), {"i-a": 600}),
        (node("a", "KernelReady", "ForkFailedOutOfPIDs"), NodeRepair(), {"i-a": 1800}),
        (node("a", "Ready", "KubeletNotReady"), NodeRepair(), {"i-a": 1800}),
        (node("a", HARDWARE, "DCGMError"), NodeRepair(), {}),
        (node("a", HARDWARE, "NvidiaXID79Error"), NodeRepair(enabled=False), {}),
        (node("a"), NodeRepair(), {}),
        (
            node("a", HARDWARE, "NvidiaXID79Error"),
            NodeRepair(overrides=({**OVERRIDE, "repair_action": RepairAction.REPLACE},)),
            {"i-a": 120},
        ),
        (
            node("a", HARDWARE, "NvidiaXID79Error"),
            NodeRepair(overrides=({**OVERRIDE, "repair_action": RepairAction.NO_ACTION},)),
            {},
        ),
    ],
)
def test_what_is_done_and_after_how_long(broken, settings, expected):
    assert acted([broken, node("b")], settings) == expected


def test_where_many_are_unhealthy_nothing_is_repaired():
    """More than five nodes, and more than a fifth of them."""
    broken = [node(f"x{n}", HARDWARE, "NvidiaXID79Error") for n in range(2)]

    assert acted([*broken, *(node(f"y{n}") for n in range(4))]) == {}
    assert set(acted([*broken, *(node(f"y{n}") for n in range(8))])) == {"i-x0", "i-x1"}
