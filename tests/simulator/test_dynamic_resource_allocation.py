"""Claimed GPUs beside counted ones: the real scheduler gives each pod devices of the one kind or a number of the other."""

import pytest
import yaml

from eks_accelerators.components.resource_claims import claim_spec
from eks_accelerators.simulator.kubernetes.report import pod_reports
from eks_accelerators.simulator.kubernetes.resource_slices import published
from eks_accelerators.simulator.kubernetes.roles import DRA_DRIVER, NVIDIA_DEVICE_PLUGIN, ROLE_LABEL
from tests.docs.pages import ROOT, blocks
from tests.simulator.small_clusters import (
    NVIDIA_TOLERATION,
    add_group,
    deployment,
    install_dra_driver,
    install_nvidia_plugin,
    nodes,
    pods,
    reports,
    resize,
    running_on,
    shown,
    small_cluster,
    wait,
)

pytestmark = pytest.mark.slow

PLUGGED, CLAIMED = {"nvidia.com/gpu": 1}, {"gpu.nvidia.com": 4}
"""What a node of each group has to give."""


@pytest.fixture(scope="module")
def sim(engines, tmp_path_factory):
    with small_cluster(tmp_path_factory.mktemp("claims"), engines) as running:
        add_group(running, "plugged", "g6.2xlarge")
        add_group(running, "claimed", "g6.12xlarge", claimed=True)
        install_nvidia_plugin(running)
        install_dra_driver(running)
        wait(lambda: (shown(running, "plugged"), shown(running, "claimed")) == ([PLUGGED], [CLAIMED]))
        yield running


@pytest.fixture
def api(sim):
    return sim.cluster.api


def names(sim, group):
    return {node["metadata"]["name"] for node in nodes(sim, group)}


def template(name, gpus, selector=None):
    """A ResourceClaimTemplate as a workload of a stack has it."""
    ((request,),) = [claim_spec(gpus)["devices"]["requests"]]
    exactly = {
        **request["exactly"],
        **({"selectors": [{"cel": {"expression": selector}}]} if selector else {}),
    }
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"spec": {"devices": {"requests": [{"name": "gpus", "exactly": exactly}]}}},
    }


def claiming(name, replicas, **pod):
    """A Deployment whose pods claim what the template of its name says."""
    made = deployment(name, replicas, tolerations=[NVIDIA_TOLERATION], **pod)
    spec = made["spec"]["template"]["spec"]
    spec["resourceClaims"] = [{"name": "gpus", "resourceClaimTemplateName": name}]
    spec["containers"][0]["resources"] = {"claims": [{"name": "gpus"}]}
    return made


@pytest.fixture
def start(sim, api):
    """Deploys objects, and removes them again."""
    made = []

    def begin(*manifests):
        made.extend(manifests)
        for manifest in manifests:
            api.apply(manifest)

    yield begin
    for manifest in made:
        api.delete(manifest["apiVersion"], manifest["kind"], manifest["metadata"]["name"], "default", wait_seconds=30)
    wait(lambda: api.list("resource.k8s.io/v1", "ResourceClaim", "default") == [])
    wait(lambda: all(pods(sim, manifest["metadata"]["name"]) == [] for manifest in made))


def free(sim, group):
    """Free accelerators of the group's nodes."""
    return sum(
        count.allocatable - count.requested for report in reports(sim, group) for count in report.accelerators.values()
    )


def test_neither_runs_on_the_other_s_nodes(sim, api):
    running = {
        (pod["metadata"]["labels"][ROLE_LABEL], pod["spec"]["nodeName"])
        for pod in api.list("v1", "Pod", None, ROLE_LABEL)
    }
    on = {role: {node for found, node in running if found == role} for role in (NVIDIA_DEVICE_PLUGIN, DRA_DRIVER)}

    assert on == {NVIDIA_DEVICE_PLUGIN: names(sim, "plugged"), DRA_DRIVER: names(sim, "claimed")}


def test_a_node_of_claimed_gpus_advertises_no_extended_resource(sim):
    (node,) = nodes(sim, "claimed")

    assert "nvidia.com/gpu" not in node["status"]["allocatable"]


