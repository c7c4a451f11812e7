"""All checks at the same time."""

from concurrent.futures import ThreadPoolExecutor

from capacity.preflight import checks  # noqa: F401  (they register)
from capacity.preflight.inquiry import Inquiry
from capacity.preflight.registry import CHECKS
from capacity.preflight.result import Result


def run(inquiry: Inquiry) -> list[Result]:
    """The results of every check, in the order of the checks. Each waits for its own calls only."""
    with ThreadPoolExecutor(len(CHECKS), thread_name_prefix="check") as threads:
        begun = [threads.submit(check.results, inquiry) for check in CHECKS.values()]
        return [result for each in begun for result in each.result()]
