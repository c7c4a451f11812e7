"""From what the engine did, and its state, to how long it takes on real AWS."""

from typing import Any

import pytest

from eks_accelerators.accel.simulate.deploy_time import timeline_of
from eks_accelerators.simulator.outcome import EngineStep

STACK = "urn:pulumi:dev::p::"
CLUSTER, GROUP = f"{STACK}aws:eks/cluster:Cluster::c", f"{STACK}aws:eks/nodeGroup:NodeGroup::g"
POD, PROVIDER = f"{STACK}kubernetes:core/v1:Namespace::n", f"{STACK}pulumi:providers:kubernetes::k"


def resource(urn: str, dependencies: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    return {"urn": urn, "type": urn.split("::")[2], "custom": True, "dependencies": list(dependencies), **more}


STATE = {
    "resources": [
        resource(CLUSTER),
        resource(GROUP, (CLUSTER,)),
        resource(PROVIDER, (CLUSTER,)),
        resource(POD, provider=f"{PROVIDER}::0f"),
    ]
}


def names(timeline: Any) -> list[tuple[str, str]]:
    return [(step.action, step.name) for step in timeline.path]


def test_only_what_changed_takes_time():
    assert timeline_of([EngineStep("same", CLUSTER)], STATE, STATE).steps == ()
    assert names(timeline_of([EngineStep("same", CLUSTER), EngineStep("update", GROUP)], STATE, STATE)) == [
        ("update", "g")
    ]


def test_what_never_gets_ready_takes_as_long_as_it_is_waited_for():
    made = timeline_of([EngineStep("create", CLUSTER), EngineStep("create", POD)], {}, STATE, waits={POD: 600})

    assert made.makespan == made.path[-1].end == made.path[-1].start + 600


def test_a_creation_waits_for_what_it_depends_on():
    made = timeline_of([EngineStep("create", CLUSTER), EngineStep("create", GROUP)], {}, STATE)

    assert names(made) == [("create", "c"), ("create", "g")]
    assert made.makespan == sum(step.seconds for step in made.steps)


def test_an_object_in_the_cluster_waits_for_its_provider():
    steps = [EngineStep("create", urn) for urn in (CLUSTER, PROVIDER, POD)]

    assert names(timeline_of(steps, {}, STATE)) == [("create", "c"), ("create", "k"), ("create", "n")]


def test_a_deletion_goes_the_other_way():
    steps = [EngineStep("delete", GROUP), EngineStep("delete", CLUSTER)]

    assert names(timeline_of(steps, STATE, {})) == [("delete", "g"), ("delete", "c")]


@pytest.mark.parametrize("op", ["create-replacement", "replace"])
def test_a_replacement_counts_as_its_creation(op):
    steps = [EngineStep(op, GROUP), EngineStep("delete-replaced", GROUP)]

    assert names(timeline_of(steps, STATE, STATE)) == [("create", "g")]
