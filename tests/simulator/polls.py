"""How tests wait for what programs do at their leisure."""

import time
from collections.abc import Callable
from typing import TypeVar

Answer = TypeVar("Answer")


def until(
    question: Callable[[], Answer],
    seconds: float = 15,
    *,
    every: float = 0.1,
    why: Callable[[], str] = lambda: "it did not come to pass",
) -> Answer:
    """What ``question`` answers as soon as it is true; it is asked ``every`` so many seconds. After ``seconds`` the test
    fails with what ``why`` says.
    """
    end = time.monotonic() + seconds
    while not (answer := question()):
        assert time.monotonic() < end, why()
        time.sleep(every)
    return answer
