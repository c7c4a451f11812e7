"""Components judge reservations and purchases by the clock: here it stands still."""

from collections.abc import Iterator

import pytest

from eks_accelerators.accelerators import clock
from tests.conftest import NOW


@pytest.fixture(autouse=True)
def stopped_clock() -> Iterator[None]:
    with clock.set_to(NOW):
        yield
