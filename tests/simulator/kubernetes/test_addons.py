"""The add-ons: valid, and on the nodes where the real ones are."""

import kubernetes_validate
import pytest

from eks_accelerators.accelerators import kubernetes_versions, scheduling
from eks_accelerators.simulator.kubernetes import addons
from eks_accelerators.simulator.kubernetes.placement import obstacles
from tests.simulator.kubernetes.paper_cluster import node

OF_THE_STACK = (
    *("vpc-cni", "kube-proxy", "coredns", "metrics-server", "eks-pod-identity-agent", "aws-ebs-csi-driver"),
    "eks-node-monitoring-agent",
    "amazon-cloudwatch-observability",
    *("aws-efs-csi-driver", "aws-fsx-csi-driver", "aws-mountpoint-s3-csi-driver"),
)
ON_EVERY_NODE = (
    "aws-node",
    "kube-proxy",
    "eks-pod-identity-agent",
    "ebs-csi-node",
    "eks-node-monitoring-agent",
    "efs-csi-node",
    "fsx-csi-node",
    "s3-csi-node",
)
ON_EVERY_NODE += ("cloudwatch-agent", "fluent-bit")
WHERE_THEY_MEASURE = ("dcgm-server", "dcgm-exporter", "neuron-monitor")
CLOUDWATCH_OPERATOR = "amazon-cloudwatch-observability-controller-manager"
"""It tolerates every taint, as all of its chart."""
FOR_THE_CLUSTER = ("coredns", "metrics-server", "ebs-csi-controller")
SYSTEM = node("m7i.large")
ACCELERATED = [node(name) for name in ("g6.2xlarge", "p5.48xlarge", "trn1.32xlarge", "inf2.xlarge")]


def pods():
    return {
        manifest["metadata"]["name"]: (manifest["kind"], manifest["spec"]["template"]["spec"])
        for addon in addons.ADDONS
        for manifest in addons.manifests(addon)
        if manifest["kind"] in ("DaemonSet", "Deployment")
    }


def test_every_addon_of_the_stack_has_a_stand_in():
    assert set(addons.ADDONS) == set(OF_THE_STACK)


@pytest.mark.parametrize("addon", OF_THE_STACK)
def test_every_object_is_valid_and_what_it_was(addon, snapshot):
    made = addons.manifests(addon)

    for manifest in made:
        kubernetes_validate.validate(manifest, kubernetes_versions.default(), strict=True)
    assert made == snapshot


def test_every_workload_is_known_to_these_tests():
    assert set(pods()) == {*ON_EVERY_NODE, *FOR_THE_CLUSTER, *WHERE_THEY_MEASURE, CLOUDWATCH_OPERATOR}


@pytest.mark.parametrize("name", ON_EVERY_NODE)
def test_what_every_node_needs_runs_on_every_node_whatever_its_taints(name):
    kind, pod = pods()[name]
    odd = {"key": "team", "value": "ml", "effect": "NoExecute"}

    assert kind == "DaemonSet"
    for one in (SYSTEM, *ACCELERATED, node("g6.2xlarge", taints=[odd])):
        assert obstacles(pod, one, daemon=True) == []


@pytest.mark.parametrize("name", FOR_THE_CLUSTER)
def test_what_the_cluster_needs_once_keeps_off_accelerators(name):
    kind, pod = pods()[name]

    assert kind == "Deployment"
    assert obstacles(pod, SYSTEM) == []
    for one in ACCELERATED:
        (reason,) = obstacles(pod, one)
        assert "does not tolerate the taint" in reason


def test_the_agent_s_view_of_gpus_does_not_reach_tainted_nodes():
    """As on real AWS: the DaemonSet has no tolerations unless the add-on's configuration gives it some."""
    _, pod = pods()["dcgm-server"]

    assert obstacles(pod, node("g6.2xlarge", taints=[]), daemon=True) == []
    assert obstacles(pod, node("g6.2xlarge"), daemon=True) == [
        "it does not tolerate the taint nvidia.com/gpu=true:NoSchedule"
    ]


AGENT = "eks-node-monitoring-agent"


def configured(configuration):
    made = addons.manifests(AGENT, configuration)
    return {m["metadata"]["name"]: m["spec"]["template"]["spec"] for m in made if m["kind"] == "DaemonSet"}


def test_the_agent_s_configuration_brings_it_there():
    tolerations = [scheduling.NVIDIA.taint.toleration]
    pods = configured({"dcgmAgent": {"tolerations": tolerations, "nodeSelector": {"a": "b"}}})

    assert pods["dcgm-server"]["tolerations"] == tolerations
    assert pods["dcgm-server"]["nodeSelector"] == {"kubernetes.io/os": "linux", "a": "b"}
    assert pods[AGENT]["tolerations"] == [{"operator": "Exists"}]


def test_resources_are_the_container_s():
    pods = configured({"nodeAgent": {"resources": {"requests": {"cpu": "1"}}, "priorityClassName": "mine"}})

    assert pods[AGENT]["containers"][0]["resources"] == {"requests": {"cpu": "1"}}
    assert pods[AGENT]["priorityClassName"] == "mine"


def test_the_view_of_gpus_can_be_switched_off():
    assert set(configured({"dcgmAgent": {"enabled": False}})) == {AGENT}
    assert set(configured({"dcgmAgent": {"enabled": True}})) == {AGENT, "dcgm-server"}


@pytest.mark.parametrize(
    ("addon", "configuration", "words"),
    [
        pytest.param(AGENT, {"dcgm": {}}, "dcgm is not in the schema", id="section"),
        pytest.param(AGENT, {"dcgmAgent": {"toleration": []}}, "dcgmAgent.toleration is not", id="key"),
        pytest.param(AGENT, {"nodeAgent": {"enabled": False}}, "nodeAgent.enabled is not", id="other-section-s-key"),
        pytest.param("coredns", {"replicaCount": 3}, "coredns: its configuration is not simulated", id="another"),
    ],
)
def test_configuration_that_is_not_known_is_refused(addon, configuration, words):
    with pytest.raises(addons.AddonConfigurationError, match=words):
        addons.manifests(addon, configuration)


def test_an_unknown_addon_is_named():
    with pytest.raises(addons.UnknownAddonError, match=r"'core-dns'.*Did you mean coredns\?") as refused:
        addons.manifests("core-dns")

    assert (refused.value.addon, refused.value.suggestion) == ("core-dns", "coredns")


def test_manifests_are_the_caller_s_to_change():
    (agent,) = addons.manifests("eks-pod-identity-agent")
    agent["spec"]["template"]["spec"]["tolerations"].clear()

    (again,) = addons.manifests("eks-pod-identity-agent")
    assert again["spec"]["template"]["spec"]["tolerations"] == [{"operator": "Exists"}]


def test_the_exporters_of_cloudwatch_can_be_switched_off():
    off = {"enabled": False}
    names = {
        manifest["metadata"]["name"]
        for manifest in addons.manifests("amazon-cloudwatch-observability", {"dcgmExporter": off, "neuronMonitor": off})
    }

    assert "cloudwatch-agent" in names
    assert not names & {"dcgm-exporter", "neuron-monitor"}
