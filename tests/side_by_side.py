"""Which tests run in which order, on which worker: `pytest -n auto`.

A file's tests go to one worker, one file after the other: what its fixtures and caches have made serves all of them. Lives of
stacks take minutes, most of which pass in waiting: they go first, each by itself, and a worker more than there are cores has
something to do meanwhile.
"""

import os

import pytest
from xdist.scheduler import LoadScopeScheduling

LIVES = (
    "tests/simulator/crashes/test_failures.py",
    "tests/simulator/crashes/test_kills.py",
    "tests/simulator/test_day_two.py",
    "tests/simulator/crashes/test_orphans.py",
    "tests/simulator/test_lifecycle.py",
    "tests/simulator/test_block_days.py",
    "tests/simulator/test_claims_of_a_stack.py",
    "tests/simulator/test_interruption.py",
    "tests/simulator/test_secrets.py",
    "tests/simulator/crashes/test_purchase.py",
    "tests/components/node_groups/test_mig_script.py",
    "tests/components/test_where_pods_land.py",
)
"""Files whose tests share nothing that is dear: each of their tests goes to a worker by itself, the longest first."""

ON_ONE_CONTROL_PLANE = (
    "tests/simulator/test_control_plane.py",
    "tests/simulator/test_api.py",
    "tests/simulator/kubernetes/test_real_api_server.py",
    "tests/simulator/kubernetes/test_real_placement.py",
    "tests/simulator/kubernetes/test_emptying.py",
    "tests/simulator/kubernetes/test_fewer_replicas.py",
    "tests/simulator/kubernetes/test_with_helm.py",
)
"""Files whose tests use the fixture `cluster`: one worker has all of them, so that one control plane is started."""


class SideBySide(LoadScopeScheduling):
    """Gives a file to a worker, or one test of those that live long."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        if file in ON_ONE_CONTROL_PLANE:
            return "cluster"
        return nodeid if file in LIVES else file


def workers() -> int:
    """Half as many again as there are cores."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores + (cores + 1) // 2


def in_order(items: list[pytest.Item]) -> None:
    """Sort tests: what takes long begins first, so that no worker is left with it at the end."""
    place = {file: number for number, file in enumerate(LIVES)}

    def turn(item: pytest.Item) -> tuple[bool, int]:
        file = item.nodeid.partition("::")[0]
        return item.get_closest_marker("slow") is None, place.get(file, len(place))

    items.sort(key=turn)
