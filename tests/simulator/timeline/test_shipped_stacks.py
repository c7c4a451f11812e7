"""The stacks that are shipped, and one with tests of GPUs: nothing on their critical path waits without a reason."""

import pytest

from eks_accelerators.simulator.timeline import chart, operations, reason, schedule, sentence
from tests.accel.plans import STACKS, planned, shipped
from tests.accel.variations import VARIATIONS

EDGES_OF_NODES = {"aws:ec2/launchTemplate:LaunchTemplate", "aws:eks/nodeGroup:NodeGroup"}
WAY_OUT = {"aws:ec2/natGateway:NatGateway", "aws:ec2/route:Route", "aws:ec2/eip:Eip"}


def timeline(stack, action="create", **more):
    return schedule(operations(shipped(stack).recording.resources, action), **more)


@pytest.mark.parametrize("stack", STACKS)
def test_workers_hardly_matter(stack):
    made = timeline(stack)

    assert made.critical_seconds <= made.makespan <= 1.05 * made.critical_seconds


@pytest.mark.parametrize("action", ["create", "delete"])
@pytest.mark.parametrize("stack", STACKS)
def test_every_edge_of_the_critical_path_has_a_reason(stack, action):
    assert [edge for edge in timeline(stack, action).edges if reason(edge) is None] == []


@pytest.mark.parametrize("action", ["create", "update", "delete"])
@pytest.mark.parametrize("stack", STACKS)
def test_every_length_is_known(stack, action):
    assert timeline(stack, action).unknown == ()


@pytest.mark.parametrize("action", ["create", "delete"])
def test_nor_are_tests_of_gpus_waited_for_without_a_reason(tmp_path, action):
    resources = planned(tmp_path, VARIATIONS["gpu-tests"]).recording.resources
    made = schedule(operations(resources, action))

    assert {step.name for step in made.steps if step.type == "kubernetes:batch/v1:Job"} == {"hello", "load"}
    assert made.unknown == ()
    assert [edge for edge in made.edges if reason(edge) is None] == []


@pytest.mark.parametrize("stack", STACKS)
def test_how_long_it_takes(stack):
    created = {
        "dev": "20 min on AWS: cluster 10 → add-ons 1 → node group 3 → Llama 6",
        "staging": "24 min on AWS: cluster 10 → add-ons 1 → node group 3 → Llama-inf2 10",
        "prod": "39 min on AWS: cluster 10 → add-ons 1 → node group 8 → Llama-trn2-compile 10 → Llama-trn2 10",
    }
    total, server, node_group = {
        "dev": (14, "Llama", 8),
        "staging": (15, "Llama-inf2", 9),
        "prod": (16, "Llama-trn2 1 → Llama", 9),
    }[stack]
    assert sentence(timeline(stack)) == created[stack]
    assert sentence(timeline(stack, "delete")) == (
        f"{total} min on AWS: {server} 1 → node group {node_group} → cluster 3 → NAT 2"
    )


@pytest.mark.parametrize("stack", STACKS)
def test_the_control_plane_is_made_while_the_nat_gateway_is(stack):
    path = {step.type for step in timeline(stack).path}

    assert not path & WAY_OUT
    assert path >= EDGES_OF_NODES


@pytest.mark.parametrize("stack", STACKS)
def test_node_groups_are_deleted_at_a_time(stack):
    groups = [step for step in timeline(stack, "delete").steps if step.type == "aws:eks/nodeGroup:NodeGroup"]

    assert len({step.start for step in groups}) == 1


def test_a_chart_fits_a_terminal(snapshot):
    assert chart(timeline("prod", parallelism=None), 80) == snapshot
