"""When servers give what they promise, by the requests of a load."""

import pytest

from eks_accelerators.simulator.load.objective import held_from, is_slow
from eks_accelerators.simulator.load.server import LoadRequest

END = 600.0


def asked(every, slow_until=0.0, slow_from=END, also_slow=()):
    """A request every so many seconds; those before and after the two moments wait for ten seconds."""
    found = []
    for number in range(int(END / every)):
        at = number * every
        late = at < slow_until or at >= slow_from or at in also_slow
        found.append(LoadRequest(at, 100, 100, first_token=at + (10 if late else 0.5)))
    return found


@pytest.mark.parametrize(
    ("requests", "held"),
    [
        ([], 0.0),
        (asked(1), 0.0),
        (asked(1, slow_until=120), 115.0),  # 5 of the 485 from then on: 1 of 100
        (asked(1, slow_until=300), 300.0),
        (asked(1, slow_from=300), None),  # well at first, and then no more
        (asked(1, slow_until=END), None),
        (asked(1, also_slow=(50.0, 200.0, 350.0)), 0.0),  # now and then one is allowed
        (asked(1, also_slow=tuple(float(n) for n in range(0, 600, 20))), None),  # but not five of 100
    ],
)
def test_from_when_on_it_holds(requests, held):
    found = held_from(requests, 0.0, END, END)

    assert found == (held if held is None else pytest.approx(held, abs=5))


def test_who_still_waits_counts_from_when_it_is_late():
    waiting = [LoadRequest(float(at), 100, 100) for at in range(100)]

    assert [is_slow(waiting[at], now=100) for at in (0, 97, 98, 99)] == [True, True, False, False]
    assert held_from(waiting, 0.0, 100.0, 100.0) is None
