"""Cron expressions as KEDA takes them: cases of robfig/cron's own tests, and what other crons allow and it does not."""

import itertools
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from croniter import CroniterBadDateError, croniter

from eks_accelerators.accelerators.cron import ever_comes, is_cron, times


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


def _comes_by_croniter(text):
    try:
        croniter(text).get_next()
    except CroniterBadDateError:
        return False
    return True


DAYS = ("28", "29", "30", "31", "30-31", "29/2", "31,1", "31,*")
MONTHS = ("*", "2", "feb", "4,6", "4-6", "2-6/2", "9-11/2", "2/9", "*/11")


@pytest.mark.parametrize("text", [f"0 8 {day} {month} *" for day, month in itertools.product(DAYS, MONTHS)])
def test_whether_a_day_comes(text):
    """As another reader of cron says, which looks for the next one."""
    assert ever_comes(text) == _comes_by_croniter(text)


@pytest.mark.parametrize("text", ["0 8 31 2 1", "0 8 31 2 mon-fri", "0 8 L 2 *"])
def test_what_may_come(text):
    """A day of the week will do as well as the day of the month; what others than KEDA read is not judged."""
    assert ever_comes(text)


def test_any_day_of_the_week_is_none():
    assert not any(ever_comes(f"0 8 31 2 {weekday}") for weekday in ("*", "?", "*/1"))


@pytest.mark.parametrize("zone", ["Etc/UTC", "Europe/Berlin", "America/New_York"])
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("45 6 * * 1-5", id="working-days"),
        pytest.param("*/20 9-17/4 * jan-jun mon", id="steps-and-names"),
        pytest.param("0 12 13 * 5", id="the-13th-or-a-friday"),
        pytest.param("0 12 1,15 * ?", id="days-of-the-month"),
        pytest.param("0 12 * * 0", id="sundays"),
        pytest.param("0 12 29 2 *", id="in-no-such-year"),
    ],
)
def test_when_it_comes(text, zone):
    """As another reader of cron says, over a year with a summer in it."""
    begin = datetime(2026, 11, 23, 6, 45, tzinfo=ZoneInfo(zone))
    until = begin + timedelta(days=366)
    expected, other = [], croniter(text.replace("?", "*"), begin)
    try:
        while (at := other.get_next(datetime)) <= until:
            expected.append(at.astimezone(UTC))
    except CroniterBadDateError:
        pass

    assert list(times(text, ZoneInfo(zone), begin, until)) == expected
    assert bool(expected) == (text != "0 12 29 2 *")


def test_hours_that_the_clock_skips_in_spring():
    """02:30 of 28 March 2027 is no time in Berlin."""
    berlin, begin = ZoneInfo("Europe/Berlin"), datetime(2027, 3, 27, 12, tzinfo=UTC)

    found = [at.isoformat() for at in times("30 2 * * *", berlin, begin, begin + timedelta(days=2))]

    assert found == ["2027-03-28T01:30:00+00:00", "2027-03-29T00:30:00+00:00"]
