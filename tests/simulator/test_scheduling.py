"""The stack dev as it is shipped: who lands on its shared GPU, who does not, and what a user is told of it."""

import json
import shutil
from contextlib import contextmanager
from dataclasses import replace

import pulumi
import pytest
import yaml

from eks_accelerators.accelerators.scheduling import DEVICE_PLUGIN_CONFIG_LABEL as CONFIG_LABEL
from eks_accelerators.accelerators.scheduling import NODE_GROUP_LABEL
from eks_accelerators.simulator.kubernetes.report import Count, node_reports, pod_reports
from tests.polls import PATIENCE_SECONDS, until
from tests.simulator.worlds import load, room_on

pytestmark = pytest.mark.slow

GPU = "nvidia.com/gpu"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dev")
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def stack(folder):
    return load(folder, "dev")


@pytest.fixture(scope="module")
def sim(deployments, folder):
    """The deployed stack. Each test leaves it as it was."""
    with deployments.copied("dev", folder) as deployed:
        yield deployed.simulation


def deploy(sim, stack):
    outcome = sim.run("up", stack.program)
    assert outcome.ok, outcome.errors


def with_release_values(stack, chart, change):
    """The stack whose program hands other values to a Helm release."""

    def transform(args):
        if args.type_ == "kubernetes:helm.sh/v3:Release" and args.props["chart"] == chart:
            return pulumi.ResourceTransformResult({**args.props, "values": change(args.props["values"])}, args.opts)
        return None

    def run():
        pulumi.runtime.register_resource_transform(transform)
        stack.program.run()

    return replace(stack, program=replace(stack.program, run=run))


def gpu_node(sim):
    """The report of the one accelerator node."""
    (found,) = [node for node in node_reports(sim.cluster.api, sim.notes) if not node.is_system]
    return found


def shares(sim):
    return gpu_node(sim).accelerators.get(GPU, Count(0, 0)).allocatable


def llama(sim):
    """Servers by phase, with the reason."""
    found = [pod for pod in pod_reports(sim.cluster.api) if pod.owner == "Deployment/llama"]
    return {pod.phase: (pod.count, pod.reason) for pod in found}


def wait(condition):
    until(condition)


def test_four_servers_share_one_gpu(sim):
    wait(lambda: llama(sim) == {"Running": (4, None)})

    node = gpu_node(sim)
    assert (node.instance_type, node.node_group, node.ready) == ("g6.2xlarge", "l4-shared", True)
    assert (node.accelerators, node.reason) == ({GPU: Count(allocatable=4, requested=4)}, None)
    (servers,) = [pod for pod in pod_reports(sim.cluster.api) if pod.owner == "Deployment/llama"]
    assert (servers.nodes, servers.requests) == ((node.name,), {GPU: 1})


@contextmanager
def servers(sim, replicas):
    """Another number of servers, for a while."""

    def scale(to):
        sim.cluster.api.patch("apps/v1", "Deployment", "llama", "llm", {"spec": {"replicas": to}})

    scale(replicas)
    try:
        yield
    finally:
        scale(4)
        wait(lambda: llama(sim) == {"Running": (4, None)})


def test_a_fifth_waits_and_the_scheduler_says_why(sim):
    with servers(sim, 5):
        wait(lambda: "Insufficient nvidia.com/gpu" in str(llama(sim).get("Pending")))

        count, reason = llama(sim)["Pending"]
        assert llama(sim)["Running"] == (4, None)
        assert count == 1
        assert reason.startswith("0/3 nodes are available: ")
        assert "2 node(s) didn't match Pod's node affinity/selector" in reason


@pytest.mark.parametrize("replicas", [3, 4, 7])
def test_the_plan_counts_servers_as_the_scheduler_places_them(sim, folder, replicas):
    def with_replicas(config):
        config["eks-accelerators:workloads"]["vllm"]["llama"]["replicas"] = replicas

    room = room_on(folder / "counted", "dev", "l4-shared", with_replicas)
    (said,), (share,) = room.workloads, room.shares
    with servers(sim, replicas):
        wait(lambda: sum(count for count, _ in llama(sim).values()) == replicas)
        wait(lambda: llama(sim)["Running"][0] == said.placed)
        wait(lambda: said.pending == 0 or said.reason in str(llama(sim)["Pending"][1]))

        assert llama(sim).get("Pending", (0, None))[0] == said.pending
        wait(lambda: gpu_node(sim).accelerators == {GPU: Count(share.offered, share.taken)})