def test_claims_are_given_devices_and_never_more_than_there_are(sim, api, start):
    start(template("trainer", 1), claiming("trainer", 6))

    wait(lambda: len(running_on(sim, "trainer")) == 4)

    sim.settle()
    assert set(running_on(sim, "trainer")) == names(sim, "claimed")
    assert len(running_on(sim, "trainer")) == 4
    claims = api.list("resource.k8s.io/v1", "ResourceClaim", "default")
    given = [
        (result["pool"], result["device"])
        for claim in claims
        for result in claim.get("status", {}).get("allocation", {}).get("devices", {}).get("results", [])
    ]
    assert len(given) == len(set(given)) == 4
    assert free(sim, "claimed") == 0

    (waiting,) = [
        report for report in pod_reports(api) if report.owner == "Deployment/trainer" and report.phase == "Pending"
    ]
    assert (waiting.count, waiting.requests) == (2, {"gpu.nvidia.com": 1})
    assert "cannot allocate all claims" in waiting.reason


def test_a_claim_of_several_is_met_on_one_node_or_not_at_all(sim, start):
    start(template("large", 3), claiming("large", 2))

    wait(lambda: len(running_on(sim, "large")) == 1)

    sim.settle()
    assert len(running_on(sim, "large")) == 1
    assert free(sim, "claimed") == 1


@pytest.mark.parametrize(
    ("memory", "runs"), [pytest.param("20Gi", True, id="enough"), pytest.param("30Gi", False, id="too-little")]
)
def test_pods_choose_by_what_a_gpu_is(sim, api, start, memory, runs):
    selector = f"device.capacity['gpu.nvidia.com'].memory.compareTo(quantity('{memory}')) >= 0"
    start(template("choosy", 1, selector), claiming("choosy", 1))

    if runs:
        wait(lambda: len(running_on(sim, "choosy")) == 1)
    else:
        wait(lambda: any("cannot allocate all claims" in (report.reason or "") for report in pod_reports(api)))
        assert running_on(sim, "choosy") == []


def test_pods_that_count_are_not_given_claimed_gpus(sim, start):
    start(deployment("counting", 3, asks={"nvidia.com/gpu": "1"}))

    wait(lambda: len(running_on(sim, "counting")) == 1)

    sim.settle()
    assert set(running_on(sim, "counting")) == names(sim, "plugged")
    assert len(running_on(sim, "counting")) == 1
    assert free(sim, "claimed") == 4


def test_without_the_toleration_a_claim_does_not_help(sim, api, start):
    """No extended resource is asked for, so that nobody adds the toleration."""
    shy = claiming("shy", 1)
    del shy["spec"]["template"]["spec"]["tolerations"]
    start(template("shy", 1), shy)

    wait(lambda: any("untolerated taint" in (report.reason or "") for report in pod_reports(api)))

    assert running_on(sim, "shy") == []


def test_a_slice_goes_with_the_driver_s_pod_and_with_the_node(sim, api):
    (name,) = names(sim, "claimed")
    resize(sim, "claimed", 2)
    wait(lambda: shown(sim, "claimed") == [CLAIMED, CLAIMED])

    resize(sim, "claimed", 1)
    wait(lambda: published(api).keys() == names(sim, "claimed") and len(names(sim, "claimed")) == 1)

    without_label = {"metadata": {"labels": {"eks-accelerators/dynamic-resource-allocation": "false"}}}
    (name,) = names(sim, "claimed")
    api.patch("v1", "Node", name, None, without_label)
    try:
        wait(lambda: published(api) == {})
    finally:
        api.patch(
            "v1", "Node", name, None, {"metadata": {"labels": {"eks-accelerators/dynamic-resource-allocation": "true"}}}
        )
    wait(lambda: shown(sim, "claimed") == [CLAIMED])


def test_the_pod_of_the_page_runs(sim, api):
    page = ROOT / "docs" / "dynamic-resource-allocation.md"
    shown = [block for block in map(yaml.safe_load, blocks(page, "yaml")) if "kind" in block]
    assert [manifest["kind"] for manifest in shown] == ["ResourceClaimTemplate", "Pod"]
    api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "mine"}})
    try:
        for manifest in shown:
            api.apply(manifest)
        wait(lambda: api.get("v1", "Pod", "cuda", "mine")["status"].get("phase") == "Running")
        assert free(sim, "claimed") == 3
    finally:
        api.delete("v1", "Namespace", "mine", wait_seconds=60)
    wait(lambda: free(sim, "claimed") == 4)
