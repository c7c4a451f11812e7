"""kube-state-metrics' names and figures for objects, as in the cases of its own tests."""

from dataclasses import replace

import pytest

from eks_accelerators import components
from eks_accelerators.accelerators.sharing import Sharing
from eks_accelerators.monitoring.metrics import Exporter, metrics, node_label
from eks_accelerators.simulator.kubernetes.charts import kube_state_metrics as chart
from eks_accelerators.simulator.metrics.sources.kube_state_metrics import (
    ALL,
    APP,
    collectors,
    node_labels,
    quantity,
    samples,
    scrape,
)
from eks_accelerators.simulator.pace import Pace, PacedClock
from tests.simulator.kubernetes.paper_cluster import released
from tests.simulator.metrics.worlds import NOW, Paper, pod, quota

GPU = "nvidia.com/gpu"
LET_THROUGH = (
    "node",
    "label_nvidia_com_gpu_present",
    "label_node_kubernetes_io_instance_type",
    "label_eks_accelerators_node_group",
    "label_eks_accelerators_dynamic_resource_allocation",
)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("4", 4),
        ("500m", 0.5),
        ("48Gi", 48 * 1024**3),
        ("1.5k", 1500),
        ("1e3", 1000),
        ("2E", 2e18),
        ("100n", 1e-7),
        ("-1", -1),
    ],
)
def test_quantities_are_numbers(text, number):
    assert quantity(text) == pytest.approx(number)


@pytest.mark.parametrize("text", ["", "GPU", "1 Gi", "1ki"])
def test_what_is_no_quantity_is_refused(text):
    with pytest.raises(ValueError, match="no quantity"):
        quantity(text)


def test_resources_have_kube_state_metrics_names_and_units():
    paper = Paper()
    paper.add(instance_type="p5.48xlarge", sharing=Sharing("timeSlicing", replicas=4, renamed=True), efa_interfaces=32)

    found = {(labels["resource"], labels["unit"]) for labels, _ in paper.series("kube_node_status_allocatable")}

    assert found == {
        ("cpu", "core"),
        ("memory", "byte"),
        ("ephemeral_storage", "byte"),
        ("hugepages_1Gi", "byte"),
        ("hugepages_2Mi", "byte"),
        ("pods", "integer"),
        ("nvidia_com_gpu_shared", "integer"),
        ("vpc_amazonaws_com_efa", "integer"),
    }


def test_labels_of_nodes_are_those_that_are_let_through():
    paper = Paper()
    here = paper.add(instance_type="g6.2xlarge", claimed=True)
    here["metadata"]["labels"]["secret"] = "x"

    ((labels, _),) = paper.series("kube_node_labels")
    assert {key: labels[key] for key in LET_THROUGH} == {
        "node": here["metadata"]["name"],
        "label_nvidia_com_gpu_present": "true",
        "label_node_kubernetes_io_instance_type": "g6.2xlarge",
        "label_eks_accelerators_node_group": "gpu",
        "label_eks_accelerators_dynamic_resource_allocation": "true",
    }
    assert set(labels) <= metrics()["kube_node_labels"].labels


def test_a_pod_that_waits_is_on_no_node():
    paper = Paper().run(pod("waits", None, {GPU: 2, "cpu": "500m"}))

    requests = {
        labels["resource"]: (labels["node"], value)
        for labels, value in paper.series("kube_pod_container_resource_requests")
    }

    assert requests == {"nvidia_com_gpu": ("", 2), "cpu": ("", 0.5)}
    assert [labels["pod"] for labels, _ in paper.series("kube_pod_status_unschedulable")] == ["waits"]
    assert paper.series("kube_pod_start_time") == []


def test_a_pod_that_is_gated_is_unschedulable_and_says_why():
    gated = pod("gated", None, {GPU: 1})
    gated["status"]["conditions"][0]["reason"] = "SchedulingGated"
    paper = Paper().run(gated, pod("waits", None, {GPU: 1}))

    assert [labels["pod"] for labels, _ in paper.series("kube_pod_status_unschedulable")] == ["gated", "waits"]
    assert [(labels["pod"], labels["reason"]) for labels, _ in paper.series("kube_pod_status_reason")] == [
        ("gated", "SchedulingGated")
    ]


def test_a_condition_is_true_false_or_unknown():
    paper = Paper()
    paper.run(pod("a", paper.add(), {GPU: 1}))

    phases = {labels["phase"]: value for labels, value in paper.series("kube_pod_status_phase") if labels["pod"] == "a"}
    ready = {labels["condition"]: value for labels, value in paper.series("kube_pod_status_ready")}

    assert phases == {"Pending": 0, "Running": 1, "Succeeded": 0, "Failed": 0, "Unknown": 0}
    assert ready == {"true": 1, "false": 0, "unknown": 0}


def test_a_claim_from_a_template_has_its_own_name_as_soon_as_it_is_made():
    paper = Paper()
    here = paper.add(instance_type="g6.2xlarge", claimed=True)
    user = pod("a", here, resourceClaims=[{"name": "gpu", "resourceClaimTemplateName": "one-gpu"}])
    paper.run(user)
    (before,) = (labels for labels, _ in paper.series("kube_pod_resourceclaim_info"))
    user["status"]["resourceClaimStatuses"] = [{"name": "gpu", "resourceClaimName": "a-gpu-x"}]
    (after,) = (labels for labels, _ in paper.series("kube_pod_resourceclaim_info"))

    assert [each["resourceclaim_name"] for each in (before, after)] == ["", "a-gpu-x"]
    assert after["resourceclaim_template_name"] == "one-gpu"


