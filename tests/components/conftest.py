"""Components judge reservations and purchases by the clock: here it stands still."""

from datetime import datetime

import pytest

from components import capacity_block, capacity_block_purchase, node_group_scaling, validation
from tests.conftest import NOW


class StoppedClock(datetime):
    """A `datetime` whose now is always the same."""

    @classmethod
    def now(cls, tz=None):
        return cls.fromisoformat(NOW.isoformat()).astimezone(tz)


@pytest.fixture(autouse=True)
def stopped_clock(monkeypatch):
    for module in (node_group_scaling, capacity_block, capacity_block_purchase, validation):
        monkeypatch.setattr(module, "datetime", StoppedClock)
