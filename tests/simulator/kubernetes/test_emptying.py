"""One API server serves all clusters of a simulation: what one held is gone before the next begins."""

from eks_accelerators.accelerators.sharing import Sharing
from eks_accelerators.simulator.aws.existing_cluster import make_cluster
from eks_accelerators.simulator.aws.world import ExistingCluster
from eks_accelerators.simulator.kubernetes.api import ApiError
from eks_accelerators.simulator.kubernetes.cluster_cleanup import leftovers
from eks_accelerators.simulator.kubernetes.control_plane import EXTENSION
from eks_accelerators.simulator.kubernetes.report import pod_reports
from tests.simulator.small_clusters import (
    CLUSTER,
    NVIDIA_TOLERATION,
    ZONES,
    add_group,
    deployment,
    eks,
    install_nvidia_plugin,
    running_on,
    small_cluster,
    wait,
)
from tests.simulator.test_control_plane import config_map

OWN = {"default", "kube-node-lease", "kube-public", "kube-system"}


def test_a_new_cluster_is_empty(engines, tmp_path):
    with small_cluster(tmp_path / "state", engines) as sim:
        api = sim.cluster.api
        install_nvidia_plugin(sim, Sharing("timeSlicing", 4))
        add_group(sim, "l4")
        api.apply(config_map("left-behind", "kube-system", key="value"))
        api.apply(deployment("left-behind", 3, tolerations=[NVIDIA_TOLERATION]))
        wait(lambda: len(running_on(sim, "left-behind")) == 3)

        for name in ("l4", "system"):
            eks(sim, "delete_nodegroup", clusterName=CLUSTER, nodegroupName=name)
        eks(sim, "delete_cluster", name=CLUSTER)
        sim.kubelets.sync()

        assert list(leftovers(api)) == []
        assert {one["metadata"]["name"] for one in api.list("v1", "Namespace")} == OWN
        assert api.list("v1", "Pod") == api.list("v1", "Node") == []

        make_cluster(sim.account, ExistingCluster(name="next", kubernetes_version="1.35", zones=list(ZONES)))
        sim.kubelets.sync()
        assert len(api.list("v1", "Node")) == 2
        assert pod_reports(api) == []


class WhereKindsGo:
    """An API server whose kind `NodeFeature` goes after the kinds were listed."""

    def kinds(self):
        return [("nfd.k8s-sigs.io/v1alpha1", "NodeFeature"), ("v1", "ConfigMap")]

    def list(self, api_version, kind):
        if kind == "NodeFeature":
            raise ApiError(404, "Not Found", "404 page not found")
        return [{"apiVersion": api_version, "kind": kind, "metadata": {"name": "mine", "namespace": "default"}}]


def test_a_kind_that_goes_meanwhile_has_nothing_left_over():
    assert [obj["metadata"]["name"] for obj in leftovers(WhereKindsGo())] == ["mine"]


def test_a_new_api_server_has_nothing_left_over(cluster):
    wait(lambda: cluster.api.get("v1", "ServiceAccount", "default", "kube-system"))

    # Other tests have namespaces of their own there, and KEDA's webhooks beside it.
    left = [obj["metadata"] for obj in leftovers(cluster.api)]
    assert [one for one in left if one.get("namespace") in OWN and EXTENSION not in one.get("labels", {})] == []
