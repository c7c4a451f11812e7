"""A release that goes and takes discovery's labels from all nodes: plugin and MPS daemon of the other release go too."""

import pytest

from eks_accelerators.accelerators.sharing import Sharing
from eks_accelerators.components.charts import catalogue, values_of
from eks_accelerators.simulator.kubernetes.roles import MPS_CONTROL_DAEMON, ROLE_LABEL
from eks_accelerators.simulator.providers import helm_release
from tests.simulator.small_clusters import add_group, install_nvidia_plugin, nodes, shown, small_cluster, wait

pytestmark = pytest.mark.thorough

MPS, SHARES = Sharing("mps", 8), [{"nvidia.com/gpu": 8}]
GROUP, CHART = "by-mps", "nvidia-device-plugin"


@pytest.fixture(scope="module")
def sim(engines, tmp_path_factory):
    with small_cluster(tmp_path_factory.mktemp("discovery"), engines) as running:
        add_group(running, GROUP, "g6e.2xlarge", sharing=MPS)
        install_nvidia_plugin(running, MPS)
        yield running


def remove_another_release(sim, cleanup):
    """As of a stack that goes from one to the other: this release serves no node."""
    values = values_of(CHART, {"nodeSelector": {"of": "nobody"}, "nfd": {"postDeleteCleanup": cleanup}})
    version = catalogue()[CHART]["version"]
    inputs = {"chart": CHART, "version": version, "name": "other", "namespace": "other", "values": values}
    helm_release.uninstall(sim.cluster.api, inputs, None)
    sim.kubelets.sync()


def discovered(sim):
    (node,) = nodes(sim, GROUP)
    return {"nvidia.com/gpu.count", "nvidia.com/mps.capable"} <= set(node["metadata"]["labels"])


def daemons(sim):
    return len(sim.cluster.api.list("v1", "Pod", None, f"{ROLE_LABEL}={MPS_CONTROL_DAEMON}"))


def test_labels_stay_as_we_install_it_and_vanish_as_the_chart_would_have_it(sim):
    wait(lambda: discovered(sim) and shown(sim, GROUP) == SHARES)

    remove_another_release(sim, cleanup=False)
    assert discovered(sim)
    assert (daemons(sim), shown(sim, GROUP)) == (1, SHARES)

    remove_another_release(sim, cleanup=True)
    assert not discovered(sim)
    wait(lambda: daemons(sim) == 0 and shown(sim, GROUP) != SHARES)
    (node,) = nodes(sim, GROUP)
    assert node["metadata"]["labels"]["nvidia.com/gpu.present"] == "true"  # the node group's own
