"""User data of nodes: golden texts, each read back by what reads it on the node."""

import email
import json
import os
import subprocess
import tomllib

import pytest

from tests.components.node_groups.example import BOTTLEROCKET, CUSTOM_IMAGE, ONE_ZONE, P5_WITH_EFA, template, user_data

RAID = {"local_nvme": "raid0"}
FAST = {"image_pull": {"fast": True}, "disk": {"throughput_mibps": 1000, "iops": 16000}}
SHARED = {"sharing": {"strategy": "timeSlicing", "replicas": 4}}
INF2_BOTTLEROCKET = {"instance_type": "inf2.48xlarge", "ami": {"type": "BOTTLEROCKET_x86_64"}}
TRN2_BOTTLEROCKET = {"instance_type": "trn2.48xlarge", "ami": {"type": "BOTTLEROCKET_x86_64"}, **ONE_ZONE}
ONE_CORE = {"instance_type": "trn2.48xlarge", "logical_core_size": 1, **ONE_ZONE}

NODEADM = [
    pytest.param(RAID, id="raid0"),
    pytest.param(FAST, id="fast-image-pull"),
    pytest.param({**RAID, **FAST}, id="both"),
    pytest.param({**CUSTOM_IMAGE, **RAID, "taints": [{"key": "team", "value": "ml"}]}, id="custom-image"),
]
DIVIDED = {
    **ONE_ZONE,
    "instance_type": "p5.48xlarge",
    "sharing": {"strategy": "mig", "mig": {"layout": {"3g.40gb": 2}}},
}
SINGLE = {"strategy": "mig", "mig": {"strategy": "single", "layout": {"3g.40gb": 2}}}
TOML = [
    pytest.param({**DIVIDED, **BOTTLEROCKET, "sharing": SINGLE}, id="mig"),
    pytest.param({**BOTTLEROCKET, **SHARED}, id="time-slicing"),
    pytest.param({**BOTTLEROCKET, **FAST}, id="fast-image-pull"),
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


def test_mig_golden_text(snapshot):
    assert user_data(DIVIDED) == snapshot


@pytest.mark.parametrize(
    ("changes", "types"),
    [
        pytest.param(DIVIDED, ["text/x-shellscript"], id="alone"),
        pytest.param({**DIVIDED, **RAID}, ["application/node.eks.aws", "text/x-shellscript"], id="beside-nodeadm"),
    ],
)
def test_mig_is_a_script_of_cloud_init(changes, types):
    parts = email.message_from_string(user_data(changes)).get_payload()

    assert [part.get_content_type() for part in parts] == types
    assert parts[-1].get_payload().startswith("#!")


def test_the_script_leaves_what_the_kubelet_requires(tmp_path):
    """Run by a real shell below a folder of the test's own: at every boot the unit, and without it no kubelet."""
    (*_, part) = email.message_from_string(user_data(DIVIDED)).get_payload()
    script = part.get_payload()
    for folder in ("/etc/", "/usr/local/"):
        script = script.replace(f">{folder}", f">{tmp_path}{folder}").replace(f" {folder}", f" {tmp_path}{folder}")
    (tmp_path / "systemctl").write_text('#!/bin/sh\necho "$*" >>"$(dirname "$0")/calls"\n')
    (tmp_path / "systemctl").chmod(0o755)
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    subprocess.run(["bash"], input=script, text=True, env=path, check=True)
    systemd = tmp_path / "etc/systemd/system"

    assert "Requires=eks-accelerators-mig.service" in (systemd / "kubelet.service.d/50-mig.conf").read_text()
    assert "Before=kubelet.service" in (systemd / "eks-accelerators-mig.service").read_text()
    lines = (tmp_path / "etc/eks-accelerators/mig-layout").read_text().splitlines()
    assert lines == [f"{index} 3g.40gb:0,3g.40gb:4" for index in range(8)]
    assert os.access(tmp_path / "usr/local/sbin/apply-mig-layout", os.X_OK)
    assert (tmp_path / "calls").read_text() == "daemon-reload\n"


def test_logical_cores_of_one_core_golden_text(snapshot):
    assert user_data(ONE_CORE) == snapshot


def test_the_runtime_finds_how_many_cores_a_logical_one_has(tmp_path):
    """Run by a real shell below a folder of the test's own, twice as after a reboot."""
    (*_, part) = email.message_from_string(user_data(ONE_CORE)).get_payload()
    script = part.get_payload().replace("/opt/aws", f"{tmp_path}/opt/aws")
    for _ in range(2):
        subprocess.run(["bash"], input=script, text=True, check=True)

    assert (tmp_path / "opt/aws/neuron/logical_nc_config").read_text() == "NEURON_LOGICAL_NC_CONFIG=1\n"


def test_the_usual_number_of_cores_is_not_written():
    assert "userData" not in template({**ONE_CORE, "logical_core_size": 2})


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


def test_bottlerocket_pulls_as_al2023_does():
    """The numbers of nodeadm's own configuration, under Bottlerocket's names."""
    settings = tomllib.loads(user_data({**BOTTLEROCKET, **FAST}))["settings"]

    assert settings["container-runtime"] == {"snapshotter": "soci"}
    assert settings["container-runtime-plugins"] == {
        "soci-snapshotter": {
            "pull-mode": "parallel-pull-unpack",
            "parallel-pull-unpack": {
                "concurrent-download-chunk-size": "16mb",
                "discard-unpacked-layers": True,
                "max-concurrent-downloads-per-image": 20,
                "max-concurrent-unpacks-per-image": 12,
            },
        }
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
        "nvidia.com/gpu.deploy.operands=false,nvidia.com/gpu.present=true",
        "--register-with-taints=nvidia.com/gpu=true:NoSchedule,team=ml:NoSchedule",
    ]


def test_bottlerocket_s_own_plugin_shares_as_the_chart_would():
    sharing = {"strategy": "timeSlicing", "replicas": 4, "rename_by_default": True}
    settings = tomllib.loads(user_data({**BOTTLEROCKET, "sharing": sharing}))["settings"]

    assert settings["kubelet-device-plugins"]["nvidia"] == {
        "device-sharing-strategy": "time-slicing",
        "time-slicing": {"replicas": 4, "rename-by-default": True, "fail-requests-greater-than-one": True},
    }


def test_bottlerocket_s_own_plugin_shares_what_mig_makes():
    settings = tomllib.loads(user_data({**DIVIDED, **BOTTLEROCKET, "sharing": {**SINGLE, "replicas": 2}}))["settings"]

    assert settings["kubelet-device-plugins"]["nvidia"] == {
        "device-partitioning-strategy": "mig",
        "mig": {"profile": {"h100.80gb": "3g.40gb"}},
        "device-sharing-strategy": "time-slicing",
        "time-slicing": {"replicas": 2, "rename-by-default": False, "fail-requests-greater-than-one": True},
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
