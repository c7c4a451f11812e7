"""The way of a value through the house only goes down: parsed once, resolved once, and handed on as what it is by then.

`instance_type`, `replicas` of a sharing and the ID of a reservation are followed from the stack file to the resources of a
plan. Calls are counted by the interpreter, so that no name under which a function is imported hides one.
"""

import sys
import threading
from collections import Counter
from contextlib import contextmanager

import pytest

from eks_accelerators.components import validation as door
from eks_accelerators.settings import fit, resolved_node_group, resolved_stack, workload_kinds
from eks_accelerators.settings.resolved_stack import resolve_stack
from tests.accel.plans import planned
from tests.settings.example import check

H100 = {
    "nodeGroups.h100": {
        "instanceType": "p5.48xlarge",
        "size": {"max": 1},
        "zones": ["us-east-2a"],
        "capacityBlock": "training",
    },
    "capacityBlocks.training": {"reservationId": "cr-0123456789abcdef0"},
}
PATCH = {**H100, "nodeGroups.gpu.sharing": {"strategy": "timeSlicing", "replicas": 3}}

ONCE_PER_GROUP = (resolved_node_group.resolve, resolved_node_group.sharing_from)
ONCE_PER_STACK = (resolved_stack.resolve_stack,)
ONCE_PER_WORKLOAD = (workload_kinds.fit_of,)
DOORS = (door.as_model, door.release_inputs, door.resolve_group, door.resolve_workload)


@contextmanager
def counted(*functions):
    """How often each of ``functions`` is called, in any thread."""
    calls, names = Counter(), {function.__code__: function.__name__ for function in functions}

    def note(frame, event, _argument):
        if event == "call" and frame.f_code in names:
            calls[names[frame.f_code]] += 1

    before = sys.getprofile()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield calls
    finally:
        sys.setprofile(before)
        threading.setprofile(before)


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    functions = (*ONCE_PER_GROUP, *ONCE_PER_STACK, *ONCE_PER_WORKLOAD, *DOORS)
    with counted(*functions) as calls:
        plan = planned(tmp_path_factory.mktemp("walk"), PATCH)
    return plan, calls


def of(plan, kind):
    return [each["inputs"] for each in plan.report.as_data()["resources"] if each["type"].endswith(f":{kind}")]


def test_nothing_climbs_back(walk):
    _, calls = walk
    stack = resolve_stack(check(PATCH).settings)

    assert calls == {
        **{function.__name__: len(stack.groups) for function in ONCE_PER_GROUP},
        **{function.__name__: len(stack.workloads) for function in ONCE_PER_WORKLOAD},
        **{function.__name__: 1 for function in ONCE_PER_STACK},
    }


def test_rules_read_the_fit_of_the_resolved_workload():
    with counted(fit.pod_fit) as calls:
        checked = check(PATCH)

    assert calls == {"pod_fit": len(resolve_stack(checked.settings).workloads)}


def test_each_value_arrives(walk):
    plan, _ = walk
    templates, (configurations,) = of(plan, "LaunchTemplate"), [each["data"] for each in of(plan, "ConfigMap")]

    assert {each.get("instanceType", "that of the node group") for each in templates} == {
        "that of the node group",  # EKS refuses it in both
        "p5.48xlarge",
    }
    assert {tuple(each.get("instanceTypes", ())) for each in of(plan, "NodeGroup")} >= {("g6.2xlarge",)}
    assert [name for name, text in configurations.items() if '"replicas": 3' in text] == ["time-slicing-3"]
    assert [each["reservationId"] for each in of(plan, "CapacityBlock")] == ["cr-0123456789abcdef0"]
