"""Which DaemonSet should have served a node that shows no accelerator, and why it has no pod there."""

import pytest

from eks_accelerators import components
from eks_accelerators.simulator.kubernetes.missing_devices import why_none
from tests.simulator.kubernetes.paper_cluster import daemon_sets, every_daemon_set, node, released

NVIDIA = "the DaemonSet nvidia-device-plugin/nvidiadeviceplugin-ab12-nvidia-device-plugin"
NEURON = "the DaemonSet kube-system/neuron-device-plugin"
DRA = "the DaemonSet dra-driver-nvidia-gpu/dra-driver-nvidia-gpu-kubelet-plugin"
EFA = "the DaemonSet kube-system/efadeviceplugin-ab12-aws-efa-k8s-device-plugin"
TEAM = {"key": "team", "value": "ml", "effect": "NoSchedule"}


def showing(here, **resources):
    here["status"]["allocatable"] |= resources
    return here


@pytest.mark.parametrize(
    "here",
    [
        pytest.param(node("m7i.large"), id="nothing-to-show"),
        pytest.param(showing(node(), **{"nvidia.com/gpu": "1"}), id="whole"),
        pytest.param(showing(node(), **{"nvidia.com/gpu": "0", "nvidia.com/gpu.shared": "4"}), id="shares"),
        pytest.param(showing(node("p5.48xlarge"), **{"nvidia.com/mig-1g.10gb": "56"}), id="instances"),
        pytest.param(showing(node("trn1.2xlarge"), **{"aws.amazon.com/neuron": "1"}), id="neuron"),
    ],
)
def test_a_node_that_shows_what_it_has(here):
    assert why_none(here, []) is None


@pytest.mark.parametrize(
    ("here", "sets", "reason"),
    [
        pytest.param(node(), [], "no nvidia.com/gpu: no NVIDIA device plugin is installed", id="none-installed"),
        pytest.param(
            node("trn1.2xlarge"), [], "no aws.amazon.com/neuron: no Neuron device plugin is installed", id="no-neuron"
        ),
        pytest.param(
            node(taints=[TEAM]),
            every_daemon_set(),
            f"no nvidia.com/gpu: {NVIDIA} has no pod here: it does not tolerate the taint team=ml:NoSchedule",
            id="taint",
        ),
        pytest.param(
            node(labels={}),
            every_daemon_set(),
            f"no nvidia.com/gpu: {NVIDIA} has no pod here: its node affinity wants nvidia.com/gpu.present In true "
            "(the node has no nvidia.com/gpu.present)",
            id="affinity",
        ),
        pytest.param(
            node("trn1.2xlarge", labels={}, taints=[TEAM]),
            every_daemon_set(),
            f"no aws.amazon.com/neuron: {NEURON} has no pod here: its node selector wants "
            "aws.amazon.com/neuron.present=true, and the node has no aws.amazon.com/neuron.present, "
            "and it does not tolerate the taint team=ml:NoSchedule",
            id="two-obstacles",
        ),
        pytest.param(
            showing(node(), **{"nvidia.com/gpu": "0"}),
            every_daemon_set(),
            f"no nvidia.com/gpu: {NVIDIA} may run here, and has advertised nothing yet",
            id="not-yet",
        ),
        pytest.param(
            showing(node("p5.48xlarge"), **{"nvidia.com/mig-1g.10gb": "0"}),
            every_daemon_set(),
            f"no nvidia.com/gpu: {NVIDIA} may run here, and has advertised nothing yet",
            id="no-instances-yet",
        ),
        pytest.param(
            node(ami_type="BOTTLEROCKET_x86_64_NVIDIA"),
            every_daemon_set(),
            "no nvidia.com/gpu: the image BOTTLEROCKET_x86_64_NVIDIA runs the plugin itself, and it has not reported yet",
            id="bottlerocket",
        ),
        pytest.param(
            showing(node("p5.48xlarge", efa_interfaces=32, labels={}), **{"nvidia.com/gpu": "8"}),
            every_daemon_set(),
            f"no vpc.amazonaws.com/efa: {EFA} has no pod here: its node selector wants "
            "vpc.amazonaws.com/efa.present=true, and the node has no vpc.amazonaws.com/efa.present, and its node "
            "affinity wants vpc.amazonaws.com/efa.present In true (the node has no vpc.amazonaws.com/efa.present)",
            id="efa-alone",
        ),
        pytest.param(
            node("p5.48xlarge", efa_interfaces=32),
            [],
            "no nvidia.com/gpu: no NVIDIA device plugin is installed; "
            "no vpc.amazonaws.com/efa: no EFA device plugin is installed",
            id="both",
        ),
        pytest.param(node(claimed=True), [], "no gpu.nvidia.com: no DRA driver is installed", id="no-dra-driver"),
        pytest.param(
            node(claimed=True),
            every_daemon_set(),
            f"no gpu.nvidia.com: {DRA} may run here, and has advertised nothing yet",
            id="no-slice-yet",
        ),
        pytest.param(
            node(claimed=True, taints=[TEAM]),
            every_daemon_set(),
            f"no gpu.nvidia.com: {DRA} has no pod here: it does not tolerate the taint team=ml:NoSchedule",
            id="dra-driver-kept-away",
        ),
    ],
)
def test_why_a_node_shows_none(here, sets, reason):
    assert why_none(here, sets) == reason


def test_a_node_whose_gpus_are_in_a_slice_misses_no_extended_resource():
    assert why_none(node(claimed=True), every_daemon_set(), devices=1) is None


def test_a_chart_whose_list_of_types_lags_behind():
    """A type that is not in it has no pod, and no error says so but this. That of v0.5.30 has all of ours."""
    lagging, today = (
        daemon_sets(*released(components.EfaDevicePlugin, {"supportedInstanceLabels": labels, "nodeSelector": {}}))
        for labels in ({"values": ["g4dn.8xlarge"]}, {})
    )
    here = showing(node("g7.8xlarge", efa_interfaces=1), **{"nvidia.com/gpu": "1"})
    reason = why_none(here, lagging)

    assert "may run here" in why_none(here, today)
    assert "its node affinity wants node.kubernetes.io/instance-type In g4dn.8xlarge" in reason
    assert "(the node has node.kubernetes.io/instance-type=g7.8xlarge)" in reason


def test_the_chart_s_own_toleration_of_discovery_would_not_do():
    """`nvidia.com/gpu=present`: with it the plugin runs, and discovery does not."""
    sets = daemon_sets(*released(components.NvidiaDevicePlugin, {"nfd": {}}))
    workers = [one for one in sets if one["metadata"]["name"].endswith("-worker")]

    assert workers[0]["spec"]["template"]["spec"]["tolerations"][1]["value"] == "present"
    assert "may run here" in why_none(node(), sets)
