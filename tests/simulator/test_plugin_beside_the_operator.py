"""The device plugin of the chart beside the GPU Operator, as while a stack goes from one to the other: a node has one."""

import pytest

from eks_accelerators.accelerators.scheduling import CLOSED_TO_OPERATOR
from eks_accelerators.accelerators.sharing import EXCLUSIVE
from eks_accelerators.settings.gpu_servers import GpuServer
from tests.simulator.kubernetes.paper_cluster import NVIDIA_NAMESPACE, OPERATOR_NAMESPACE
from tests.simulator.small_clusters import (
    CLUSTER,
    add_group,
    eks,
    install_nvidia_plugin,
    shown,
    small_cluster,
    wait,
)
from tests.simulator.test_gpu_operator import install, operator_labels, plugins_on

pytestmark = pytest.mark.thorough

PLUGGED = [{"nvidia.com/gpu": 1}]
TYPE = "g6.2xlarge"
OF_OPERATOR = operator_labels(TYPE, EXCLUSIVE)


@pytest.fixture(scope="module")
def sim(engines, tmp_path_factory):
    with small_cluster(tmp_path_factory.mktemp("plugin-and-operator"), engines) as running:
        add_group(running, "going", TYPE, labels=operator_labels(TYPE, EXCLUSIVE, GpuServer.DEVICE_PLUGIN))
        add_group(running, "there", TYPE, labels=OF_OPERATOR)
        install_nvidia_plugin(running, values={"nodeSelector": CLOSED_TO_OPERATOR})
        install(running)
        yield running


def origins(sim, group):
    """Namespaces of the device plugins on the node of a group."""
    return [pod["metadata"]["namespace"] for pod in plugins_on(sim, group)]


def test_each_node_has_the_one_of_its_labels(sim):
    wait(lambda: (shown(sim, "going"), shown(sim, "there")) == (PLUGGED, PLUGGED))
    sim.settle()

    assert origins(sim, "going") == [NVIDIA_NAMESPACE]
    assert origins(sim, "there") == [OPERATOR_NAMESPACE]


def test_a_node_goes_over_and_never_has_both(sim):
    wait(lambda: origins(sim, "going") == [NVIDIA_NAMESPACE])
    seen = []

    labels = {"addOrUpdateLabels": OF_OPERATOR, "removeLabels": list(CLOSED_TO_OPERATOR)}
    eks(sim, "update_nodegroup_config", clusterName=CLUSTER, nodegroupName="going", labels=labels)
    sim.kubelets.sync()

    def has_gone():
        seen.append(origins(sim, "going"))
        return seen[-1] == [OPERATOR_NAMESPACE]

    wait(has_gone)
    assert max(map(len, seen)) == 1
    wait(lambda: shown(sim, "going") == PLUGGED)
