"""Releases of the plugins: charts as pinned, on the nodes that they serve and no other."""

import pytest

from eks_accelerators import components
from eks_accelerators.accelerators.device_plugin import config_key, judge
from eks_accelerators.accelerators.sharing import EXCLUSIVE, Sharing
from eks_accelerators.components import (
    DcgmExporter,
    DraDriver,
    EfaDevicePlugin,
    GpuOperator,
    NeuronDevicePlugin,
    NvidiaDevicePlugin,
)
from eks_accelerators.components.charts import catalogue
from eks_accelerators.settings.problems import SettingsError
from eks_accelerators.settings.releases import RELEASES
from tests.components.examples import deployed, run

TAINTED = {"key": "nvidia.com/gpu", "operator": "Equal", "value": "true", "effect": "NoSchedule"}
TAINTED_NEURON = {**TAINTED, "key": "aws.amazon.com/neuron"}
TEAM = {"key": "team", "operator": "Exists"}
FOUR = {"strategy": "timeSlicing", "replicas": 4}
MPS = {"strategy": "mps", "replicas": 8}
CHARTS = [pytest.param(getattr(components, each.component), each.chart, id=each.name) for each in RELEASES]


def release(component, changes=None, **options):
    *_, program = deployed(component, changes, **options).of(
        "Release"
    )  # after the kinds, where those have one of their own
    return program.inputs


def values(component, changes=None, **options):
    return release(component, changes, **options)["values"]


@pytest.mark.parametrize(("component", "entry"), CHARTS)
def test_charts_are_those_of_the_catalogue(component, entry):
    made, wanted = release(component), catalogue()[entry]

    assert (made["chart"], made["version"]) == (wanted["chart"], wanted["version"])
    assert made.get("repositoryOpts", {}).get("repo") == wanted.get("repository")
    assert ("repository" in wanted) != wanted["chart"].startswith("oci://")


@pytest.mark.parametrize(("component", "entry"), CHARTS)
def test_a_release_does_not_wait_for_nodes_that_may_not_be_there(component, entry):
    """The webhooks of LeaderWorkerSet have to answer before the first set, and its pods need no node with accelerators."""
    assert release(component)["skipAwait"] is (entry != "lws")


@pytest.mark.parametrize(("component", "entry"), CHARTS)
def test_values(component, entry, snapshot):
    made = values(component)
    made.pop("customMetrics", None)

    assert made == snapshot


def test_everything_of_the_nvidia_plugin_tolerates_our_taint():
    """The chart's default for discovery tolerates nvidia.com/gpu=present only: on our taint it has no pod."""
    made = values(NvidiaDevicePlugin)

    assert made["tolerations"] == made["nfd"]["worker"]["tolerations"] == [TAINTED]
    assert made["nfd"]["worker"]["affinity"] == made["affinity"]


def test_given_tolerations_reach_every_pod():
    made = values(NvidiaDevicePlugin, {"tolerations": [TAINTED, TEAM]})

    assert made["tolerations"] == made["nfd"]["worker"]["tolerations"] == [TAINTED, TEAM]
    assert values(NeuronDevicePlugin, {"tolerations": [TEAM]})["devicePlugin"]["tolerations"] == [TEAM]
    assert values(EfaDevicePlugin, {"tolerations": [TEAM]})["tolerations"] == [TEAM]
    assert values(DraDriver, {"tolerations": [TEAM]})["kubeletPlugin"]["tolerations"] == [TEAM]
    assert values(DcgmExporter, {"tolerations": [TEAM]})["tolerations"] == [TEAM]


def test_the_nvidia_plugin_stays_off_nodes_that_run_their_own():
    """Bottlerocket's nodes have the first label and not the second."""
    affinity = values(NvidiaDevicePlugin)["affinity"]["nodeAffinity"]

    (term,) = affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert {(e["key"], e["operator"]) for e in term["matchExpressions"]} == {
        ("nvidia.com/gpu.present", "In"),
        ("nvidia.com/device-plugin.config", "Exists"),
    }


