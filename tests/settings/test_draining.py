"""A server that has to go finishes what it has begun: how long that takes at most, by the model's arithmetic."""

import pytest

from eks_accelerators.settings.draining import LONGEST_SECONDS, PAUSE_SECONDS, draining_of
from tests.settings.example import check

QWEN = "workloads.vllm.qwen"
SHARED = {"nodeGroups.gpu.sharing": {"strategy": "timeSlicing", "replicas": 4}}
H100_IN_PARTS = {
    "nodeGroups.gpu.instanceType": "p5.48xlarge",
    "nodeGroups.gpu.sharing": {"strategy": "mig", "mig": {"layout": {"1g.10gb": 7}}},
}


def draining(patch):
    (placed,) = check(patch).require().workloads
    return draining_of(placed.workload, placed.group, placed.fit)


def test_the_longest_request_reads_weights_and_cache_for_every_token():
    """L4: 300 GB/s, of which 0.6 are reached; 0.92 of 22,888 MiB are weights, overhead and KV cache."""
    found = draining({})

    assert found.longest_request_seconds == pytest.approx(4096 * 0.92 * 22888 * 2**20 / (300e9 * 0.6), rel=0.01)


@pytest.mark.parametrize(
    "patch",
    [
        pytest.param({}, id="alone"),
        pytest.param(SHARED, id="shared"),
        pytest.param({f"{QWEN}.maxModelLen": 512}, id="short"),
        pytest.param({f"{QWEN}.maxModelLen": 32768}, id="long"),
        pytest.param(H100_IN_PARTS, id="in-parts"),
    ],
)
def test_the_pod_is_killed_after_the_pause_and_the_time_for_requests(patch):
    found = draining(patch)

    assert found.grace_seconds > PAUSE_SECONDS + found.timeout_seconds
    assert found.grace_seconds <= LONGEST_SECONDS


def test_servers_that_share_a_gpu_are_as_slow_as_all_of_it_is_full():
    """Four servers have a quarter of the memory each, and of the time: together they read as much."""
    assert draining(SHARED).longest_request_seconds == pytest.approx(draining({}).longest_request_seconds, rel=0.01)


def test_shorter_requests_are_waited_for_less():
    short, usual = (draining({f"{QWEN}.maxModelLen": tokens}) for tokens in (512, 4096))

    assert short.timeout_seconds < usual.timeout_seconds < LONGEST_SECONDS


def test_nobody_waits_longer_than_the_autoscaler_of_nodes():
    assert draining({f"{QWEN}.maxModelLen": 32768}).grace_seconds == LONGEST_SECONDS


def test_who_does_not_know_the_speed_waits_as_long_as_may_be():
    found = draining(H100_IN_PARTS)

    assert (found.longest_request_seconds, found.grace_seconds) == (None, LONGEST_SECONDS)
