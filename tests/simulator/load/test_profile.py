"""Steps of load: durations, and what users ask of them."""

import pytest

from eks_accelerators.simulator.load.profile import LoadStep, constant, seconds_of
from eks_accelerators.simulator.load.users import Users


def test_a_number_from_the_command_line():
    profile = constant(40, 1800)

    assert (profile.lasts, [str(step) for step in profile.steps]) == (1800, ["40 requests in flight"])


@pytest.mark.parametrize(("text", "seconds"), [("30m", 1800), ("1h30m", 5400), ("90s", 90), (" 1h1m1s ", 3661)])
def test_durations(text, seconds):
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "30", "m", "-5m", "5 m", "1d", "5m1h"])
def test_no_durations(text):
    with pytest.raises(ValueError, match="write a duration"):
        seconds_of(text)


def test_requests_a_second_come_as_often_as_that():
    users = Users(seed=1)
    users.follow(LoadStep(per_second=5), 0)
    times = []
    while users.next_request < 2000:
        times.append(users.next_request)
        users.ask(users.next_request)

    assert len(times) / 2000 == pytest.approx(5, rel=0.05)


def test_tokens_are_on_average_what_is_written():
    asked = Users(seed=2).follow(LoadStep(requests=4000), 0)

    assert sum(request.prompt for request in asked) / 4000 == pytest.approx(512, rel=0.02)
    assert sum(request.output for request in asked) / 4000 == pytest.approx(256, rel=0.02)
    assert max(request.prompt + request.output for request in asked) <= LoadStep(requests=1).longest
