"""User data of nodes: golden texts, each read back by what reads it on the node."""

import email
import json
import tomllib

import pytest

from tests.components.node_groups.example import BOTTLEROCKET, CUSTOM_IMAGE, ONE_ZONE, P5_WITH_EFA, template, user_data

RAID = {"local_nvme": "raid0"}
FAST = {"image_pull": {"fast": True}, "disk": {"throughput_mibps": 1000, "iops": 16000}}
SHARED = {"sharing": {"strategy": "timeSlicing", "replicas": 4}}
INF2_BOTTLEROCKET = {"instance_type": "inf2.48xlarge", "ami": {"type": "BOTTLEROCKET_x86_64"}}
TRN2_BOTTLEROCKET = {"instance_type": "trn2.48xlarge", "ami": {"type": "BOTTLEROCKET_x86_64"}, **ONE_ZONE}

NODEADM = [
    pytest.param(RAID, id="raid0"),
    pytest.param(FAST, id="fast-image-pull"),
    pytest.param({**RAID, **FAST}, id="both"),
    pytest.param({**CUSTOM_IMAGE, **RAID, "taints": [{"key": "team", "value": "ml"}]}, id="custom-image"),
]
TOML = [
    pytest.param({**BOTTLEROCKET, **SHARED}, id="time-slicing"),
    pytest.param(INF2_BOTTLEROCKET, id="neuron"),
    pytest.param({**P5_WITH_EFA, **BOTTLEROCKET}, id="efa"),
    pytest.param({**P5_WITH_EFA, **BOTTLEROCKET, **SHARED}, id="time-slicing-and-efa"),
    pytest.param({**TRN2_BOTTLEROCKET, "efa": {"enabled": True}}, id="neuron-and-efa"),
]


def node_config(changes):
    """The NodeConfig as nodeadm reads it: the MIME part of its type."""
    (part,) = email.message_from_string(user_data(changes)).get_payload()
    assert part.get_content_type() == "application/node.eks.aws"
    return json.loads(part.get_payload())


@pytest.mark.parametrize("changes", NODEADM)
def test_nodeadm_golden_text(changes, snapshot):
    assert user_data(changes) == snapshot


@pytest.mark.parametrize("changes", TOML)
def test_bottlerocket_golden_text(changes, snapshot):
    text = user_data(changes)

    assert text == snapshot
    assert set(tomllib.loads(text)) == {"settings"}


def test_nothing_is_sent_where_nothing_differs():
    assert "userData" not in template()
    assert "userData" not in template(BOTTLEROCKET)


@pytest.mark.parametrize("changes", NODEADM)
def test_nodeadm_reads_it(changes):
    config = node_config(changes)

    assert (config["apiVersion"], config["kind"]) == ("node.eks.aws/v1alpha1", "NodeConfig")


def test_raid0_and_fast_pull():
    assert node_config({**RAID, **FAST})["spec"] == {
        "instance": {"localStorage": {"strategy": "RAID0"}},
        "featureGates": {"FastImagePull": True},
    }


def test_a_custom_image_joins_with_labels_and_taints():
    """EKS adds nothing to the user data of a custom image, not even the labels that it knows."""
    spec = node_config({**CUSTOM_IMAGE, "taints": [{"key": "team", "value": "ml"}]})["spec"]

    assert spec["cluster"] == {
        "name": "ml",
        "apiServerEndpoint": "https://0123.eks.amazonaws.com",
        "certificateAuthority": "Q0E=",
        "cidr": "172.20.0.0/16",
    }
    assert spec["kubelet"]["flags"] == [
        "--node-labels=eks-accelerators/node-group=gpu,nvidia.com/device-plugin.config=exclusive,"
        "nvidia.com/gpu.present=true",
        "--register-with-taints=nvidia.com/gpu=true:NoSchedule,team=ml:NoSchedule",
    ]


def test_bottlerocket_s_own_plugin_shares_as_the_chart_would():
    sharing = {"strategy": "timeSlicing", "replicas": 4, "rename_by_default": True}
    settings = tomllib.loads(user_data({**BOTTLEROCKET, "sharing": sharing}))["settings"]

    assert settings["kubelet-device-plugins"]["nvidia"] == {
        "device-sharing-strategy": "time-slicing",
        "time-slicing": {"replicas": 4, "rename-by-default": True, "fail-requests-greater-than-one": True},
    }


def test_bottlerocket_s_own_plugin_shares_by_mps():
    """It has no setting for requests of several shares: MPS refuses them by default."""
    settings = tomllib.loads(user_data({**BOTTLEROCKET, "sharing": {"strategy": "mps", "replicas": 4}}))["settings"]

    assert settings["kubelet-device-plugins"]["nvidia"] == {
        "device-sharing-strategy": "mps",
        "mps": {"replicas": 4, "rename-by-default": False},
    }


def test_bottlerocket_with_efa_sets_huge_pages():
    settings = tomllib.loads(user_data({**P5_WITH_EFA, **BOTTLEROCKET}))["settings"]

    assert settings["kernel"]["sysctl"] == {"vm.nr_hugepages": "3000"}


def test_neuron_devices_on_bottlerocket_open_for_any_user():
    settings = tomllib.loads(user_data(INF2_BOTTLEROCKET))["settings"]

    assert settings["kubernetes"] == {"device-ownership-from-security-context": True}
