"""What tells the API server of servers beside it ends with them, also where they are killed."""

import pytest

from eks_accelerators.simulator.keda.extensions import METRICS_API, admission, metrics_api
from eks_accelerators.simulator.keda.server import RunningKeda
from eks_accelerators.simulator.kubernetes import credentials, servers
from eks_accelerators.simulator.pace import LIFE, Pace
from eks_accelerators.simulator.processes import Servers, free_port
from tests.simulator.control_planes import control_plane


def apis(api):
    group, version = METRICS_API.split("/")
    return api.get("apiregistration.k8s.io/v1", "APIService", f"{version}.{group}")


def judges(api):
    return api.list("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration")


@pytest.mark.slow
def test_a_cluster_that_starts_again_forgets_those_of_servers_that_were_killed(engines, tmp_path):
    with control_plane(engines, tmp_path) as cluster:
        authority = cluster.ca_file.read_bytes()
        for obj in (*metrics_api(free_port(), authority), admission(free_port(), authority)):
            cluster.api.apply(obj)
        cluster.api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "serving"}})
        assert apis(cluster.api) is not None
        assert len(judges(cluster.api)) == 1

    with control_plane(engines, tmp_path) as cluster:
        assert apis(cluster.api) is None
        assert judges(cluster.api) == []
        cluster.api.delete("v1", "Namespace", "serving", wait_seconds=60)


@pytest.mark.slow
def test_one_that_ends_after_its_cluster_ends_all_the_same(engines, tmp_path):
    with control_plane(engines, tmp_path) as cluster:
        pass
    beside = Servers()
    beside.start("sleeps", ["/bin/sleep", "600"])

    RunningKeda(cluster, "127.0.0.1:1", beside).stop()

    assert not beside.folder.exists()


@pytest.mark.parametrize(
    ("pace", "sync", "stabilization"),
    [(LIFE, "15s", "300s"), (Pace(60), "0.25s", "5s"), (Pace(7), "2.14286s", "42.8571s")],
)
def test_the_controller_of_autoscalers_goes_at_the_pace(tmp_path, pace, sync, stabilization):
    flags = servers.controller_manager(tmp_path, tmp_path, credentials.ensure(tmp_path), pace)

    assert f"--horizontal-pod-autoscaler-sync-period={sync}" in flags
    assert f"--horizontal-pod-autoscaler-downscale-stabilization={stabilization}" in flags
