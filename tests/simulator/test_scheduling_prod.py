"""The stack prod as it is shipped: a Capacity Block, Trainium, and nodes that nobody else may use."""

from datetime import timedelta

import pytest

from eks_accelerators.accelerators.capacity_blocks import DRAIN_BEFORE_END
from eks_accelerators.accelerators.scheduling import NEURON, NODE_GROUP_LABEL, NVIDIA
from eks_accelerators.simulator.kubernetes.report import Count, node_reports, pod_reports
from tests.polls import PATIENCE_SECONDS, until
from tests.simulator.lives import every, to, without
from tests.simulator.small_clusters import deployment
from tests.simulator.worlds import room_on

pytestmark = pytest.mark.thorough

GPU, NEURON_DEVICE, EFA, HUGE_PAGES = (
    "nvidia.com/gpu",
    "aws.amazon.com/neuron",
    "vpc.amazonaws.com/efa",
    "hugepages-2Mi",
)
RESERVATION = "cr-0123456789abcdef0"


@pytest.fixture(scope="module")
def sim(deployments, tmp_path_factory):
    """The deployed stack. Its clock goes on from test to test."""
    with deployments.copied("prod", tmp_path_factory.mktemp("prod")) as deployed:
        yield deployed.simulation


def wait(condition):
    until(condition)


def reports(sim, group):
    return [node for node in node_reports(sim.cluster.api, sim.notes) if node.node_group == group]


def system_nodes(sim):
    return {node.name for node in node_reports(sim.cluster.api) if node.is_system}


def pods(sim, owner):
    """Reports of one owner's pods, by phase."""
    return {pod.phase: pod for pod in pod_reports(sim.cluster.api) if pod.owner == owner}


def why_pending(sim, owner):
    """Why pods of one owner wait; nothing until there are any."""
    found = pods(sim, owner).get("Pending")
    return str(found.reason) if found else ""


def scale(sim, group, nodes):
    """As a user does in the console: the deployment ignores the desired size."""
    (cluster,) = sim.account.state.clusters.values()
    (name,) = [
        name for name, one in cluster.node_groups.items() if one.described["labels"].get(NODE_GROUP_LABEL) == group
    ]
    sizes = {"clusterName": cluster.described["name"], "nodegroupName": name, "scalingConfig": {"desiredSize": nodes}}
    sim.account.call("eks", "update_nodegroup_config", **sizes)
    sim.kubelets.sync()


def job(name, count, asks, **pod):
    """A Job of so many pods at a time, whose work takes longer than any test."""
    container = {"name": "main", "image": "image", "resources": {"limits": asks}}
    metadata = {"name": name, "namespace": "default"}
    template = {
        "metadata": {"annotations": {"eks-accelerators/work": "24h"}},
        "spec": {"restartPolicy": "Never", "containers": [container], **pod},
    }
    # Pods that their nodes take with them count as failed.
    spec = {"parallelism": count, "completions": count, "backoffLimit": 100, "template": template}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}


@pytest.mark.parametrize("replicas", [40, 16])
def test_the_plan_counts_servers_as_the_scheduler_places_them(sim, tmp_path, replicas):
    fixed = every(without("workloads.vllm.llama.autoscaling"), to("workloads.vllm.llama.replicas", replicas))
    room = room_on(tmp_path, "prod", "l4-shared", fixed)
    (said,), (share,) = room.workloads, room.shares
    sim.cluster.api.patch("apps/v1", "Deployment", "llama", "llm", {"spec": {"replicas": replicas}})

    def count(phase):
        found = pods(sim, "Deployment/llama").get(phase)
        return found.count if found else 0

    wait(lambda: (count("Running"), count("Pending")) == (said.placed, said.pending))
    wait(lambda: said.pending == 0 or said.reason in why_pending(sim, "Deployment/llama"))
    counts = [node.accelerators[share.share.resource] for node in reports(sim, "l4-shared")]
    assert sum(each.allocatable for each in counts) == share.offered
    assert sum(each.requested for each in counts) == share.taken