def test_a_plugin_that_does_not_tolerate_the_taint_serves_nobody(sim, stack):
    wrong = [{"key": GPU, "operator": "Equal", "value": "present", "effect": "NoSchedule"}]

    deploy(sim, with_release_values(stack, "nvidia-device-plugin", lambda values: {**values, "tolerations": wrong}))

    wait(lambda: shares(sim) == 0)
    reason = gpu_node(sim).reason
    assert "no nvidia.com/gpu: the DaemonSet nvidia-device-plugin/" in reason
    assert "has no pod here: it does not tolerate the taint nvidia.com/gpu=true:NoSchedule" in reason
    deploy(sim, stack)
    wait(lambda: shares(sim) == 4)


@pytest.mark.parametrize(
    ("label", "says"),
    [
        pytest.param(
            "no-such-key",
            f"the nvidia-device-plugin: it restarts for ever, since the label {CONFIG_LABEL} names 'no-such-key', which "
            "the ConfigMap nvidia-device-plugin/",
            id="no-such-key",
        ),
        pytest.param(
            None,
            f"has no pod here: its node affinity wants {CONFIG_LABEL} Exists (the node has no {CONFIG_LABEL})",
            id="no-label",
        ),
    ],
)
def test_a_node_whose_label_names_no_configuration_shows_nothing(sim, label, says):
    name = gpu_node(sim).name

    def relabel(value):
        sim.cluster.api.patch("v1", "Node", name, None, {"metadata": {"labels": {CONFIG_LABEL: value}}})

    before = sim.cluster.api.get("v1", "Node", name)["metadata"]["labels"][CONFIG_LABEL]
    relabel(label)
    try:
        wait(lambda: shares(sim) == 0)
        wait(lambda: says in gpu_node(sim).reason)
    finally:
        relabel(before)
        wait(lambda: shares(sim) == 4)


def test_another_sharing_in_the_config_map_is_another_number_of_shares(sim):
    api, namespace = sim.cluster.api, "nvidia-device-plugin"
    key = api.get("v1", "Node", gpu_node(sim).name)["metadata"]["labels"][CONFIG_LABEL]
    (found,) = [one for one in api.list("v1", "ConfigMap", namespace) if key in one.get("data", {})]

    def write(text):
        api.patch("v1", "ConfigMap", found["metadata"]["name"], namespace, {"data": {key: text}})

    changed = yaml.safe_load(found["data"][key])
    changed["sharing"]["timeSlicing"]["resources"][0]["replicas"] = 7
    write(json.dumps(changed))
    try:
        wait(lambda: shares(sim) == 7)
    finally:
        write(found["data"][key])
        wait(lambda: shares(sim) == 4)


def test_who_asks_for_a_share_gets_one_and_nobody_else_is_on_the_node(sim):
    """Who asks for the resource tolerates its taint: EKS has the admission plugin ExtendedResourceToleration."""
    api = sim.cluster.api

    def create(name, limits):
        container = {"name": "main", "image": "image", "resources": {"limits": limits}}
        spec = {"containers": [container], "nodeSelector": {NODE_GROUP_LABEL: "l4-shared"}}
        api.create(
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"}, "spec": spec}
        )

    def report(name):
        (found,) = [pod for pod in pod_reports(api) if pod.owner == f"Pod/{name}"]
        return found

    with servers(sim, 3):
        create("asks", {GPU: "1"})
        create("does-not-ask", {})
        try:
            wait(lambda: report("asks").phase == "Running")
            wait(lambda: "1 node(s) had untolerated taint" in str(report("does-not-ask").reason))
        finally:
            for name in ("asks", "does-not-ask"):
                api.delete("v1", "Pod", name, "default", wait_seconds=PATIENCE_SECONDS)


def test_a_server_with_a_cache_has_its_volume_in_the_zone_of_its_node(sim, folder, stack):
    def with_cache(config):
        server = config["eks-accelerators:workloads"]["vllm"]["llama"]
        server |= {"replicas": 1, "cache": {"sizeGib": 100, "storageClass": "gp3"}}

    deploy(sim, load(folder / "changed", "dev", with_cache))

    wait(lambda: llama(sim) == {"Running": (1, None)})
    (volume,) = sim.cluster.api.list("v1", "PersistentVolume")
    assert (volume["spec"]["storageClassName"], volume["spec"]["capacity"]) == ("gp3", {"storage": "100Gi"})
    assert volume["status"]["phase"] == "Bound"
    assert gpu_node(sim).zone in json.dumps(volume["spec"]["nodeAffinity"])
    deploy(sim, stack)
    wait(lambda: llama(sim) == {"Running": (4, None)})
    wait(lambda: sim.cluster.api.list("v1", "PersistentVolume") == [])
