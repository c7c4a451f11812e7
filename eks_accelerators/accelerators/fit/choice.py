"""Which candidate is the better one."""

from collections.abc import Iterable
from decimal import Decimal

from eks_accelerators.accelerators.fit.candidates import Candidate
from eks_accelerators.accelerators.fit.ways import Kind

ORDER_OF_ISOLATION: tuple[Kind, ...] = ("exclusive", "fractional", "neuron", "mig", "mps", "timeSlicing")
"""Of two at one price, the one that keeps servers apart better is the better one."""


def in_order(found: Iterable[Candidate]) -> list[Candidate]:
    """The cheapest for each server first, and those without a known price last.

    At one price: the better isolated, then the one with more room for the KV cache, then by name.
    """
    return sorted(found, key=_key)


def best_of_each(found: Iterable[Candidate]) -> list[Candidate]:
    """The best of each instance type and kind of sharing, in order. Every MIG profile is a kind of its own."""
    best: dict[tuple[str, Kind, str | None], Candidate] = {}
    for one in in_order(found):
        best.setdefault((one.instance_type.name, one.way.kind, one.way.profile), one)
    return list(best.values())


def _key(one: Candidate) -> tuple[bool, Decimal, int, int, int, str, int, str]:
    price = one.usd_per_server_hour
    return (
        price is None,
        price or Decimal(0),
        # Without a price, more servers on a node are better.
        0 if price is not None else -one.servers,
        ORDER_OF_ISOLATION.index(one.way.kind),
        -one.kv_tokens,
        one.instance_type.name,
        one.way.shares,
        one.way.profile or "",
    )
