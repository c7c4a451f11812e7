"""The nodes of the account in the real cluster: they come, change and go as the account says."""

import time

import pytest

from eks_accelerators.accelerators.sharing import Sharing
from eks_accelerators.simulator.kubernetes.kubelets import Kubelets
from eks_accelerators.simulator.kubernetes.report import pod_reports
from tests.polls import until
from tests.simulator.small_clusters import (
    CLUSTER,
    NVIDIA_TOLERATION,
    add_group,
    deployment,
    eks,
    install_nvidia_plugin,
    nodes,
    remove_group,
    reports,
    resize,
    running_on,
    shown,
    small_cluster,
    usable,
    wait,
)

FOUR = Sharing("timeSlicing", 4)


@pytest.fixture(scope="module")
def sim(engines, tmp_path_factory):
    """One cluster for all tests here; each has a node group of its own."""
    with small_cluster(tmp_path_factory.mktemp("kubelets") / "state", engines) as running:
        install_nvidia_plugin(running, FOUR)
        yield running


@pytest.fixture
def group(sim, request):
    """The name of a node group, which is removed with what is in the default namespace."""
    name = request.node.name.partition("[")[0].removeprefix("test_").replace("_", "-")[:30].strip("-")
    yield name
    for kind in ("Deployment", "PersistentVolumeClaim"):
        sim.cluster.api.delete_all("apps/v1" if kind == "Deployment" else "v1", kind, "default")
    if name in sim.account.state.clusters[CLUSTER].node_groups:
        remove_group(sim, name)


# Nodes and their pods


def test_nodes_come_and_go_with_their_instances(sim, group):
    add_group(sim, group, nodes=2, labels={"team": "ml"})

    wait(lambda: usable(sim, group) == 2)
    first, second = nodes(sim, group)
    ids = [instance.id for instance in sim.account.state.clusters[CLUSTER].node_groups[group].scaling.instances]
    assert {node["spec"]["providerID"] for node in (first, second)} == {f"aws:///us-east-2a/{one}" for one in ids}
    assert first["metadata"]["labels"]["team"] == "ml"
    assert [taint["key"] for taint in first["spec"]["taints"]] == ["nvidia.com/gpu"]

    resize(sim, group, 1)
    assert len(nodes(sim, group)) == 1
    remove_group(sim, group)
    assert nodes(sim, group) == []


def _nodes_of_pods(sim):
    """Names of the nodes that pods are on. Those of a node that goes are deleted a moment later."""
    return {pod["spec"].get("nodeName") for pod in sim.cluster.api.list("v1", "Pod")} - {None}


def test_pods_of_a_node_that_goes_run_elsewhere(sim, group):
    add_group(sim, group, nodes=2, taints=[])
    wait(lambda: usable(sim, group) == 2)
    selector = {"eks.amazonaws.com/nodegroup": group}
    sim.cluster.api.apply(deployment("moving", 4, nodeSelector=selector, asks={"cpu": "1500m"}))
    wait(lambda: len(running_on(sim, "moving")) == 4)
    assert len(set(running_on(sim, "moving"))) == 2

    resize(sim, group, 1)

    (left,) = nodes(sim, group)
    wait(lambda: running_on(sim, "moving") == [left["metadata"]["name"]] * 4)
    wait(lambda: _nodes_of_pods(sim) <= {node["metadata"]["name"] for node in sim.cluster.api.list("v1", "Node")})


def test_pods_of_a_node_that_others_delete_end_with_it(sim, group):
    """Karpenter ends an instance and lets its Node go; where both are between two passes, no pass sees one without the other."""
    add_group(sim, group)
    (node,) = nodes(sim, group)
    name, api = node["metadata"]["name"], sim.cluster.api
    wait(lambda: {pod["status"]["phase"] for pod in api.list("v1", "Pod", on_node=name)} == {"Running"})
    sim.settle()

    with sim.kubelets._lock:  # between two passes
        eks(sim, "delete_nodegroup", clusterName=CLUSTER, nodegroupName=group)
        api.delete("v1", "Node", name, wait_seconds=5)

    # Before the pod garbage collector does, which takes 40 s at least.
    until(lambda: api.list("v1", "Pod", on_node=name) == [], 30)


def test_another_instance_with_the_same_address_is_another_node(sim, group):
    add_group(sim, group)
    (before,) = nodes(sim, group)

    eks(sim, "update_nodegroup_version", clusterName=CLUSTER, nodegroupName=group)
    sim.kubelets.sync()

    (after,) = nodes(sim, group)
    assert after["metadata"]["name"] == before["metadata"]["name"]
    assert after["spec"]["providerID"] != before["spec"]["providerID"]
    wait(lambda: shown(sim, group) == [{"nvidia.com/gpu": 1}])
    assert all(one.ready for one in reports(sim, group))


