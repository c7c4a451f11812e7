"""Which server gets a request: one at random, as kube-proxy has it.

A Service of Kubernetes knows nothing of queues. In its mode `iptables`, which EKS has by default, every connection goes to one
of the ready pods with equal chance; here every request is a connection. A gateway that asks servers for their queues does
better, and is not modelled. Source: Kubernetes documentation, "Virtual IPs and Service Proxies"; read 2026-11-22.
"""

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class RandomBalancer:
    """Chooses with equal chance; with the same ``seed`` always the same."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311  (no secret)

    def choose(self, servers: Sequence[T]) -> T | None:
        """One of ``servers``; None where there is none."""
        return self._random.choice(servers) if servers else None