def test_one_configuration_for_each_kind_of_sharing():
    sharings = [FOUR, FOUR, {**FOUR, "rename_by_default": True}, MPS, {"strategy": "exclusive"}]
    data = deployed(NvidiaDevicePlugin, {"sharings": sharings}).one("ConfigMap").inputs["data"]

    assert set(data) == {
        config_key(EXCLUSIVE),
        config_key(Sharing("timeSlicing", 4)),
        config_key(Sharing("timeSlicing", 4, renamed=True)),
        config_key(Sharing("mps", 8)),
    }
    assert [judge(text).verdict for text in data.values()] == ["accepted"] * 4


def test_discovery_runs_which_brings_the_mps_control_daemon():
    """The daemon selects on `nvidia.com/mps.capable`, and GPU Feature Discovery is what writes that label."""
    assert values(NvidiaDevicePlugin, {"sharings": [MPS]})["gfd"] == {"enabled": True}


def test_nodes_without_a_label_get_whole_gpus():
    made = deployed(NvidiaDevicePlugin, {"sharings": []})

    assert made.one("Release").inputs["values"]["config"]["default"] in made.one("ConfigMap").inputs["data"]


def test_another_sharing_leaves_the_release_alone():
    """A change of the release would restart the plugin, and the MPS servers, on the nodes of all groups."""
    before, after = (deployed(NvidiaDevicePlugin, {"sharings": [one]}, name="plugin") for one in (FOUR, MPS))

    assert before.one("ConfigMap").inputs["metadata"]["name"] == "plugin-configs"
    assert before.one("ConfigMap").inputs["data"] != after.one("ConfigMap").inputs["data"]
    assert before.one("Release").inputs == after.one("Release").inputs
    assert before.one("Release").inputs["values"]["config"]["name"] == "plugin-configs"


def keys_of_required_labels(affinity):
    (term,) = affinity["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    return {expression["key"] for expression in term["matchExpressions"]}


def test_no_node_has_both_the_device_plugin_and_the_dra_driver():
    """Each requires a label, and no node has both: see `eks_accelerators.settings.gpu_servers`."""
    plugin = keys_of_required_labels(values(NvidiaDevicePlugin)["affinity"])
    driver = keys_of_required_labels(values(DraDriver)["kubeletPlugin"]["affinity"])

    assert "nvidia.com/device-plugin.config" in plugin - driver
    assert driver == {"eks-accelerators/dynamic-resource-allocation"}


@pytest.mark.parametrize("component", [NvidiaDevicePlugin, DraDriver, DcgmExporter, GpuOperator])
def test_pods_with_host_rights_have_a_namespace_that_admits_them(component):
    deployment = deployed(component)

    space = deployment.one("Namespace").inputs["metadata"]
    assert space["labels"]["pod-security.kubernetes.io/enforce"] == "privileged"
    assert space["annotations"]["eks-accelerators/pod-security-reason"]
    assert deployment.one("Release").inputs["namespace"] == space["name"]


def test_mellanox_devices_are_left_to_efa():
    assert values(NvidiaDevicePlugin)["mofedEnabled"] is False


@pytest.mark.parametrize(
    "sharing",
    [
        pytest.param({"strategy": "timeSlicing", "replicas": 1}, id="shared-by-one"),
        pytest.param({"strategy": "timeSlicing"}, id="no-replicas"),
        pytest.param({"strategy": "mps", "replicas": 49}, id="too-many-clients-of-mps"),
        pytest.param({"strategy": "mps", "memory_gib": 4}, id="memory-of-an-unknown-gpu"),
        pytest.param({"strategy": "sliced"}, id="unknown"),
    ],
)
def test_what_the_plugin_would_refuse_is_refused_here(sharing):
    deployment = run(NvidiaDevicePlugin, {"sharings": [sharing]})

    assert isinstance(deployment.error, ValueError | SettingsError)
    assert deployment.of("NvidiaDevicePlugin") == []


def test_the_neuron_plugin_runs_on_neuron_nodes_alone():
    made = values(NeuronDevicePlugin)

    assert made["devicePlugin"] == {
        "nodeSelector": {"aws.amazon.com/neuron.present": "true"},
        "tolerations": [TAINTED_NEURON],
    }
    assert "nodeSelector" not in made
    assert [made[part]["enabled"] for part in ("npd", "scheduler", "draDriver")] == [False, False, False]


def test_the_efa_plugin_runs_where_efa_is_attached():
    """Also on types that the chart's own list does not have yet."""
    made = values(EfaDevicePlugin, {"image_repository": "example.com/efa"})

    assert made["nodeSelector"] == {"vpc.amazonaws.com/efa.present": "true"}
    assert made["supportedInstanceLabels"] == {"keys": ["vpc.amazonaws.com/efa.present"], "values": ["true"]}
    assert made["tolerations"] == [TAINTED, TAINTED_NEURON]
    assert made["image"] == {"repository": "example.com/efa"}


def test_metrics_of_whole_gpus_need_no_host_processes():
    made = values(DcgmExporter)

    assert not {"hostPID", "extraEnv", "kubernetes"} & set(made)
    assert made["nodeSelector"] == {"nvidia.com/gpu.present": "true"}
    assert made["serviceMonitor"]["enabled"] is False
    assert made["serviceMonitor"]["honorLabels"] is True


ATTRIBUTED = {"hostPID": True, "kubernetes": {"enablePodUID": True}}
VIRTUAL_GPUS = {"name": "KUBERNETES_VIRTUAL_GPUS", "value": "true"}
NAMES = {"name": "NVIDIA_RESOURCE_NAMES", "value": "nvidia.com/gpu,nvidia.com/gpu.shared"}


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        pytest.param({"shared_gpus": False}, {}, id="whole-gpus-or-instances"),
        pytest.param({"shared_gpus": True}, {**ATTRIBUTED, "extraEnv": [VIRTUAL_GPUS]}, id="shared"),
        pytest.param(
            {"shared_gpus": True, "renamed_shares": True},
            {**ATTRIBUTED, "extraEnv": [VIRTUAL_GPUS, NAMES]},
            id="shared-renamed",
        ),
        pytest.param({"claimed_gpus": True, "shared_gpus": True}, {}, id="claims-are-not-seen-beside-shares"),
    ],
)
def test_metrics_are_attributed_where_they_can_be(args, expected):
    made = values(DcgmExporter, args)

    assert {key: made[key] for key in ("hostPID", "kubernetes", "extraEnv") if key in made} == expected


