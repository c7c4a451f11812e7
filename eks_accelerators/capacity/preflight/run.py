"""All checks at the same time."""

from concurrent.futures import ThreadPoolExecutor

from eks_accelerators.capacity.preflight import checks  # noqa: F401  (they register)
from eks_accelerators.capacity.preflight.inquiry import Inquiry
from eks_accelerators.capacity.preflight.registry import CHECKS
from eks_accelerators.capacity.preflight.result import CheckResult


def run(inquiry: Inquiry) -> list[CheckResult]:
    """The results of every check, in the order of the checks. Each waits for its own calls only."""
    with ThreadPoolExecutor(len(CHECKS), thread_name_prefix="check") as threads:
        begun = [threads.submit(check.results, inquiry) for check in CHECKS.values()]
        return [result for each in begun for result in each.result()]