def test_labels_and_taints_of_a_group_change_on_nodes_that_run(sim, group):
    add_group(sim, group, labels={"team": "ml", "kept": "yes"})
    (node,) = nodes(sim, group)
    name = node["metadata"]["name"]
    by_hand = [*node["spec"]["taints"], {"key": "by-hand", "effect": "NoSchedule"}]
    change = {"metadata": {"labels": {"by-hand": "yes", "kept": "no"}}, "spec": {"taints": by_hand}}
    sim.cluster.api.patch("v1", "Node", name, None, change)

    eks(
        sim,
        "update_nodegroup_config",
        clusterName=CLUSTER,
        nodegroupName=group,
        labels={"addOrUpdateLabels": {"tier": "gold"}, "removeLabels": ["team"]},
        taints={
            "addOrUpdateTaints": [{"key": "team", "value": "ml", "effect": "NO_EXECUTE"}],
            "removeTaints": [{"key": "nvidia.com/gpu", "value": "true", "effect": "NO_SCHEDULE"}],
        },
    )
    sim.kubelets.sync()

    (node,) = nodes(sim, group)
    labels = node["metadata"]["labels"]
    assert (labels["tier"], labels["by-hand"], "team" in labels) == ("gold", "yes", False)
    given = [taint for taint in node["spec"]["taints"] if "node.kubernetes.io" not in taint["key"]]
    assert [(taint["key"], taint["effect"]) for taint in given] == [("by-hand", "NoSchedule"), ("team", "NoExecute")]


def test_a_pass_that_finds_nothing_new_writes_nothing(sim, group):
    add_group(sim, group, nodes=2, sharing=FOUR)
    wait(lambda: shown(sim, group) == [{"nvidia.com/gpu": 4}] * 2)
    sim.settle()

    def versions():
        return [sim.cluster.api.version("v1", kind) for kind in ("Node", "Pod", "PersistentVolumeClaim", "ConfigMap")]

    wait(lambda: versions() == (time.sleep(1), versions())[1])
    before = versions()
    for _ in range(3):
        sim.kubelets.sync()
    assert versions() == before


def test_nodes_follow_without_being_asked(sim, group):
    """A thread of the simulation keeps them, at once where somebody wakes it."""
    add_group(sim, group)
    group_now = {"clusterName": CLUSTER, "nodegroupName": group}
    eks(sim, "update_nodegroup_config", **group_now, scalingConfig={"desiredSize": 2})

    wait(lambda: len(nodes(sim, group)) == 2)
    eks(sim, "delete_nodegroup", **group_now)
    sim.kubelets.wake()
    wait(lambda: nodes(sim, group) == [])


def test_a_type_of_which_nothing_is_known_has_no_node_and_a_note(sim, group):
    add_group(sim, group, "r5.large")

    assert nodes(sim, group) == []
    assert any("'r5.large' are not known" in note for notes in sim.notes.values() for note in notes)


# What nodes advertise


@pytest.mark.parametrize(
    ("instance_type", "sharing", "shows"),
    [
        ("g6.12xlarge", Sharing(), {"nvidia.com/gpu": 4}),
        ("g6.12xlarge", FOUR, {"nvidia.com/gpu": 16}),
        ("m7i.large", Sharing(), {}),
    ],
)
def test_what_a_node_advertises_follows_from_the_plugin_on_it(sim, group, instance_type, sharing, shows):
    add_group(sim, group, instance_type, sharing=sharing)

    wait(lambda: shown(sim, group) == [shows])
    (report,) = reports(sim, group)
    assert report.reason is None


def test_what_is_not_advertised_any_more_counts_zero(sim, group):
    add_group(sim, group)
    wait(lambda: shown(sim, group) == [{"nvidia.com/gpu": 1}])
    (node,) = nodes(sim, group)

    sim.cluster.api.patch(
        "v1", "Node", node["metadata"]["name"], None, {"metadata": {"labels": {"nvidia.com/gpu.present": None}}}
    )

    wait(lambda: nodes(sim, group)[0]["status"]["allocatable"]["nvidia.com/gpu"] == "0")
    (report,) = reports(sim, group)
    assert "its node affinity wants" in report.reason


def test_a_bottlerocket_image_runs_the_plugin_itself(sim, group):
    settings = """
[settings.kubelet-device-plugins.nvidia]
device-sharing-strategy = "time-slicing"
[settings.kubelet-device-plugins.nvidia.time-slicing]
replicas = 4
rename-by-default = true
"""
    labels = {"nvidia.com/gpu.present": "false"}
    add_group(sim, group, ami_type="BOTTLEROCKET_x86_64_NVIDIA", labels=labels, user_data=settings)

    wait(lambda: shown(sim, group) == [{"nvidia.com/gpu.shared": 4}])


