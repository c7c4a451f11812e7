"""What a user sees of nodes and pods, from the objects of a cluster."""

import pytest

from eks_accelerators.accelerators import instance_types
from eks_accelerators.accelerators.sharing import Sharing
from eks_accelerators.simulator.kubernetes.report import Count, PodState, node_reports, pod_reports
from eks_accelerators.simulator.kubernetes.resource_slices import devices_of, resource_slice
from tests.simulator.kubernetes.paper_cluster import every_daemon_set, node

UNSCHEDULABLE = "0/3 nodes are available: 1 Insufficient nvidia.com/gpu."
GPU, EFA = "nvidia.com/gpu", "vpc.amazonaws.com/efa"


class Cluster:
    """The objects of a cluster, listed as an `Api` lists them."""

    def __init__(self, *objects):
        self.objects = objects

    def list(self, api_version, kind):
        return [obj for obj in self.objects if (obj["apiVersion"], obj["kind"]) == (api_version, kind)]


def shown(name="ip-10-20-0-12", instance_type="g6.12xlarge", *, ready="True", allocatable=None, **more):
    made = node(instance_type, Sharing("timeSlicing", 4), name=name, **more)
    made["status"]["allocatable"] |= allocatable or {}
    made["status"]["conditions"] = [{"type": "Ready", "status": ready}]
    return made


def pod(name, owner=None, *, phase="Running", on=None, asks=None, init=None, namespace="llm", message=None, **more):
    container = {"name": "main", "resources": {"requests": asks or {}}}
    spec = {"containers": [container], "initContainers": [{"name": "first", "resources": {"requests": init or {}}}]}
    status = {"phase": phase}
    if message:
        status["conditions"] = [{"type": "PodScheduled", "status": "False", "message": message}]
    metadata = {"name": name, "namespace": namespace, **more.pop("metadata", {})}
    if owner:
        kind, _, called = owner.partition("/")
        metadata["ownerReferences"] = [{"kind": kind, "name": called, "controller": True}]
    if on:
        spec["nodeName"] = on
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {**spec, **more}, "status": status}


def of_deployment(name, **more):
    return pod(name, "ReplicaSet/llama-5d8f", metadata={"labels": {"pod-template-hash": "5d8f"}}, **more)


def claim(name, **annotations):
    prefixed = {f"volume.kubernetes.io/{key.replace('_', '-')}": value for key, value in annotations.items()}
    metadata = {"name": name, "namespace": "llm", "annotations": prefixed}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "status": {"phase": "Pending"}}


def test_a_node_and_what_of_it_is_taken():
    cluster = Cluster(
        shown("a", allocatable={GPU: "16"}, efa_interfaces=1),
        pod("one", on="a", asks={GPU: "1", "cpu": "4"}),
        pod("two", on="a", asks={GPU: "2"}, init={GPU: "3"}),
        pod("ended", on="a", asks={GPU: "4"}, phase="Succeeded"),
        pod("elsewhere", on="b", asks={GPU: "4"}),
    )

    (report,) = node_reports(cluster)

    assert (report.name, report.instance_type, report.zone) == ("a", "g6.12xlarge", "us-east-2a")
    assert report.ready
    assert report.accelerators == {GPU: Count(allocatable=16, requested=4)}
    assert report.reason == "no vpc.amazonaws.com/efa: no EFA device plugin is installed"


@pytest.mark.parametrize(
    ("labels", "instance_type", "group", "is_system"),
    [
        ({"eks-accelerators/node-group": "l4"}, "g6.2xlarge", "l4", False),
        ({}, "g6.2xlarge", "gpu-1a2b", False),
        ({}, "m7i.large", "gpu-1a2b", True),
    ],
)
def test_the_node_group_is_called_as_in_the_settings(labels, instance_type, group, is_system):
    (report,) = node_reports(Cluster(shown(instance_type=instance_type, labels=labels)))

    assert (report.node_group, report.is_system) == (group, is_system)


@pytest.mark.parametrize(
    ("notes", "reason"),
    [
        ((), "no nvidia.com/gpu: the DaemonSet nvidia-device-plugin/nvidiadeviceplugin-ab12-nvidia-device-plugin may"),
        (("nvidia-device-plugin: it restarts",), "no nvidia.com/gpu: the nvidia-device-plugin: it restarts"),
        (("image: MIG is not simulated yet",), "no nvidia.com/gpu: the image: MIG is not simulated yet"),
        (("efa-device-plugin: it restarts",), "no nvidia.com/gpu: the DaemonSet"),
    ],
)
def test_why_a_node_shows_none_is_in_the_words_of_what_runs_on_it(notes, reason):
    (report,) = node_reports(Cluster(shown("a"), *every_daemon_set()), {"a": notes})

    assert report.reason.startswith(reason)


def test_a_node_that_goes_is_none_any_more():
    going = shown()
    going["metadata"]["deletionTimestamp"] = "2026-11-23T09:00:00Z"

    assert node_reports(Cluster(going)) == []


