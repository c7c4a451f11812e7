"""Simulated exporters over a real control plane: what runs there is scraped, and what breaks shows on the node."""

import pytest

from eks_accelerators import components
from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.simulator.kubernetes.addons import node_monitoring_agent
from eks_accelerators.simulator.metrics.exporters import SimulatedExporters
from eks_accelerators.simulator.metrics.faults import DeviceFaults, parse
from eks_accelerators.simulator.metrics.metrics_server import MetricsServer
from tests.simulator.kubernetes.paper_cluster import released
from tests.simulator.metrics.test_metrics_server import got
from tests.simulator.small_clusters import (
    NVIDIA_TOLERATION,
    add_group,
    deployment,
    install_nvidia_plugin,
    nodes,
    pods,
    running_on,
    shown,
    small_cluster,
    wait,
)

pytestmark = pytest.mark.slow

GPU = "nvidia.com/gpu"
NAMESPACE = "dcgm-exporter"


@pytest.fixture(scope="module")
def sim(engines, tmp_path_factory):
    with small_cluster(tmp_path_factory.mktemp("exporters"), engines) as running:
        add_group(running, "gpu", "g6.12xlarge", nodes=2)
        install_nvidia_plugin(running)
        install_exporter_and_agent(running.cluster.api)
        running.cluster.api.create(deployment("training", asks={GPU: 1}, tolerations=[NVIDIA_TOLERATION]))
        wait(lambda: shown(running, "gpu") == [{GPU: 4}, {GPU: 4}] and running_on(running, "training"))
        yield running


def install_exporter_and_agent(api):
    api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    for manifest in [*released(components.DcgmExporter), *node_monitoring_agent.manifests()]:
        if manifest["kind"] == "DaemonSet":
            manifest["spec"]["template"]["spec"]["tolerations"] = [{"operator": "Exists"}]
        api.apply(manifest)


@pytest.fixture
def faults(sim):
    """Faults that the device plugin follows."""
    sim.kubelets.devices.health = made = DeviceFaults()
    return made


@pytest.fixture
def exporters(sim, faults):
    return SimulatedExporters(lambda: sim.cluster.api, faults=faults, always=[Exporter.KUBE_STATE_METRICS])


def by_exporter(found):
    counts = {}
    for target, _ in found:
        counts[target.exporter] = counts.get(target.exporter, 0) + 1
    return counts


def series(exporters, name):
    return [
        (dict(each.labels), each.value) for _, samples in exporters.scrape() for each in samples if each.name == name
    ]


def test_what_runs_is_scraped(sim, exporters, tmp_path):
    # DCGM runs where there are GPUs, the agent on the two system nodes too.
    wanted = {Exporter.DCGM: 2, Exporter.NODE_MONITORING_AGENT: 4, Exporter.KUBE_STATE_METRICS: 1}
    wait(lambda: by_exporter(exporters.scrape()) == wanted)
    (training,) = pods(sim, "training")

    holders = {
        (labels["node"] if "node" in labels else labels["Hostname"], labels["pod"])
        for labels, _ in series(exporters, "DCGM_FI_DEV_POWER_USAGE")
        if "pod" in labels
    }

    assert holders == {(training["spec"]["nodeName"], training["metadata"]["name"])}
    with MetricsServer(exporters, tmp_path / "targets.json") as server:
        status, text = got(server.address(Exporter.KUBE_STATE_METRICS.value))
        assert (status, "kube_pod_status_phase" in text) == (200, True)


def test_a_broken_gpu_shows_on_its_node(sim, exporters, faults):
    struck, _well = sorted(nodes(sim, "gpu"), key=lambda node: node["metadata"]["name"])
    faults.add(parse("lost-gpu:gpu", ["gpu"]))

    def status():
        exporters.scrape()
        now = sim.cluster.api.get("v1", "Node", struck["metadata"]["name"])["status"]
        conditions = {each["type"]: each["status"] for each in now["conditions"]}
        return now["capacity"][GPU], now["allocatable"][GPU], conditions["AcceleratedHardwareReady"]

    wait(lambda: status() == ("4", "3", "False"))

    lost = {
        labels["node"]: value
        for labels, value in series(exporters, "kube_node_status_allocatable")
        if "gpu" in labels["resource"]
    }
    assert sorted(lost.values()) == [3, 4]
    assert len(series(exporters, "DCGM_FI_DEV_GPU_TEMP")) == 7
    faults.clear()
    wait(lambda: status() == ("4", "4", "True"))


def test_conditions_of_kubelets_stay_as_they_are(sim, exporters):
    exporters.scrape()

    def ready(condition):
        return {
            each["status"]
            for node in sim.cluster.api.list("v1", "Node")
            for each in node["status"]["conditions"]
            if each["type"] == condition
        }

    wait(lambda: exporters.scrape() and ready("KernelReady") == {"True"})
    assert ready("Ready") == {"True"}


def test_a_pod_that_is_gated_is_unschedulable_to_kube_state_metrics(sim, exporters):
    """It counts every pod of which `PodScheduled` is false, and the API server says that of gated pods too."""
    gated = deployment("gated", asks={GPU: 1}, schedulingGates=[{"name": "kueue.x-k8s.io/admission"}])
    sim.cluster.api.create(gated)

    wait(lambda: any("gated" in labels["pod"] for labels, _ in series(exporters, "kube_pod_status_unschedulable")))

    (found,) = pods(sim, "gated")
    (scheduled,) = (each for each in found["status"]["conditions"] if each["type"] == "PodScheduled")
    assert (scheduled["status"], scheduled["reason"]) == ("False", "SchedulingGated")
    reasons = {labels["pod"]: labels["reason"] for labels, _ in series(exporters, "kube_pod_status_reason")}
    assert reasons == {found["metadata"]["name"]: "SchedulingGated"}
