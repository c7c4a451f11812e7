"""Throttling of the simulated API: every so-manieth call is answered by `ThrottlingException`, and made again.

The wait is counted, not spent. Source: terraform-provider-aws makes up to 25 attempts with exponential backoff
(`max_retries`), read 2026-11-21.
"""

from dataclasses import dataclass

from eks_accelerators.simulator.aws.errors import AwsError

ATTEMPTS = 25
_FIRST_WAIT_SECONDS = 1.0


@dataclass(slots=True)
class Throttle:
    """Refuses every ``every``-th call once; 1 refuses all of them, however often they are made."""

    every: int
    calls: int = 0
    throttled: int = 0
    waited_seconds: float = 0.0

    def __call__(self, service: str, name: str) -> None:
        """Count the call; raise where no attempt can succeed."""
        self.calls += 1
        if self.calls % self.every:
            return
        self.throttled += 1
        if self.every == 1:
            raise AwsError("ThrottlingException", f"Rate exceeded ({service}, {ATTEMPTS} attempts)", name)
        self.waited_seconds += _FIRST_WAIT_SECONDS
