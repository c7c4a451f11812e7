"""Claimed GPUs beside those of the GPU Operator: a label keeps all that it deploys off their nodes."""

import pytest

from eks_accelerators.accelerators.sharing import EXCLUSIVE
from eks_accelerators.settings.gpu_servers import GpuServer
from eks_accelerators.simulator.kubernetes.report import pod_reports
from eks_accelerators.simulator.kubernetes.roles import (
    DRA_DRIVER,
    NODE_FEATURE_DISCOVERY_WORKER,
    NVIDIA_DEVICE_PLUGIN,
    ROLE_LABEL,
)
from tests.simulator.small_clusters import (
    add_group,
    deployment,
    install_dra_driver,
    running_on,
    shown,
    small_cluster,
    wait,
)
from tests.simulator.test_dynamic_resource_allocation import CLAIMED, PLUGGED, claiming, names, template
from tests.simulator.test_gpu_operator import install, operator_labels

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def sim(engines, tmp_path_factory):
    with small_cluster(tmp_path_factory.mktemp("claims-and-operator"), engines) as running:
        add_group(running, "plugged", "g6.2xlarge", labels=operator_labels("g6.2xlarge", EXCLUSIVE))
        labels = operator_labels("g6.12xlarge", EXCLUSIVE, GpuServer.DRA_DRIVER)
        add_group(running, "claimed", "g6.12xlarge", claimed=True, labels=labels)
        install(running)
        install_dra_driver(running)
        yield running


def test_each_node_has_the_one_server(sim):
    wait(lambda: (shown(sim, "plugged"), shown(sim, "claimed")) == ([PLUGGED], [CLAIMED]))
    sim.settle()
    everyone = sim.cluster.api.list("v1", "Pod", None, ROLE_LABEL)

    roles = {
        group: {
            pod["metadata"]["labels"][ROLE_LABEL]
            for pod in everyone
            if pod["spec"].get("nodeName") in names(sim, group)
        }
        for group in ("plugged", "claimed")
    }

    assert NVIDIA_DEVICE_PLUGIN in roles["plugged"]
    assert DRA_DRIVER not in roles["plugged"]
    # Discovery of nodes alone: see `eks_accelerators.settings.releases.gpu_operator`.
    assert roles["claimed"] <= {DRA_DRIVER, NODE_FEATURE_DISCOVERY_WORKER}


def test_pods_land_on_the_kind_that_they_ask_for(sim):
    api = sim.cluster.api
    for manifest in (
        template("trainer", 1),
        claiming("trainer", 5),
        deployment("counting", 2, asks={"nvidia.com/gpu": "1"}),
    ):
        api.apply(manifest)

    wait(lambda: (len(running_on(sim, "trainer")), len(running_on(sim, "counting"))) == (4, 1))

    sim.settle()
    assert set(running_on(sim, "trainer")) == names(sim, "claimed")
    assert set(running_on(sim, "counting")) == names(sim, "plugged")
    waiting = {report.owner: report.reason for report in pod_reports(api) if report.phase == "Pending"}
    assert "cannot allocate all claims" in waiting["Deployment/trainer"]
    assert "Insufficient nvidia.com/gpu" in waiting["Deployment/counting"]
