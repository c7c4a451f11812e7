"""The GPU Operator: off where the image has the part, and told by ConfigMaps of ours what the settings say."""

import json

import pytest

from eks_accelerators.accelerators import instance_types
from eks_accelerators.accelerators.device_plugin import ChartValues, Node, config_key
from eks_accelerators.accelerators.gpu_operator import judge_operator_chart
from eks_accelerators.accelerators.mig import manager
from eks_accelerators.accelerators.sharing import EXCLUSIVE, Partitioning, Sharing
from eks_accelerators.components import DcgmExporter, GpuOperator, NvidiaDevicePlugin
from tests.components.examples import deployed

TAINTED = {"key": "nvidia.com/gpu", "operator": "Equal", "value": "true", "effect": "NoSchedule"}
TEAM = {"key": "team", "operator": "Exists"}
FOUR = {"strategy": "timeSlicing", "replicas": 4}
EIGHT_OF_MPS = {"strategy": "mps", "replicas": 8}
UNLIKE = {"strategy": "mig", "mig": {"layouts": [{}, *[{"1g.10gb": 7}] * 7]}}
SINGLE = {"strategy": "mig", "mig": {"strategy": "single", "layout": {"1g.10gb": 7}}}
EVERY = [
    pytest.param({}, id="as it is"),
    pytest.param({"shared_gpus": True, "renamed_shares": True}, id="shared"),
    pytest.param({"device_plugin": False, "metrics": False}, id="off"),
]


def values(changes=None):
    return deployed(GpuOperator, changes, name="operator").one("Release").inputs["values"]


def data(changes, part):
    return deployed(GpuOperator, changes, name="operator").one("ConfigMap", f"operator-{part}").inputs["data"]


@pytest.mark.parametrize("changes", EVERY)
def test_what_the_image_has_is_not_installed_again(changes):
    made = values(changes)

    assert judge_operator_chart(ChartValues(made)).problems == ()
    assert made["driver"]["enabled"] is made["toolkit"]["enabled"] is False


def test_the_plugin_s_configurations_are_those_of_its_own_chart():
    sharings = {"sharings": [FOUR, EIGHT_OF_MPS, UNLIKE]}

    assert data(sharings, "configs") == deployed(NvidiaDevicePlugin, sharings).one("ConfigMap").inputs["data"]
    assert values(sharings)["devicePlugin"]["config"] == {
        "create": False,
        "default": config_key(EXCLUSIVE),
        "name": "operator-configs",
    }


def test_what_is_written_is_accepted_as_anybody_s_values():
    """With the contents of the ConfigMaps in the values, where the chart would make them itself."""
    sharings = {"sharings": [FOUR, EIGHT_OF_MPS, UNLIKE, SINGLE]}
    made = values(sharings)
    for part, configs in (("devicePlugin", "configs"), ("migManager", "mig-layouts")):
        made[part]["config"] |= {"create": True, "data": data(sharings, configs)}

    judged = judge_operator_chart(ChartValues(made), node=Node.of(instance_types.get("p5.48xlarge")))

    assert (judged.verdict, judged.problems) == ("accepted", ())
    assert {one.effective.mig_strategy for one in judged.configurations.values()} == {"none", "single", "mixed"}


def test_each_node_has_its_own_mig_strategy():
    """The operator's one would be a variable of every plugin, which overrules the node's configuration."""
    configurations = data({"sharings": [SINGLE, UNLIKE, EIGHT_OF_MPS]}, "configs")

    strategies = {key: json.loads(text)["flags"]["migStrategy"] for key, text in configurations.items()}
    assert strategies == {
        "exclusive": "none",
        config_key(Sharing("mps", 8)): "none",
        "mig-mixed": "mixed",
        "mig-single": "single",
    }
    assert values()["mig"] == {"strategy": ""}


def test_layouts_are_in_the_file_that_mig_manager_reads():
    (text,) = [data({"sharings": [SINGLE, UNLIKE, FOUR]}, "mig-layouts")["config.yaml"]]

    wanted = Partitioning.of("mixed", [{}, *[{"1g.10gb": 7}] * 7]).as_written
    assert set(json.loads(text)["mig-configs"]) == {
        "all-disabled",
        "all-1g.10gb",
        manager.configuration_name(wanted),
    }
    assert values()["migManager"] == {
        "enabled": True,
        "env": [{"name": "WITH_REBOOT", "value": "true"}],
        "config": {"create": False, "default": "all-disabled", "name": "operator-mig-layouts-1a2b3c4d"},
    }


def test_the_counters_are_those_of_the_exporter_s_own_chart():
    of_the_chart = deployed(DcgmExporter).one("Release").inputs["values"]["customMetrics"]

    assert data({}, "counters") == {"dcgm-metrics.csv": of_the_chart}
    assert values()["dcgmExporter"]["config"] == {"name": "operator-counters-1a2b3c4d"}


def test_a_changed_content_is_a_changed_name_save_the_plugin_s_whose_keys_say_it():
    named = {
        made.name: made.inputs["metadata"].get("name")
        for made in deployed(GpuOperator, name="operator").of("ConfigMap")
    }

    assert named == {"operator-configs": "operator-configs", "operator-counters": None, "operator-mig-layouts": None}


@pytest.mark.parametrize(
    ("changes", "tolerations", "of_discovery"),
    [
        ({}, [TAINTED], [TAINTED]),
        ({"tolerations": [TEAM]}, [TEAM], [TEAM]),
        ({"discovery_tolerations": [TAINTED, TEAM]}, [TAINTED], [TAINTED, TEAM]),
    ],
    ids=["ours", "given", "discovery sees more"],
)
def test_tolerations(changes, tolerations, of_discovery):
    made = values(changes)

    assert made["daemonsets"]["tolerations"] == tolerations
    assert made["node-feature-discovery"]["worker"]["tolerations"] == of_discovery


def test_metrics_of_shared_gpus_are_attributed_as_with_the_exporter_s_own_chart():
    shared = {"shared_gpus": True, "renamed_shares": True}
    by_chart = deployed(DcgmExporter, shared).one("Release").inputs["values"]
    by_operator = values(shared)["dcgmExporter"]

    assert by_operator["env"] == by_chart["extraEnv"]
    assert by_operator["hostPID"] is by_chart["hostPID"] is True
    assert by_operator["enablePodUID"] is by_chart["kubernetes"]["enablePodUID"] is True
    assert not {"env", "hostPID", "enablePodUID"} & set(values()["dcgmExporter"])


@pytest.mark.parametrize(("wanted", "written"), [(False, "false"), (True, "true")])
def test_mellanox_devices_are_left_to_efa(wanted, written):
    assert values({"mofed_enabled": wanted})["devicePlugin"]["env"] == [{"name": "MOFED_ENABLED", "value": written}]


def test_what_is_switched_off():
    made = values({"device_plugin": False, "metrics": False})

    assert [made[part]["enabled"] for part in ("devicePlugin", "dcgmExporter", "migManager")] == [False, False, True]
