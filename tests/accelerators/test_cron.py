"""Cron expressions as KEDA takes them: cases of robfig/cron's own tests, and what other crons allow and it does not."""

import pytest

from eks_accelerators.accelerators.cron import is_cron


@pytest.mark.parametrize(
    "text",
    ["* * * * *", "30 7 * * 1-5", "0 19 * * MON-FRI", "*/15 8-18/2 1,15 jan-jun ?", "5-59/10 0 31 12 0", "0  8 * *  6"],
)
def test_taken(text):
    assert is_cron(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("* * * *", id="four-fields"),
        pytest.param("0 0 8 * * 1", id="seconds"),
        pytest.param("60 * * * *", id="minute-60"),
        pytest.param("0 24 * * *", id="hour-24"),
        pytest.param("0 0 0 * *", id="day-0"),
        pytest.param("0 0 * 13 *", id="month-13"),
        pytest.param("0 19 * * 7", id="sunday-as-7"),
        pytest.param("0 8 * * fri-mon", id="backwards"),
        pytest.param("0 8 * * mo", id="short-name"),
        pytest.param("*/0 * * * *", id="step-0"),
        pytest.param("*-5 * * * *", id="range-of-any"),
        pytest.param("1,,2 * * * *", id="empty-part"),
        pytest.param("@daily", id="word"),
        pytest.param("٣ * * * *", id="other-digits"),
    ],
)
def test_refused(text):
    assert not is_cron(text)
