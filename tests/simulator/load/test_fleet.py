"""Servers under load: laws that hold of every queue, whatever the model."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from eks_accelerators.simulator.load.fleet import Placed
from eks_accelerators.simulator.load.profile import LoadStep
from tests.simulator.load.models import LLAMA, fleet, loaded, tokens_per_second


@settings(max_examples=10)
@given(rate=some.floats(0.2, 2.5), servers=some.integers(1, 4), seed=some.integers(0, 99))
def test_littles_law(rate, servers, seed):
    """Requests in the system = their rate x the time that each is there. The left side is looked at, the right one logged."""
    made = fleet({"gpu": servers}, seed=seed)
    made.follow(LoadStep(per_second=rate))
    seen, looks = 0, 6000
    for look in range(looks):
        made.advance(look * 0.1)
        state = made.state()
        seen += state.running + state.waiting
    there = sum((request.finished or made.now) - request.arrived for request in made.requests)

    assert seen / looks == pytest.approx(there / made.now, rel=0.02)


@settings(max_examples=10)
@given(requests=some.integers(1, 120), servers=some.integers(1, 6), seed=some.integers(0, 99))
def test_nothing_is_lost(requests, servers, seed):
    made = fleet({"gpu": servers}, seed=seed)
    made.follow(LoadStep(requests=requests))
    for moment in range(0, 300, 7):
        made.advance(moment)
        state = made.state()
        assert state.in_flight == requests == state.running + state.waiting + state.unserved
        assert len(made.requests) == requests + sum(request.finished is not None for request in made.requests)


@pytest.mark.parametrize("servers", [1, 2, 4, 12])
def test_shares_of_one_gpu_work_no_longer_than_it_does(servers):
    made = loaded({"gpu": servers}, 200, 300)

    assert sum(server.tally.gpu_seconds for server in made._servers.values()) <= 300 * (1 + 1e-6)


def test_four_shares_of_a_gpu_are_not_four_gpus():
    """And with the same users in four batches the weights are read four times as often."""
    one, shares, whole = (
        tokens_per_second(loaded(gpus, 64, 300)) for gpus in ({"a": 1}, {"a": 4}, {"a": 1, "b": 1, "c": 1, "d": 1})
    )

    assert shares < 1.5 * one
    assert whole > 3.5 * one


def test_more_users_never_get_less_done():
    done = [tokens_per_second(loaded({"gpu": 1}, users, 600)) for users in (1, 2, 4, 8, 16, 32, 64)]

    assert all(more > less * 0.98 for less, more in itertools.pairwise(done))
    assert done[-1] < 1.1 * done[-3]  # full with sixteen: vLLM's slots


def test_the_same_seed_is_the_same_load():
    first, second = (loaded({"a": 3}, 50, 200) for _ in range(2))

    assert [(r.arrived, r.first_token) for r in first.requests] == [(r.arrived, r.first_token) for r in second.requests]


def test_what_a_server_says_is_what_it_did():
    made = loaded({"gpu": 1}, 20, 400)
    state = made.server_state(("llm", "gpu-0"))
    finished = [request for request in made.requests if request.finished is not None]
    begun = [request for request in made.requests if request.first_token is not None]

    assert (state.running, state.waiting) == (16, 4)
    assert state.finished == {"stop": len(finished)}
    assert state.time_to_first_token.count == len(begun)
    assert state.time_to_first_token.total == pytest.approx(sum(r.first_token - r.arrived for r in begun))
    assert state.request.total == pytest.approx(sum(r.finished - r.arrived for r in finished))
    assert state.generation_tokens >= sum(request.output for request in finished)
    assert state.inter_token.count == pytest.approx(state.generation_tokens - len(begun))
    assert 0 < state.kv_cache_usage < 1
    assert 0.5 < state.busy <= 1


def test_a_full_kv_cache_puts_back_who_came_last():
    from dataclasses import replace

    small = replace(LLAMA, kv_tokens=5000)
    made = loaded({"gpu": 1}, 16, 300, small)
    state = made.server_state(("llm", "gpu-0"))

    assert state.preemptions > 0
    assert state.kv_cache_usage <= 1
    assert len([request for request in made.requests if request.finished is not None]) > 20


def test_without_a_server_requests_wait_for_one():
    made = fleet({})
    made.follow(LoadStep(requests=5))
    made.advance(60)
    assert made.state().unserved == 5

    made.place({("llm", "a"): Placed("gpu", LLAMA)}, [("llm", "a")])
    made.advance(120)

    assert made.state().unserved == 0
    assert min(request.first_token - request.arrived for request in made.requests[:5]) > 60


@pytest.mark.parametrize(("drain", "broken_off"), [(0, 16), (60, 0)])
def test_a_server_that_ends_answers_as_long_as_it_may(drain, broken_off):
    made = fleet({"a": 1}, drain_seconds=drain)
    made.follow(LoadStep(requests=16))
    made.advance(100)
    made.place({("llm", "b"): Placed("b", LLAMA)}, [("llm", "b")])
    made.advance(200)

    assert made.broken_off == broken_off
    assert made.state().in_flight == 16
    assert made.server_state(("llm", "a-0")) is None


def test_fewer_users_leave_with_their_answers():
    made = loaded({"a": 1}, 10, 50)
    made.follow(LoadStep(requests=2))
    made.advance(100)

    assert made.state().in_flight == 2


def test_a_server_whose_node_is_gone_answers_nothing_more():
    made = fleet({"node/0": 1}, drain_seconds=60)
    made.follow(LoadStep(requests=16))
    made.advance(100)
    made.place({}, [], nodes=["another"])

    assert made.broken_off == 16
    assert made.state().unserved == 16
