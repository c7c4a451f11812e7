"""A real control plane for the time of a `with` block."""

from contextlib import contextmanager

from eks_accelerators.simulator.kubernetes.control_plane import start
from eks_accelerators.simulator.pace import LIFE


@contextmanager
def control_plane(engines, folder, pace=LIFE):
    """One whose objects lie in ``folder``: see `start`."""
    cluster = start(engines, folder, pace)
    try:
        yield cluster
    finally:
        cluster.stop()