def test_metrics_of_claimed_gpus_name_their_pods():
    made = values(DcgmExporter, {"claimed_gpus": True})

    assert made["kubernetesDRA"] == {"enabled": True}
    # The chart's own image waits for v1beta1 of resource.k8s.io before it serves anything.
    assert made["image"] == {"tag": catalogue()["dcgm-exporter-of-claims"]["tag"]}
    assert "image" not in values(DcgmExporter)


@pytest.mark.parametrize(("claimed", "operator"), [(False, "NotIn"), (True, "In")])
def test_nodes_with_claims_have_an_exporter_of_their_own(claimed, operator):
    affinity = values(DcgmExporter, {"claimed_gpus": claimed})["affinity"]["nodeAffinity"]
    (term,) = affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]

    assert term["matchExpressions"] == [
        {"key": "eks-accelerators/dynamic-resource-allocation", "operator": operator, "values": ["true"]}
    ]
    assert "kubernetesDRA" not in values(DcgmExporter)


def test_counters_are_lines_of_three_and_change_the_pods():
    """A comma in a help text makes a fourth field, and the exporter does not start."""
    made = values(DcgmExporter)

    lines = [line for line in made["customMetrics"].splitlines() if not line.startswith("#")]
    assert {len(line.split(",")) for line in lines} == {3}
    assert {line.split(",")[1] for line in lines} <= {"gauge", "counter"}
    assert len(made["podAnnotations"]["checksum/counters"]) == 16


def test_a_service_monitor_where_there_is_an_operator():
    changes = {"service_monitor": True, "service_monitor_labels": {"release": "prometheus"}}
    made = values(DcgmExporter, changes)["serviceMonitor"]

    assert (made["enabled"], made["additionalLabels"]) == (True, {"release": "prometheus"})
