"""How tests wait for what programs do at their leisure."""

import time
from collections.abc import Callable
from typing import TypeVar

Answer = TypeVar("Answer")

PATIENCE_SECONDS = 240
"""For what an idle machine does in a few seconds. A busy one needs many times as long, and a test that passes waits for
nothing. Less than a test may take in all.
"""


def until(
    question: Callable[[], Answer],
    seconds: float = PATIENCE_SECONDS,
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
