"""What all tests share: how many examples property tests try, which run side by side, the time at which rules are asked,
and what was skipped.
"""

import gc
import os
import signal
import sys
from collections import Counter
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from eks_accelerators.accelerators import instance_types
from tests import side_by_side

_QUIET = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large]

_SAME_EVERY_TIME = bool(os.environ.get("CI"))
"""Whether property tests try the same examples in every run: a change is judged by what it changes, not by chance."""

for name, examples in (("some", 200), ("many", 1_000)):
    settings.register_profile(
        name, max_examples=examples, deadline=None, derandomize=_SAME_EVERY_TIME, suppress_health_check=_QUIET
    )
EXHAUSTIVE = bool(os.environ.get("MANY_EXAMPLES"))
"""Whether there is time for the many examples that only find what hundreds do not: in `make test-all`."""

settings.load_profile("many" if EXHAUSTIVE else "some")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell that runs tests in the background has them ignore Ctrl-C, and with them every program that they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # so has `nohup` them ignore the end of the terminal

# What pytest makes of a module with tests is kept, also where Python is told to write no bytecode: each worker spends a
# third of the time in which it collects on making it.
sys.dont_write_bytecode = False


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Nothing that is imported or collected goes before the end: looking for garbage in it doubles the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        gc.set_threshold(100_000, 20, 20)  # as `accel` itself, tests make much and keep little


@pytest.fixture(autouse=True)
def only_the_types_of_the_package():
    """A stack that a test loads leaves the instance types that it describes known."""
    yield
    instance_types.begin()


NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


@pytest.fixture
def now() -> datetime:
    """A time at which every date in the tests is either clearly past or clearly to come."""
    return NOW


def pytest_xdist_auto_num_workers() -> int:
    return side_by_side.workers()


def pytest_xdist_make_scheduler(config, log):
    return side_by_side.SideBySide(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Many examples are thorough, and what is thorough takes long too. On a worker tests are in the order in which all
    workers are given them.
    """
    for item in items:
        if EXHAUSTIVE and is_hypothesis_test(getattr(item, "obj", None)):
            item.add_marker(pytest.mark.thorough)
        if item.get_closest_marker("thorough"):
            item.add_marker(pytest.mark.slow)
    if "PYTEST_XDIST_WORKER" in os.environ:
        side_by_side.in_order(items)


def pytest_terminal_summary(terminalreporter):
    """Say how many tests were skipped because programs are missing: fewer tests must not look like all of them. Then
    what tests have to report.
    """
    skipped = [report for report in terminalreporter.stats.get("skipped", []) if "engines" in report.keywords]
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    for reason, count in reasons.items():
        terminalreporter.write_line(f"{count} engine tests skipped: {reason}", yellow=True)
    for report in [each for reports in terminalreporter.stats.values() for each in reports]:
        if getattr(report, "when", None) == "call":
            said = [text for name, text in report.user_properties if name == "report"]
            terminalreporter.write("".join(f"{report.nodeid.rpartition('::')[2]}: {text}\n" for text in said))