def test_pods_that_are_alike_are_counted():
    cluster = Cluster(
        *(of_deployment(f"llama-{number}", on=f"node-{number % 2}", asks={GPU: "1"}) for number in range(4)),
        of_deployment("llama-4", phase="Pending", asks={GPU: "1"}, message=UNSCHEDULABLE),
        of_deployment("llama-5", phase="Pending", asks={GPU: "1"}, message=UNSCHEDULABLE),
    )

    waiting, running = pod_reports(cluster)

    assert (running.owner, running.phase, running.count) == ("Deployment/llama", "Running", 4)
    assert (running.nodes, running.reason, running.requests) == (("node-0", "node-1"), None, {GPU: 1})
    assert (waiting.phase, waiting.count, waiting.nodes) == ("Pending", 2, ())
    assert waiting.reason == UNSCHEDULABLE


@pytest.mark.parametrize(
    ("seen", "owner"),
    [
        (pod("single"), "Pod/single"),
        (pod("train-x", "Job/train"), "Job/train"),
        (pod("db-0", "StatefulSet/db"), "StatefulSet/db"),
        (pod("rs-x", "ReplicaSet/rs"), "ReplicaSet/rs"),
        (of_deployment("llama-x"), "Deployment/llama"),
    ],
)
def test_who_owns_a_pod(seen, owner):
    assert [report.owner for report in pod_reports(Cluster(seen))] == [owner]


def test_pods_of_the_cluster_itself_are_left_out():
    daemon, system = pod("plugin-x", "DaemonSet/plugin"), pod("coredns-x", namespace="kube-system")

    assert pod_reports(Cluster(daemon, system)) == []


def test_a_pod_that_is_deleted_is_terminating():
    going = pod("going", metadata={"deletionTimestamp": "2026-11-23T09:00:00Z"})

    assert [report.phase for report in pod_reports(Cluster(going))] == ["Terminating"]


@pytest.mark.parametrize(
    ("annotations", "reason"),
    [
        ({}, UNSCHEDULABLE),
        (
            {"selected_node": "a", "storage_provisioner": "ebs.csi.aws.com"},
            "waits for the volume of the claim models, which ebs.csi.aws.com has not made",
        ),
        ({"selected_node": "a"}, "waits for the volume of the claim models, which its provisioner has not made"),
    ],
)
def test_a_pod_that_waits_for_a_volume_says_so(annotations, reason):
    volumes = [{"name": "models", "persistentVolumeClaim": {"claimName": "models"}}]
    waiting = pod("llama-x", phase="Pending", message=UNSCHEDULABLE, volumes=volumes)

    assert [report.reason for report in pod_reports(Cluster(waiting, claim("models", **annotations)))] == [reason]


def test_a_report_says_what_is_asked_for_and_by_how_many():
    cluster = Cluster(shown("a", allocatable={GPU: "16"}), pod("one", on="a", asks={GPU: "1"}))

    (of_node,), (of_pod,) = node_reports(cluster), pod_reports(cluster)

    assert of_node.accelerators == {GPU: Count(allocatable=16, requested=1)}
    assert of_pod == PodState("llm", "Pod/one", "Running", {GPU: 1}, None, ("one",), ("a",))
    assert of_pod.count == 1


def claims(name, count, *, on=None):
    """A ResourceClaim for so many GPUs, with devices of the node that it is ``on``."""
    exactly = {"deviceClassName": "gpu.nvidia.com", "allocationMode": "ExactCount", "count": count}
    results = [{"driver": "gpu.nvidia.com", "pool": on, "device": f"gpu-{n}"} for n in range(count)]
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": name, "namespace": "llm"},
        "spec": {"devices": {"requests": [{"name": "gpus", "exactly": exactly}]}},
        "status": {"allocation": {"devices": {"results": results}}} if on else {},
    }


def test_claimed_gpus_are_counted_as_devices():
    here = shown("a", claimed=True)
    here["metadata"]["uid"] = "u"
    slices = resource_slice(here, devices_of(instance_types.get("g6.12xlarge"), "a"))

    (report,) = node_reports(
        Cluster(here, slices, claims("one", 1, on="a"), claims("two", 2, on="a"), claims("three", 3))
    )

    assert report.accelerators == {"gpu.nvidia.com": Count(allocatable=4, requested=3)}
    assert report.reason is None


def test_what_a_pod_claims_is_among_its_requests():
    waits = "0/2 nodes are available: 1 cannot allocate all claims, 1 node(s) had untolerated taint(s)."
    pending = of_deployment(
        "b", phase="Pending", message=waits, resourceClaims=[{"name": "gpus", "resourceClaimTemplateName": "t"}]
    )
    pending["status"]["resourceClaimStatuses"] = [{"name": "gpus", "resourceClaimName": "b-gpus-x7k2p"}]

    (report,) = pod_reports(Cluster(pending, claims("b-gpus-x7k2p", 2)))

    assert (report.requests, report.reason) == ({"gpu.nvidia.com": 2}, waits)


def test_a_claim_that_several_pods_name_is_what_each_asks_for():
    named = [{"name": "gpus", "resourceClaimName": "shared"}]
    pods = [of_deployment(name, on="a", resourceClaims=named) for name in "ab"]

    (report,) = pod_reports(Cluster(*pods, claims("shared", 1, on="a")))

    assert (report.count, report.requests) == (2, {"gpu.nvidia.com": 1})
