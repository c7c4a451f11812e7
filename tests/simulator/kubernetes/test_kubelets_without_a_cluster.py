"""Nodes are kept in the background: where there is no control plane, that ends without a word, as whoever waits for it is told."""

import threading

import pytest

from eks_accelerators.simulator.folder import SimulationError
from eks_accelerators.simulator.kubernetes.kubelets import Kubelets
from eks_accelerators.simulator.processes import ServerError
from tests.simulator.aws.accounts import opened


@pytest.mark.parametrize("error", [ServerError("etcd ended", ""), SimulationError("the control plane does not start")])
def test_it_ends_by_itself(tmp_path, error):
    def no_cluster():
        raise error

    with opened(tmp_path) as account:
        Kubelets(account, no_cluster).run(threading.Event())