def test_quotas_keep_the_names_of_resources():
    paper = Paper()
    paper.quotas.append(quota("team", hard={"requests.nvidia.com/gpu": 8}, used={"requests.nvidia.com/gpu": 3}))

    found = {(labels["resource"], labels["type"]): value for labels, value in paper.series("kube_resourcequota")}

    assert found == {("requests.nvidia.com/gpu", "hard"): 8, ("requests.nvidia.com/gpu", "used"): 3}


def test_a_start_is_shown_on_the_clock_of_the_simulation():
    paper = Paper()
    young = pod("a", paper.add(), {GPU: 1})
    young["status"]["startTime"] = "2027-01-15T07:59:00Z"  # a minute before NOW
    paper.run(young)
    clock = PacedClock(Pace(60), NOW, 5_000_000.0)

    (start,) = (each.value for each in samples(replace(paper.at(), clock=clock)) if each.name == "kube_pod_start_time")

    assert clock.simulated(NOW) - start == 3600


KINDS_OF = {
    "deployments": "kube_deployment_",
    "nodes": "kube_node_",
    "pods": "kube_pod_",
    "resourcequotas": "kube_resourcequota",
}
"""How the metrics of each kind begin. Source: kube-state-metrics' documentation, a page for each kind in `docs/metrics/`."""


def families(*arguments):
    """The metrics that are shown where its pod is told so, in a cluster that has an object of every kind."""
    paper = Paper(always=())
    here = paper.add()
    paper.run(pod(APP, here, app=APP, args=arguments))
    paper.quotas.append(quota("team", hard={"pods": 8}, used={"pods": 3}))
    paper.deployments.append({"metadata": {"name": "a", "namespace": "team"}})
    ((_, shown),) = scrape(paper.at())
    return {sample.name for sample in shown}


@pytest.mark.parametrize("kind", KINDS_OF)
def test_a_kind_that_it_is_not_told_of_is_not_shown(kind):
    told = families(f"--resources={','.join(sorted(KINDS_OF.keys() - {kind}))}")

    assert families() - told == {name for name in families() if name.startswith(KINDS_OF[kind])} != set()


def labels_told(*arguments):
    """The series of `kube_node_labels` where its pod is told so: labels of each but the node's name."""
    paper = Paper(always=())
    here = paper.add()
    here["metadata"]["labels"] = {"team": "ml", "example.com/rackRow": "7", "example.com/rack": "b"}
    paper.run(pod(APP, here, app=APP, args=arguments))
    ((_, shown),) = scrape(paper.at())
    return [
        {key: value for key, value in sample.labels.items() if key != "node"}
        for sample in shown
        if sample.name == "kube_node_labels"
    ]


EVERY = {"label_team": "ml", "label_example_com_rack_row": "7", "label_example_com_rack": "b"}


@pytest.mark.parametrize(
    ("allowed", "labels"),
    [
        ("nodes=[team]", [{"label_team": "ml"}]),
        ("pods=[app],nodes=[ team , example.com/rack]", [{"label_team": "ml", "label_example_com_rack": "b"}]),
        ("nodes=[nobody]", [{}]),
        ("nodes=[*]", [EVERY]),
        ("*=[team],nodes=[example.com/rack]", [{"label_team": "ml"}]),
        ("nodes=[example.com/*]", [{key: value for key, value in EVERY.items() if "rack" in key}]),
        ("nodes=[team,*]", [{"label_team": "ml"}]),
        ("nodes=[exampleXcom/rack]", [{}]),
        ("nodes=[]", []),
        ("pods=[*]", []),
        ("nodes", []),
    ],
)
def test_labels_of_nodes_are_those_that_its_pod_is_told(allowed, labels):
    assert labels_told(f"--metric-labels-allowlist={allowed}") == labels


def test_without_the_flag_it_shows_no_labels_and_of_two_the_last():
    assert labels_told("--port=8080") == []
    assert labels_told(*(f"--metric-labels-allowlist=nodes=[{key}]" for key in ("nobody", "team"))) == [
        {"label_team": "ml"}
    ]


def test_by_default_it_shows_all_kinds():
    assert ALL == KINDS_OF.keys() <= set(chart.DEFAULTS["collectors"])
    assert families("--port=8080") == families()


@pytest.mark.parametrize("component", [components.KubeStateMetrics, components.KubePrometheusStack])
def test_what_a_stack_deploys_is_told_of_all_kinds_that_rules_ask_for(component):
    (deployment,) = (
        each for each in released(component) if each["kind"] == "Deployment" and APP in each["metadata"]["name"]
    )
    of_rules = {name for name, metric in metrics().items() if metric.exporter is Exporter.KUBE_STATE_METRICS}
    told = collectors(deployment["spec"]["template"])

    assert [name for name in of_rules if not name.startswith(tuple(KINDS_OF[kind] for kind in told & ALL))] == []
    asked = {label for label in metrics()["kube_node_labels"].labels if label.startswith("label_")}
    assert {node_label(key) for key in node_labels(deployment["spec"]["template"])} == asked
