"""Who asks the servers, and how long what they ask is."""

import math
import random

from eks_accelerators.simulator.load.profile import LoadStep
from eks_accelerators.simulator.load.server import LoadRequest

_NOBODY = LoadStep(requests=0)


class Users:
    """Users of one load; with the same ``seed`` always the same. Moments are seconds of simulated time."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311  (no secret)
        self._step = _NOBODY
        self.in_flight = 0
        """Requests that are not answered."""
        self.next_request = math.inf
        """When somebody asks of their own accord."""

    def follow(self, step: LoadStep, now: float) -> list[LoadRequest]:
        """From now on the load of ``step``. Returns what is asked at once.

        Where there are fewer users than before, the others leave when they have their answers.
        """
        self._step = step
        self.next_request = now + self._until_next() if step.per_second else math.inf
        return [self._ask(now) for _ in range((step.requests or 0) - self.in_flight)]

    def ask(self, now: float) -> LoadRequest:
        """The request of `next_request`, which is ``now``."""
        self.next_request = now + self._until_next()
        return self._ask(now)

    def answered(self, now: float) -> LoadRequest | None:
        """Somebody has an answer, or none and knows it. Returns what they ask then."""
        self.in_flight -= 1
        return self._ask(now) if self.in_flight < (self._step.requests or 0) else None

    def _ask(self, now: float) -> LoadRequest:
        self.in_flight += 1
        return LoadRequest(now, self._tokens(self._step.prompt_tokens), self._tokens(self._step.output_tokens))

    def _tokens(self, mean: int) -> int:
        return self._random.randint(max(1, math.ceil(mean / 2)), max(1, math.floor(3 * mean / 2)))

    def _until_next(self) -> float:
        """Times between requests of users who know nothing of each other are exponential."""
        return self._random.expovariate(self._step.per_second) if self._step.per_second else math.inf
