"""Where pods of the shipped stacks land, and why others wait: by the real scheduler, on the clock of the account."""

from datetime import timedelta
from typing import Any

import pytest

from simulator.kubernetes.report import node_reports, pod_reports
from tests.simulator.worlds import NOW, load, simulation

pytestmark = pytest.mark.slow

BLOCK = {
    "id": "cr-0123456789abcdef0",
    "instanceType": "p5.48xlarge",
    "instanceCount": 4,
    "zone": "us-east-2a",
    "start": (NOW + timedelta(days=1)).isoformat(),
    "end": (NOW + timedelta(days=3)).isoformat(),
}
GPU_TAINT = {"key": "nvidia.com/gpu", "operator": "Equal", "value": "true", "effect": "NoSchedule"}


def pods(sim: Any, owner: str) -> dict[str, int]:
    """Pods of ``owner``, such as `Deployment/llama`, by phase."""
    sim.settle()
    return {pod.phase: pod.count for pod in pod_reports(sim.cluster.api) if pod.owner == owner}


def why(sim: Any, owner: str) -> str:
    """Why pods of ``owner`` wait."""
    (waiting,) = [pod for pod in pod_reports(sim.cluster.api) if pod.owner == owner and pod.phase == "Pending"]
    return str(waiting.reason)


def deployment(name: str, replicas: int, resources: dict[str, str], *tolerations: dict[str, str]) -> dict[str, Any]:
    """A Deployment in the namespace `default`."""
    container = {"name": "work", "image": "work", "resources": {"requests": resources, "limits": resources}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {"containers": [container], "tolerations": list(tolerations)},
            },
        },
    }


def test_four_share_an_l4_and_the_fifth_is_told_why_not(engines, tmp_path):
    stack = load(tmp_path, "dev")
    with simulation(tmp_path, engines, stack) as sim:
        assert sim.run("up", stack.program).ok
        assert pods(sim, "Deployment/llama") == {"Running": 4}

        sim.cluster.api.patch("apps/v1", "Deployment", "llama", "llm", {"spec": {"replicas": 5}})
        assert pods(sim, "Deployment/llama") == {"Running": 4, "Pending": 1}
        assert "Insufficient nvidia.com/gpu" in why(sim, "Deployment/llama")

        # Nothing without the toleration lands on the GPU node, though it has room: these fill the system nodes.
        sim.cluster.api.apply(deployment("untolerant", 30, {"cpu": "500m"}))
        assert set(pods(sim, "Deployment/untolerant")) == {"Running", "Pending"}
        assert "untolerated taint" in why(sim, "Deployment/untolerant")
        tainted = {node.name for node in node_reports(sim.cluster.api) if not node.is_system}
        (running,) = [
            p for p in pod_reports(sim.cluster.api) if p.owner.endswith("untolerant") and p.phase == "Running"
        ]
        assert tainted
        assert not tainted & set(running.nodes)

        # Nor does a system pod, DaemonSets aside.
        found = sim.cluster.api.list("v1", "Pod", "kube-system")
        replicated = [p for p in found if p["metadata"]["ownerReferences"][0]["kind"] == "ReplicaSet"]
        assert len(replicated) >= 4
        assert not tainted & {pod["spec"].get("nodeName") for pod in replicated}


def test_h100s_come_and_go_with_their_capacity_block(engines, tmp_path):
    stack = load(tmp_path, "prod", account={"capacityReservations": [BLOCK]})
    training = deployment("training", 4, {"nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "32"}, GPU_TAINT)
    neuron = {"key": "aws.amazon.com/neuron", "operator": "Exists"}
    with simulation(tmp_path, engines, stack) as sim:
        assert sim.run("up", stack.program).ok
        sim.cluster.api.apply(training)
        sim.cluster.api.apply(deployment("trainium", 1, {"aws.amazon.com/neuron": "16"}, neuron))
        assert pods(sim, "Deployment/training") == {"Pending": 4}
        assert pods(sim, "Deployment/trainium") == {"Pending": 1}

        sim.set_clock(NOW + timedelta(days=1, minutes=1))
        assert pods(sim, "Deployment/training") == {"Running": 4}
        assert {n.node_group for n in node_reports(sim.cluster.api) if n.instance_type == "p5.48xlarge"} == {"h100"}

        sim.set_clock(NOW + timedelta(days=3) - timedelta(minutes=40))
        assert pods(sim, "Deployment/training") == {"Pending": 4}

        group = next(g for g in sim.account.state.scaling_groups() if g.node_group.startswith("trn2"))
        sim.account.call(
            "eks",
            "update_nodegroup_config",
            clusterName=next(iter(sim.account.state.clusters)),
            nodegroupName=group.node_group,
            scalingConfig={"minSize": 0, "maxSize": 2, "desiredSize": 1},
        )
        sim.kubelets.sync()
        assert pods(sim, "Deployment/trainium") == {"Running": 1}
        (landed,) = [pod for pod in pod_reports(sim.cluster.api) if pod.owner == "Deployment/trainium"]
        types = {node.name: node.instance_type for node in node_reports(sim.cluster.api)}
        assert [types[node] for node in landed.nodes] == ["trn2.48xlarge"]
