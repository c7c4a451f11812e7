"""How servers follow their load: what follows from the fit and from the time that a server takes to start."""

import pytest

from eks_accelerators.settings.autoscaling import autoscaling_of
from tests.settings.example import check

QWEN = "workloads.vllm.qwen"
SCALING = f"{QWEN}.autoscaling"
STACK = {"monitoring.prometheus": "stack"}
LLAMA_ON_QUARTERS = {
    f"{QWEN}.model": "meta-llama/Llama-3.2-1B",
    f"{QWEN}.huggingFaceToken.configSecret": "token",
    "nodeGroups.gpu.sharing": {"strategy": "timeSlicing", "replicas": 4},
}


def placed(patch, **settings):
    (found,) = check({**STACK, SCALING: {"max": 2, **settings}, **patch}).require().workloads
    return found


def scaling(patch=None, **settings):
    found = placed(patch or {}, **settings)
    return autoscaling_of(found.workload, found.fit)


def test_servers_stay_as_they_are_unless_asked():
    (found,) = check({}).require().workloads

    assert autoscaling_of(found.workload, found.fit) is None
    assert found.fit.replicas == found.fit.most_replicas == 1


def test_there_are_the_fewest_now_and_the_most_at_most():
    fit = placed({}).fit

    assert (fit.replicas, fit.most_replicas) == (1, 2)


@pytest.mark.parametrize(
    ("patch", "sequences", "target"),
    [
        pytest.param({}, 16, 12, id="what-vllm-takes"),
        pytest.param(LLAMA_ON_QUARTERS, 14, 10, id="what-the-cache-holds"),
        pytest.param({f"{QWEN}.concurrentSequences": 40}, 40, 30, id="more-asked-for"),
        pytest.param({**LLAMA_ON_QUARTERS, f"{QWEN}.maxModelLen": 14_000}, 4, 3, id="long-contexts"),
    ],
)
def test_the_target_is_three_quarters_of_what_a_server_works_on(patch, sequences, target):
    found = scaling(patch)

    assert (found.of_sequences, found.target) == (sequences, target)


def test_a_measured_target_is_taken_as_it_is():
    assert scaling(targetConcurrency=7).target == 7


def test_nobody_judges_before_a_server_could_start():
    """366 s: image, weights, CUDA graphs and engine."""
    found = scaling()

    assert found.start_seconds == found.up.period_seconds == found.down.period_seconds == 366
    assert (found.up.pods, found.up.percent, found.up.window_seconds) == (2, 100, 30)
    assert (found.down.pods, found.down.percent, found.down.window_seconds) == (1, 25, 732)


@pytest.mark.parametrize(
    ("start", "window"),
    [
        pytest.param(60, 600, id="fast"),
        pytest.param(400, 800, id="usual"),
        pytest.param(1800, 3600, id="as-slow-as-Kubernetes-allows"),
    ],
)
def test_who_goes_is_missed_as_long_as_one_takes_to_start(start, window):
    assert scaling(startSeconds=start).down.window_seconds == window


def test_a_pace_of_one_s_own():
    found = scaling(scaleUp={"pods": 1, "periodSeconds": 900}, scaleDown={"stabilizationSeconds": 1200})

    assert (found.up.pods, found.up.percent, found.up.period_seconds) == (1, None, 900)
    assert found.down.window_seconds == 1200


@pytest.mark.parametrize(
    ("settings", "fallback"),
    [
        pytest.param({"min": 2}, 2, id="fewest"),
        pytest.param({"fallbackReplicas": 2}, 2, id="written"),
        pytest.param(
            {
                "min": 0,
                "schedule": [{"start": "0 8 * * *", "end": "0 18 * * *", "timezone": "Etc/UTC", "replicas": 1}],
            },
            1,
            id="KEDA-takes-zero-for-none",
        ),
    ],
)
def test_servers_that_stay_while_prometheus_does_not_answer(settings, fallback):
    assert scaling(**settings).fallback == fallback
