"""The stand-ins of the charts that make pods of training jobs have the programs that helm made of the real charts, for the same values."""

import json
from pathlib import Path

import pytest

from eks_accelerators.simulator.kubernetes import charts
from tests.components.training.test_engines import of
from tests.simulator.kubernetes.training_charts import COMPONENTS, release, told, version

RECORDED = json.loads(Path(__file__).with_name("training_charts.json").read_text(encoding="utf-8"))


def rendered(chart):
    made = release(chart)
    return charts.manifests(
        made["chart"], version=made["version"], release="r", namespace=made["namespace"], values=made["values"]
    )


@pytest.mark.parametrize("chart", COMPONENTS)
def test_the_stand_in_has_the_program_of_the_real_chart(chart):
    assert told(rendered(chart)) == RECORDED["rendered"][chart]


@pytest.mark.parametrize("chart", COMPONENTS)
def test_what_was_recorded_is_of_the_pinned_version(chart):
    assert f"{chart} {version(chart)} " in RECORDED["source"]


@pytest.mark.parametrize("chart", COMPONENTS)
def test_the_program_is_on_system_nodes_and_asks_for_no_gpu(chart):
    recorded = RECORDED["rendered"][chart]

    assert not {"tolerations", "nodeSelector"} & recorded["pod"].keys()
    for asked in recorded["program"]["resources"].values():
        assert asked.keys() <= {"cpu", "memory"}


@pytest.mark.parametrize("chart", COMPONENTS)
def test_names_are_labels(chart):
    """An API server refuses labels with a colon or a slash in their values."""
    for manifest in rendered(chart):
        labels = manifest["metadata"].get("labels", {}) | manifest.get("spec", {}).get("template", {}).get(
            "metadata", {}
        ).get("labels", {})
        assert all(set(value).isdisjoint(":/") for value in labels.values()), labels


def test_jobset_comes_once():
    """Kubeflow Trainer's chart brings it too, where it is not told otherwise."""
    assert release("kubeflow-trainer")["values"]["jobset"] == {"install": False}
    with pytest.raises(charts.ChartNotSimulatedError, match=r"jobset\.install"):
        charts.manifests(release("kubeflow-trainer")["chart"], version="2.3.0", release="r", namespace="n", values={})


OBJECTS = {"jobSet": "jobset", "trainJob": "kubeflow-trainer", "rayJob": "kuberay-operator"}
LEVEL = "pod-security.kubernetes.io/enforce"


@pytest.mark.parametrize(("controller", "chart"), OBJECTS.items())
def test_a_real_api_server_takes_the_chart_and_the_objects_of_a_job(cluster, namespace, controller, chart):
    """The program is admitted at the level of its namespace."""
    labelled = {"name": namespace, "labels": {LEVEL: "restricted"}}
    cluster.api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": labelled})
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": namespace}}
    cluster.api.apply(account)
    for manifest in rendered(chart):
        if "namespace" in manifest["metadata"]:
            manifest["metadata"]["namespace"] = namespace
        is_kind = manifest["kind"] == "CustomResourceDefinition"
        cluster.api.apply(manifest, dry_run=not is_kind)
        if manifest["kind"] == "Deployment":
            spec = {key: value for key, value in manifest["spec"]["template"]["spec"].items() if "Account" not in key}
            metadata = {"name": "program", "namespace": namespace}
            cluster.api.create({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}, dry_run=True)
    kinds = {line.split()[1] for line in RECORDED["rendered"][chart]["kinds"]}
    mine = [resource.inputs for resource in of(controller).resources if resource.kind in kinds]
    for made in mine:
        if "namespace" in made["metadata"]:
            made["metadata"]["namespace"] = namespace
        cluster.api.create(made, dry_run=True)
    assert mine
