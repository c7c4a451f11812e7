"""Engines beyond the first ones: tests that need them are skipped where these are missing, in CI too."""

import pytest

from eks_accelerators.simulator.engines import MissingEnginesError, find


def further(*names):
    """Where they are; the test is skipped, with the names of those that are missing."""
    try:
        return find(names)
    except MissingEnginesError as error:
        pytest.skip(str(error))
