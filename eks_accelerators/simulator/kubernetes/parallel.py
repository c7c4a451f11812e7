"""Work on many objects of the API server in parallel."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

_THREADS = 8

_T = TypeVar("_T")
_R = TypeVar("_R")


def in_parallel(items: Iterable[_T], work: Callable[[_T], _R]) -> list[_R]:
    """What ``work`` returns for each; many at a time."""
    items = list(items)
    if len(items) < _THREADS:
        return [work(item) for item in items]
    with ThreadPoolExecutor(_THREADS, thread_name_prefix="kubelets") as threads:
        return list(threads.map(work, items))
