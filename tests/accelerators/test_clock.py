"""One clock for everything that judges a window."""

from datetime import UTC, datetime, timedelta, timezone

from eks_accelerators.accelerators import clock


def test_it_is_the_present_unless_it_is_set() -> None:
    moment = datetime(2026, 12, 1, 12, tzinfo=timezone(timedelta(hours=1)))
    assert abs(clock.now() - datetime.now(UTC)) < timedelta(minutes=1)
    with clock.set_to(moment):
        assert clock.now() == datetime(2026, 12, 1, 11, tzinfo=UTC)
        with clock.set_to(moment + timedelta(days=1)):
            assert clock.now().day == 2
        assert clock.now().day == 1
    assert abs(clock.now() - datetime.now(UTC)) < timedelta(minutes=1)
