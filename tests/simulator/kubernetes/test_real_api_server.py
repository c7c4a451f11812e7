"""A real API server takes every object of the stand-ins, and refuses what it would refuse on real AWS."""

import pytest

from eks_accelerators import components
from eks_accelerators.components.charts import catalogue
from eks_accelerators.simulator.kubernetes import addons, charts
from eks_accelerators.simulator.kubernetes.api import ApiError
from tests.simulator.kubernetes.paper_cluster import RELEASED, released

PRIVILEGED, BASELINE = "privileged", "baseline"
_NAMED = ("serviceAccountName", "runtimeClassName")
ENFORCE = "pod-security.kubernetes.io/enforce"


def pods_of(manifests, namespace):
    """A pod of every DaemonSet: admission judges pods, and of a workload it warns only."""
    for manifest in manifests:
        if manifest["kind"] == "DaemonSet":
            template = manifest["spec"]["template"]
            yield {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"generateName": "p-", "namespace": namespace, "labels": template["metadata"]["labels"]},
                # What they name is not there, since all this is a dry run.
                "spec": {key: value for key, value in template["spec"].items() if key not in _NAMED},
            }


@pytest.fixture
def at_level(cluster, namespace):
    def enforce(level):
        labelled = {"name": namespace, "labels": {ENFORCE: level}}
        cluster.api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": labelled})
        account = {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": "default", "namespace": namespace},
        }
        cluster.api.apply(account)  # which a controller makes too, a moment later
        return namespace

    return enforce


def within(manifests, namespace):
    return [
        {**manifest, "metadata": {**manifest["metadata"], "namespace": namespace}}
        if "namespace" in manifest["metadata"]
        else manifest
        for manifest in manifests
    ]


@pytest.mark.parametrize("component", RELEASED)
def test_it_takes_what_the_components_release(cluster, at_level, component):
    namespace = at_level(PRIVILEGED)
    made = within(released(component), namespace)
    brought = {one["spec"]["names"]["kind"] for one in made if one["kind"] == "CustomResourceDefinition"}
    for manifest in made:
        if manifest["kind"] not in brought:  # a dry run defines nothing
            cluster.api.apply(manifest, dry_run=True)
    for pod in pods_of(released(component), namespace):
        cluster.api.create(pod, dry_run=True)


@pytest.mark.parametrize("addon", addons.ADDONS)
def test_it_takes_every_addon(cluster, addon):
    made = addons.manifests(addon)
    for manifest in made:
        # Of a namespace of its own nothing is there in a dry run.
        cluster.api.apply(manifest, dry_run=manifest["kind"] != "Namespace")
    for manifest in made:
        if manifest["kind"] == "Namespace":
            cluster.api.delete("v1", "Namespace", manifest["metadata"]["name"])


@pytest.mark.parametrize("component", RELEASED)
def test_plugins_and_exporter_need_a_privileged_namespace(cluster, at_level, component):
    namespace = at_level(BASELINE)

    for pod in pods_of(released(component), namespace):
        with pytest.raises(ApiError, match='violates PodSecurity "baseline') as refused:
            cluster.api.create(pod, dry_run=True)
        assert refused.value.status == 403


def test_a_service_monitor_fails_where_nobody_brought_its_definition(cluster, namespace):
    made = released(components.DcgmExporter, {"serviceMonitor": {"enabled": True}})
    (monitor,) = [manifest for manifest in within(made, namespace) if manifest["kind"] == "ServiceMonitor"]

    with pytest.raises(ApiError) as refused:
        cluster.api.apply(monitor, dry_run=True)
    assert refused.value.status == 404


def test_two_exporters_in_one_namespace_share_their_counters():
    """The chart's fixed name: the second release takes over the first one's list."""
    names = {
        manifest["metadata"]["name"]
        for release in ("one", "two")
        for manifest in charts.manifests("dcgm-exporter", version="4.8.2", release=release, namespace="n", values={})
        if manifest["kind"] == "ConfigMap"
    }

    assert names == {"exporter-metrics-config-map"}


def test_it_serves_no_beta_of_claims_which_an_older_exporter_waits_for(cluster):
    """The DCGM exporter 4.8.2 reads ResourceSlices of v1beta1 alone: nodes with claims have a later one."""
    served = {version for version, kind in cluster.api.kinds() if kind == "ResourceSlice"}

    assert served == {"resource.k8s.io/v1"}
    assert catalogue()["dcgm-exporter-of-claims"]["tag"].split("-")[1] > catalogue()["dcgm-exporter"]["version"]
