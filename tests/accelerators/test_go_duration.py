"""Durations as Go's `time.ParseDuration` takes them; what the plugin's own loader said of more is in `device_plugin`."""

import pytest

from eks_accelerators.accelerators.go_duration import nanoseconds

SECOND = 10**9


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("15m", 900 * SECOND),
        ("1h30m", 5400 * SECOND),
        ("1.5h", 5400 * SECOND),
        (".5s", SECOND // 2),
        ("1s1s", 2 * SECOND),
        ("2us3µs4μs5ns", 9005),
        ("-1ms", -(10**6)),
        ("+0", 0),
        ("9223372036854775807ns", 2**63 - 1),
        ("-9223372036854775808ns", -(2**63)),
    ],
)
def test_a_duration(text, expected):
    assert nanoseconds(text) == expected


@pytest.mark.parametrize("text", ["", "+", "1", "1d", "h", "1 h", "1h ", "--1s", "1,5h", "٣s", "9223372036854775808ns"])
def test_none(text):
    assert nanoseconds(text) is None
