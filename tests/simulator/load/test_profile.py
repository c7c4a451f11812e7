"""Load profiles: what can be written, and what is said of what cannot."""

import pytest

from eks_accelerators.simulator.load.profile import LoadProfileError, constant, read_profile, seconds_of
from eks_accelerators.simulator.load.users import Users

DAY = """
for: 30m
steps:
  - {at: 0, requests: 8}
  - {at: 5m, requests: 40, promptTokens: 1024, outputTokens: 128}
  - {at: 20m, perSecond: 0.5}
"""


def test_a_file_of_steps(tmp_path):
    file = tmp_path / "day.yaml"
    file.write_text(DAY)

    profile = read_profile(file)

    assert [str(step) for step in profile.steps] == [
        "8 requests in flight",
        "40 requests in flight",
        "0.5 requests per second",
    ]
    assert [profile.step_at(moment).at for moment in (0, 299, 300, 1199, 1200, 9999)] == [0, 0, 300, 300, 1200, 1200]
    assert [profile.end_of(step) for step in profile.steps] == [300, 1200, 1800]
    assert profile.steps[1].longest == 1536 + 192


def test_a_number_from_the_command_line():
    profile = constant(40, 1800)

    assert (profile.lasts, [str(step) for step in profile.steps]) == (1800, ["40 requests in flight"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("for: 30m", "steps: Field required"),
        ("for: 30m\nsteps: []", "steps: Tuple should have at least 1 item"),
        ("[]", "Input should be a valid dictionary"),
        ("{", "not YAML"),
        ("for: soon\nsteps: [{requests: 1}]", "for: write a duration such as 30m, 1h30m or 90s (found 'soon')"),
        ("for: 25h\nsteps: [{requests: 1}]", "for: Input should be less than or equal to 86400"),
        ("for: 30m\nsteps: [{at: 0}]", "steps.0: write one of requests (in flight) and perSecond"),
        ("for: 30m\nsteps: [{requests: 1, perSecond: 1}]", "steps.0: write one of requests"),
        ("for: 30m\nsteps: [{requests: 99999}]", "steps.0.requests: Input should be less than or equal to 5000"),
        ("for: 30m\nsteps: [{perSecond: .nan}]", "steps.0.perSecond: Input should be a finite number"),
        ("for: 30m\nsteps: [{requests: 1, tokens: 5}]", "steps.0.tokens: Extra inputs are not permitted (found 5)"),
        ("for: 30m\nsteps: [{at: 1m, requests: 1}]", "steps.0.at: the first step begins at 0"),
        ("for: 30m\nsteps: [{requests: 1}, {at: 5m, requests: 2}, {at: 5m, requests: 3}]", "steps.2.at: steps are in order"),
        ("for: 5m\nsteps: [{requests: 1}, {at: 5m, requests: 2}]", "for: ends at 300 s, before or when"),
    ],
)  # fmt: skip
def test_mistakes_are_named(tmp_path, text, said):
    file = tmp_path / "wrong.yaml"
    file.write_text(text)

    with pytest.raises(LoadProfileError) as error:
        read_profile(file)

    assert str(file) in str(error.value)
    assert said in str(error.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(LoadProfileError, match="No such file or directory"):
        read_profile(tmp_path / "none.yaml")


@pytest.mark.parametrize(("text", "seconds"), [("30m", 1800), ("1h30m", 5400), ("90s", 90), (" 1h1m1s ", 3661)])
def test_durations(text, seconds):
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "30", "m", "-5m", "5 m", "1d", "5m1h"])
def test_no_durations(text):
    with pytest.raises(ValueError, match="write a duration"):
        seconds_of(text)


def test_requests_a_second_come_as_often_as_that():
    users = Users(seed=1)
    users.follow(read_step(per_second=5), 0)
    times = []
    while users.next_request < 2000:
        times.append(users.next_request)
        users.ask(users.next_request)

    assert len(times) / 2000 == pytest.approx(5, rel=0.05)


def test_tokens_are_on_average_what_is_written():
    asked = Users(seed=2).follow(read_step(requests=4000), 0)

    assert sum(request.prompt for request in asked) / 4000 == pytest.approx(512, rel=0.02)
    assert sum(request.output for request in asked) / 4000 == pytest.approx(256, rel=0.02)
    assert max(request.prompt + request.output for request in asked) <= read_step(requests=1).longest


def read_step(**fields):
    from eks_accelerators.simulator.load.profile import LoadStep

    return LoadStep(**fields)
