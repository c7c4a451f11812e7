"""Pods on alike nodes: examples, and a count pod by pod that must agree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from settings.placement import Alike, place

SHARES = {"shares": 4, "cpu": 8000, "pods": 10}


@pytest.mark.parametrize(
    ("wanted", "nodes", "placed", "more"),
    [
        pytest.param([(3, {"shares": 1, "pods": 1})], 1, [3], [1], id="one-left"),
        pytest.param([(9, {"shares": 1, "pods": 1})], 2, [8], [0], id="one-too-many"),
        pytest.param([(9, {"shares": 1, "pods": 1})], 0, [0], [0], id="no-node"),
        pytest.param([(9, {"shares": 1, "cpu": 3000})], 2, [4], [0], id="another-resource-first"),
        pytest.param([(2, {"shares": 3}), (5, {"shares": 1})], 2, [2, 2], [0, 0], id="who-comes-first-is-served-first"),
        pytest.param([(2, {"shares": 1}), (2, {"shares": 3})], 2, [2, 2], [0, 0], id="spread-evenly"),
        pytest.param([(1, {"elsewhere": 1})], 2, [0], [0], id="not-offered"),
        pytest.param([(1, {"cpu": float("inf")})], 2, [0], [0], id="more-than-anything"),
        pytest.param([(10**30, {"shares": 1})], 10**25, [4 * 10**25], [0], id="any-number"),
    ],
)
def test_who_finds_a_place(wanted, nodes, placed, more):
    found = place(wanted, SHARES, nodes)

    assert [found.placed(index) for index in range(len(wanted))] == placed
    assert [found.more(request) for _, request in wanted] == more


def test_pods_of_a_workload_are_spread_over_the_nodes():
    found = place([(5, {"shares": 1})], SHARES, 3)

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
    assert place([], SHARES, 2).short_of(request_) == short


AMOUNTS = st.integers(0, 4)
REQUESTS = st.fixed_dictionaries({"pods": st.just(1)}, optional={"shares": AMOUNTS, "cpu": AMOUNTS}).map(
    lambda request: {name: amount for name, amount in request.items() if amount}
)
WANTED = st.lists(st.tuples(st.integers(0, 12), REQUESTS), max_size=3)
CAPACITIES = st.fixed_dictionaries({"shares": st.integers(0, 8), "cpu": st.integers(0, 8), "pods": st.integers(0, 6)})


def fits(free, request):
    return all(free[name] >= amount for name, amount in request.items())


def one_by_one(wanted, capacity, nodes):
    """Each pod goes to the node with the fewest of its own workload, and of these to the one with the fewest of all."""
    free = [dict(capacity) for _ in range(nodes)]
    held = [[0] * len(wanted) for _ in range(nodes)]
    for workload, (pods, request) in enumerate(wanted):
        for _ in range(pods):
            open_nodes = [node for node in range(nodes) if fits(free[node], request)]
            if not open_nodes:
                break
            node = min(open_nodes, key=lambda each: (held[each][workload], sum(held[each][:workload])))
            held[node][workload] += 1
            free[node] = {name: left - request.get(name, 0) for name, left in free[node].items()}
    return held, free


@given(wanted=WANTED, capacity=CAPACITIES, nodes=st.integers(0, 4))
def test_it_agrees_with_a_count_pod_by_pod(wanted, capacity, nodes):
    found = place(wanted, capacity, nodes)
    held, free = one_by_one(wanted, capacity, nodes)

    assert sorted(each.pods for each in found.nodes for _ in range(each.count)) == sorted(map(tuple, held))
    for workload, (_, request) in enumerate(wanted):
        assert found.placed(workload) == sum(node[workload] for node in held)
        assert (found.more(request) == 0) == (not any(fits(left, request) for left in free))


@given(wanted=WANTED, capacity=CAPACITIES, nodes=st.integers(0, 4))
def test_no_node_holds_more_than_it_has(wanted, capacity, nodes):
    found = place(wanted, capacity, nodes)

    assert sum(each.count for each in found.nodes) == nodes
    for index, (pods, request) in enumerate(wanted):
        assert found.placed(index) <= pods
        for name, amount in request.items():
            assert found.placed(index) + found.more(request) <= capacity[name] // amount * nodes
    for each in found.nodes:
        for name, most in capacity.items():
            assert sum(n * request.get(name, 0) for n, (_, request) in zip(each.pods, wanted, strict=True)) <= most
