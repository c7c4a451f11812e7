"""Pods on alike nodes: examples, and a count pod by pod that must agree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eks_accelerators.settings.placement import Alike, PlacementRequirements, place

SHARES = {"shares": 4, "cpu": 8000, "pods": 10}


@pytest.mark.parametrize(
    ("wanted", "nodes", "placed", "more"),
    [
        pytest.param([PlacementRequirements(3, {"shares": 1, "pods": 1})], 1, [3], [1], id="one-left"),
        pytest.param([PlacementRequirements(9, {"shares": 1, "pods": 1})], 2, [8], [0], id="one-too-many"),
        pytest.param([PlacementRequirements(9, {"shares": 1, "pods": 1})], 0, [0], [0], id="no-node"),
        pytest.param([PlacementRequirements(9, {"shares": 1, "cpu": 3000})], 2, [4], [0], id="another-resource-first"),
        pytest.param(
            [PlacementRequirements(2, {"shares": 3}), PlacementRequirements(5, {"shares": 1})],
            2,
            [2, 2],
            [0, 0],
            id="who-comes-first-is-served-first",
        ),
        pytest.param(
            [PlacementRequirements(2, {"shares": 1}), PlacementRequirements(2, {"shares": 3})],
            2,
            [2, 2],
            [0, 0],
            id="spread-evenly",
        ),
        pytest.param([PlacementRequirements(3, {"shares": 1}, together=True)], 2, [3], [1], id="together"),
        pytest.param(
            [PlacementRequirements(5, {"shares": 1}, together=True)], 2, [4], [0], id="together-on-one-node-only"
        ),
        pytest.param(
            [PlacementRequirements(2, {"shares": 3}, together=True), PlacementRequirements(9, {"shares": 1})],
            2,
            [1, 5],
            [0, 0],
            id="others-go-elsewhere",
        ),
        pytest.param(
            [PlacementRequirements(3, {"shares": 1}), PlacementRequirements(9, {"shares": 1}, together=True)],
            2,
            [3, 3],
            [2, 0],
            id="where-is-most-room",
        ),
        pytest.param([PlacementRequirements(1, {"shares": 1}, together=True)], 0, [0], [0], id="together-nowhere"),
        pytest.param(
            [PlacementRequirements(4, {"shares": 1}, max_skew=2, min_domains=2)], 1, [2], [2], id="half-wait-for-a-node"
        ),
        pytest.param(
            [
                PlacementRequirements(1, {"shares": 3}),
                PlacementRequirements(5, {"shares": 1}, max_skew=1, min_domains=2),
            ],
            2,
            [1, 3],
            [0, 2],
            id="never-two-more-than-on-another",
        ),
        pytest.param(
            [PlacementRequirements(5, {"shares": 1}, packed=True), PlacementRequirements(2, {"shares": 3})],
            3,
            [5, 2],
            [1, 0],
            id="packed-leaves-nodes-to-others",
        ),
        pytest.param([PlacementRequirements(1, {"elsewhere": 1})], 2, [0], [0], id="not-offered"),
        pytest.param([PlacementRequirements(1, {"cpu": float("inf")})], 2, [0], [0], id="more-than-anything"),
        pytest.param([PlacementRequirements(10**30, {"shares": 1})], 10**25, [4 * 10**25], [0], id="any-number"),
    ],
)
def test_who_finds_a_place(wanted, nodes, placed, more):
    found = place(wanted, SHARES, nodes)

    assert [found.placed(index) for index in range(len(wanted))] == placed
    assert [found.more(index) for index in range(len(wanted))] == more


def test_pods_of_a_workload_are_spread_over_the_nodes():
    found = place([PlacementRequirements(5, {"shares": 1})], SHARES, 3)

    assert set(found.nodes) == {Alike(2, (2,)), Alike(1, (1,))}


@pytest.mark.parametrize(
    ("request_", "short"),
    [
        pytest.param({"shares": 1}, ("shares",), id="shares"),
        pytest.param({"cpu": 3000}, ("cpu",), id="cpu"),
        pytest.param({"shares": 2, "cpu": 4000}, ("shares", "cpu"), id="both-at-once"),
    ],
)
def test_what_one_more_pod_would_lack(request_, short):
    assert place([PlacementRequirements(0, request_)], SHARES, 2).short_of(0) == short


AMOUNTS = st.integers(0, 4)
REQUESTS = st.fixed_dictionaries({"pods": st.just(1)}, optional={"shares": AMOUNTS, "cpu": AMOUNTS}).map(
    lambda request: {name: amount for name, amount in request.items() if amount}
)
WANTED = st.lists(st.builds(PlacementRequirements, st.integers(0, 12), REQUESTS, together=st.booleans()), max_size=3)
CAPACITIES = st.fixed_dictionaries({"shares": st.integers(0, 8), "cpu": st.integers(0, 8), "pods": st.integers(0, 6)})


def fits(free, request):
    return all(free[name] >= amount for name, amount in request.items())


def one_by_one(wanted, capacity, nodes):
    """Each pod goes to the node with the fewest of its own workload, and of these to the one with the fewest of all."""
    free = [dict(capacity) for _ in range(nodes)]
    held = [[0] * len(wanted) for _ in range(nodes)]
    for workload, each in enumerate(wanted):
        there = range(nodes)
        if each.together and nodes:
            there = [max(there, key=lambda node: (most_on(free[node], each.request), -sum(held[node]), held[node]))]
        for _ in range(each.pods):
            open_nodes = [node for node in there if fits(free[node], each.request)]
            if not open_nodes:
                break
            node = min(open_nodes, key=lambda node: (held[node][workload], sum(held[node][:workload]), held[node]))
            held[node][workload] += 1
            free[node] = {name: left - each.request.get(name, 0) for name, left in free[node].items()}
    return held, free


def most_on(free, request):
    """How many such pods there is room for, one after the other."""
    return sum(fits(free, {name: n * amount for name, amount in request.items()}) for n in range(1, 20))


@given(wanted=WANTED, capacity=CAPACITIES, nodes=st.integers(0, 4))
def test_it_agrees_with_a_count_pod_by_pod(wanted, capacity, nodes):
    found = place(wanted, capacity, nodes)
    held, free = one_by_one(wanted, capacity, nodes)

    assert sorted(each.pods for each in found.nodes for _ in range(each.count)) == sorted(map(tuple, held))
    for workload, each in enumerate(wanted):
        assert found.placed(workload) == sum(node[workload] for node in held)
        if not each.together:
            assert found.more(workload) == sum(most_on(left, each.request) for left in free)


@given(wanted=WANTED, capacity=CAPACITIES, nodes=st.integers(0, 4))
def test_no_node_holds_more_than_it_has(wanted, capacity, nodes):
    found = place(wanted, capacity, nodes)

    assert sum(each.count for each in found.nodes) == nodes
    for index, each in enumerate(wanted):
        assert found.placed(index) <= each.pods
        for name, amount in each.request.items():
            most = capacity[name] // amount * (min(nodes, 1) if each.together else nodes)
            assert found.placed(index) + found.more(index) <= most
    for each in found.nodes:
        for name, most in capacity.items():
            assert sum(n * one.request.get(name, 0) for n, one in zip(each.pods, wanted, strict=True)) <= most
