"""Moments on the command line."""

from datetime import UTC, datetime

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from eks_accelerators.accel.simulate.moments import parse_clock, parse_moment

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
FORMS = "write 2026-12-01T11:30, 2026-12-01T11:30:00+01:00, or a step such as +3h, +2d or +1d12h30m"


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        pytest.param("2026-12-01T11:30", "2026-12-01T11:30", id="utc-without-an-offset"),
        pytest.param("2026-12-01 11:30", "2026-12-01T11:30", id="with-a-space"),
        pytest.param("2026-12-01T11:30:15", "2026-12-01T11:30:15", id="seconds"),
        pytest.param("2026-12-01T11:30Z", "2026-12-01T11:30", id="zulu"),
        pytest.param("2026-12-01T11:30:00+01:00", "2026-12-01T10:30", id="offset"),
        pytest.param("2026-12-01T01:30-05:00", "2026-12-01T06:30", id="west"),
        pytest.param("2026-12-01", "2026-12-01T00:00", id="midnight"),
        pytest.param("+3h", "2026-11-23T12:00", id="hours"),
        pytest.param("+2d", "2026-11-25T09:00", id="days"),
        pytest.param("+1w", "2026-11-30T09:00", id="weeks"),
        pytest.param("+90m", "2026-11-23T10:30", id="minutes"),
        pytest.param("+1d12h30m", "2026-11-24T21:30", id="together"),
        pytest.param("+0h", "2026-11-23T09:00", id="no-step-at-all"),
    ],
)
def test_a_moment(text, moment):
    assert parse_moment(text, NOW) == datetime.fromisoformat(moment).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "+",
        "+3",
        "3h",
        "-3h",
        "+h",
        "+3x",
        "+30m1h",
        "+1.5h",
        "+ 3h",
        "+3h ",
        "tomorrow",
        "2026-13-01",
        "11:30",
        "+99999999999w",
        "+9999999d",
        "9999-12-31T23:59-01:00",
    ],
    ids=lambda text: text or "empty",
)
def test_what_is_none_is_answered_with_the_forms(text):
    with pytest.raises(ValueError, match="is no time") as refused:
        parse_moment(text, NOW)

    assert str(refused.value) == f"{text!r} is no time; {FORMS}"


STANDS = datetime(2026, 11, 23, 9, 0, 30, 500, tzinfo=UTC)


@pytest.mark.parametrize("text", ["2026-11-23T09:00:30", "+0h", "+7d", "2099-12-31T23:59", "2100-01-01"])
def test_a_clock_goes_to(text):
    assert parse_clock(text, STANDS) == parse_moment(text, STANDS)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("2100-01-01T00:01", "is too late: a simulated clock goes to 2100-01-01", id="after-the-last"),
        pytest.param("9999-12-31T23:59", "is too late", id="the-end-of-the-calendar"),
        pytest.param("+400000d", "is too late", id="a-long-step"),
        pytest.param("+99999999999w", "is no time", id="a-step-out-of-the-calendar"),
        pytest.param("2026-11-23T09:00:29", "is too early: the simulated clock stands at 2026-11-23 09:00", id="past"),
        pytest.param("0001-01-01", "does not run backwards", id="the-first-year"),
        pytest.param("0001-01-01T00:00+14:00", "is no time", id="before-the-calendar"),
    ],
)
def test_a_clock_does_not_go_to(text, words):
    with pytest.raises(ValueError, match=words):
        parse_clock(text, STANDS)


@given(st.datetimes(timezones=st.timezones()))
def test_whatever_has_an_offset_is_the_same_moment(moment):
    assume(3 < moment.year < 9999)

    assert parse_moment(moment.isoformat(), NOW) == moment.astimezone(UTC)