# Add-ons


def addon_objects(sim, name):
    kinds = (("apps/v1", "Deployment"), ("apps/v1", "DaemonSet"), ("v1", "ServiceAccount"))
    label = f"eks-accelerators/addon={name}"
    return {
        (kind, one["metadata"]["name"]) for api, kind in kinds for one in sim.cluster.api.list(api, kind, None, label)
    }


def test_an_addon_is_there_as_long_as_the_account_has_it(sim):
    assert addon_objects(sim, "metrics-server") == set()

    eks(sim, "create_addon", clusterName=CLUSTER, addonName="metrics-server")
    sim.kubelets.sync()
    assert ("Deployment", "metrics-server") in addon_objects(sim, "metrics-server")

    eks(sim, "delete_addon", clusterName=CLUSTER, addonName="metrics-server")
    sim.kubelets.sync()
    wait(lambda: addon_objects(sim, "metrics-server") == set())
    assert ("DaemonSet", "kube-proxy") in addon_objects(sim, "kube-proxy")


def test_an_addon_is_removed_also_by_kubelets_that_have_not_installed_it(sim):
    eks(sim, "create_addon", clusterName=CLUSTER, addonName="metrics-server")
    sim.kubelets.sync()
    eks(sim, "delete_addon", clusterName=CLUSTER, addonName="metrics-server")

    Kubelets(sim.account, lambda: sim.cluster.api).sync()

    wait(lambda: addon_objects(sim, "metrics-server") == set())


def test_an_addon_takes_its_configuration(sim):
    def tolerations():
        found = sim.cluster.api.get("apps/v1", "DaemonSet", "dcgm-server", "kube-system")
        return found["spec"]["template"]["spec"].get("tolerations")

    name = "eks-node-monitoring-agent"
    eks(sim, "create_addon", clusterName=CLUSTER, addonName=name)
    sim.kubelets.sync()
    assert tolerations() is None

    wanted = '{"dcgmAgent": {"tolerations": [{"operator": "Exists"}]}}'
    eks(sim, "update_addon", clusterName=CLUSTER, addonName=name, configurationValues=wanted)
    sim.kubelets.sync()

    assert tolerations() == [{"operator": "Exists"}]
    eks(sim, "delete_addon", clusterName=CLUSTER, addonName=name)


# Volumes


def claim(name, storage_class="gp2"):
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "storageClassName": storage_class,
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "50Gi"}},
        },
    }


def with_claim(name, group):
    volume = {"name": "models", "persistentVolumeClaim": {"claimName": name}}
    selector = {"eks.amazonaws.com/nodegroup": group}
    return deployment(name, nodeSelector=selector, tolerations=[NVIDIA_TOLERATION], volumes=[volume])


@pytest.mark.parametrize("zone", ["us-east-2a", "us-east-2b"])
def test_a_volume_is_made_in_the_zone_of_its_pod_and_goes_with_its_claim(sim, group, zone):
    eks(sim, "create_addon", clusterName=CLUSTER, addonName="aws-ebs-csi-driver")
    add_group(sim, group, zone=zone)
    api = sim.cluster.api
    api.apply(claim("models"))
    api.apply(with_claim("models", group))

    wait(lambda: len(running_on(sim, "models")) == 1)
    (volume,) = api.list("v1", "PersistentVolume")
    (term,) = volume["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"]
    assert term["matchExpressions"] == [{"key": "topology.kubernetes.io/zone", "operator": "In", "values": [zone]}]
    assert volume["spec"]["capacity"] == {"storage": "50Gi"}
    assert api.get("v1", "PersistentVolumeClaim", "models", "default")["status"]["phase"] == "Bound"

    api.delete("apps/v1", "Deployment", "models", "default")
    api.delete("v1", "PersistentVolumeClaim", "models", "default")
    wait(lambda: api.list("v1", "PersistentVolume") == [])
    eks(sim, "delete_addon", clusterName=CLUSTER, addonName="aws-ebs-csi-driver")
    sim.kubelets.sync()
    wait(lambda: addon_objects(sim, "aws-ebs-csi-driver") == set())


def test_without_the_driver_a_pod_waits_for_its_volume_and_says_so(sim, group):
    add_group(sim, group)
    sim.cluster.api.apply(claim("lost"))
    sim.cluster.api.apply(with_claim("lost", group))

    def reasons():
        return [pod.reason for pod in pod_reports(sim.cluster.api) if pod.owner == "Deployment/lost"]

    wait(lambda: reasons() == ["waits for the volume of the claim lost, which ebs.csi.aws.com has not made"])
    assert running_on(sim, "lost") == []