def test_training_runs_while_the_capacity_block_lasts(sim):
    block = sim.account.state.blocks[RESERVATION]
    asks = {GPU: "8", EFA: "32", HUGE_PAGES: "5120Mi", "memory": "64Gi"}
    toleration = NVIDIA.taint.toleration
    sim.cluster.api.apply(job("train", 4, asks, tolerations=[toleration], nodeSelector={NODE_GROUP_LABEL: "h100"}))

    wait(lambda: "0/6 nodes are available" in why_pending(sim, "Job/train"))
    assert pods(sim, "Job/train")["Pending"].count == 4
    assert reports(sim, "h100") == []

    sim.set_clock(block.start - timedelta(minutes=1))
    assert reports(sim, "h100") == []

    sim.set_clock(block.start)
    wait(lambda: "Running" in pods(sim, "Job/train") and pods(sim, "Job/train")["Running"].count == 4)
    assert len(pods(sim, "Job/train")["Running"].nodes) == 4
    nodes = reports(sim, "h100")
    assert [node.accelerators for node in nodes] == [{GPU: Count(8, 8), EFA: Count(32, 32)}] * 4
    assert {(node.instance_type, node.zone, node.reason) for node in nodes} == {("p5.48xlarge", block.zone, None)}

    sim.set_clock(block.end - DRAIN_BEFORE_END - timedelta(minutes=1))
    assert len(reports(sim, "h100")) == 4

    sim.set_clock(block.end - DRAIN_BEFORE_END)
    assert reports(sim, "h100") == []
    wait(lambda: set(pods(sim, "Job/train")) == {"Pending"})
    wait(lambda: "0/6 nodes are available" in why_pending(sim, "Job/train"))

    sim.set_clock(block.end + timedelta(days=1))
    assert reports(sim, "h100") == []
    sim.cluster.api.delete("batch/v1", "Job", "train", "default", wait_seconds=PATIENCE_SECONDS)


def test_what_asks_for_neuron_devices_lands_on_trainium(sim):
    """Without a toleration of its own: who asks for the resource tolerates its taint, on EKS. It wants a whole node, and the
    stack's own servers are on the one that is there.
    """
    sim.cluster.api.apply(job("neuron", 1, {NEURON_DEVICE: "16", EFA: "16"}))
    wait(lambda: "Insufficient aws.amazon.com/neuron" in why_pending(sim, "Job/neuron"))

    scale(sim, "trn2", 2)

    wait(lambda: "Running" in pods(sim, "Job/neuron"))
    (name,) = pods(sim, "Job/neuron")["Running"].nodes
    (node,) = [each for each in reports(sim, "trn2") if each.name == name]
    assert (node.instance_type, node.zone) == ("trn2.48xlarge", "us-east-2b")
    assert (node.accelerators[NEURON_DEVICE], node.accelerators[EFA]) == (Count(16, 16), Count(16, 16))
    live = sim.cluster.api.get("v1", "Node", node.name)
    assert live["status"]["allocatable"][HUGE_PAGES] == "10256Mi"
    assert NEURON.taint.key in [taint["key"] for taint in live["spec"]["taints"]]


def test_ordinary_pods_never_land_on_accelerator_nodes(sim):
    """More than the system nodes take: the others wait, beside idle processors of Trainium and L4 nodes."""
    scale(sim, "trn2", 1)
    wait(lambda: len(reports(sim, "trn2")) == 1)
    sim.cluster.api.apply(deployment("ordinary", 40, asks={"cpu": "500m"}))

    wait(lambda: sum(pod.count for pod in pods(sim, "Deployment/ordinary").values()) == 40)
    sim.settle(PATIENCE_SECONDS)
    found = pods(sim, "Deployment/ordinary")
    assert set(found["Running"].nodes) == system_nodes(sim)
    assert found["Running"].count + found["Pending"].count == 40
    assert "3 Insufficient cpu, 3 node(s) had untolerated taint(s)" in found["Pending"].reason
    sim.cluster.api.delete("apps/v1", "Deployment", "ordinary", "default", wait_seconds=PATIENCE_SECONDS)


def test_what_the_cluster_needs_once_is_on_system_nodes(sim):
    def once():
        """Pods of Deployments outside the workload's namespace, by the beginning of their names."""
        for pod in sim.cluster.api.list("v1", "Pod"):
            (owner,) = pod["metadata"].get("ownerReferences", [{"kind": "none"}])
            if owner["kind"] == "ReplicaSet" and pod["metadata"]["namespace"] != "llm":
                yield owner["name"].rpartition("-")[0], pod

    wait(lambda: all(pod["status"]["phase"] == "Running" for _, pod in once()))
    names = {name for name, _ in once()}
    assert {"coredns", "metrics-server", "ebs-csi-controller"} < names
    assert any(name.endswith("node-feature-discovery-master") for name in names)
    assert {pod["spec"]["nodeName"] for _, pod in once()} <= system_nodes(sim)
