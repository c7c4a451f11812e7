"""Nothing of the terminal that runs the tests reaches them."""

import pytest


@pytest.fixture(autouse=True)
def plain_terminal(monkeypatch):
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
